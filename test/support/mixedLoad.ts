import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { createGatewayClient, type GatewayClient } from '../../src/client/gatewayClient.ts';
import type { CallOptions } from '../../src/client/types.ts';
import { type TextFormatId, textFormat } from '../../src/wire/apis/textFormats.ts';
import type { Outcome } from '../../src/wire/chatEvent.ts';
import { catchFailure } from './faultServerCalls.ts';
import {
  chatCompletionsCaller,
  createQuestion,
  type FormatCaller,
  generationEventsCaller,
  interactionsCaller,
  messagesCaller,
  responsesCaller,
} from './formatCallers.ts';
import type { RunningGateway } from './gatewayProcess.ts';
import { createClient, createVideoInteraction, createVideoSynthesis } from './gatewayTaskCalls.ts';
import { exchangeRaw, type RawReply } from './rawExchange.ts';

/** Returns one of the values at random. */
export type Pick = <const T>(values: readonly T[]) => T;

/** A program at work: several requests, each with its expected outcome. */
type Action = (load: Load, pick: Pick) => Promise<void>;

interface Load {
  readonly gateway: RunningGateway;
  /** One of each transport. They live as long as the load. */
  readonly clients: readonly GatewayClient[];
}

type Caller = readonly [TextFormatId, FormatCaller];

/** The formats that the gateway converts. */
const convertedCallers: readonly Caller[] = [
  ['chatCompletions', chatCompletionsCaller],
  ['contentGeneration', generationEventsCaller],
  ['messages', messagesCaller],
  ['responses', responsesCaller],
];

const callers: readonly Caller[] = [...convertedCallers, ['interactions', interactionsCaller]];

const questions = [
  'Why is the sky blue?',
  'code in python and a table',
  'a list of seven steps',
  '200 words',
  `${'A long question. '.repeat(500)}What is it about?`,
];

interface SentQuestion {
  readonly model: string;
  /** The kinds of outcomes. */
  readonly expected: readonly Outcome['kind'][];
  readonly stream?: boolean;
  readonly options?: CallOptions;
  /** Aborts the call at this batch of events. */
  readonly abortAt?: number;
}

/** Sends a question in a random format by a random transport. */
async function sendChat({ clients }: Load, pick: Pick, sent: SentQuestion): Promise<void> {
  const { model, expected, stream = true, options = {}, abortAt } = sent;
  const [id, caller] = pick(model.startsWith('demo/') ? callers : convertedCallers);
  const abort = new AbortController();
  if (abortAt === 0) abort.abort();
  let batches = 0;
  const { outcome } = await pick(clients).sendFormatRequest(
    {
      format: textFormat(id),
      model,
      body: caller.createBody(createQuestion(pick(questions), { model, stream })),
    },
    () => {
      batches += 1;
      if (batches === abortAt) abort.abort();
    },
    { ...options, signal: abort.signal },
  );
  assert.ok(expected.includes(outcome.kind), `${model} in ${id}: ${inspect(outcome)}`);
}

const quickVideo = 'A cat, queue for 0 seconds, take 0.05 seconds';

async function createVideo({ clients }: Load, pick: Pick, prompt: string): Promise<string> {
  const client = pick(clients);
  const isInteraction = pick([true, false]);
  const { id } = isInteraction
    ? await client.startInteraction(createVideoInteraction(prompt))
    : await client.videoSynthesis(createVideoSynthesis(prompt));
  return id;
}

/** Sends a request on its own connection. */
function sendRaw({ gateway }: Load, method: string, path: string, body = ''): Promise<RawReply> {
  const { host, port } = new URL(gateway.baseUrl);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${gateway.credential}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  return exchangeRaw(Number(port), `${lines.join('\r\n')}\r\n\r\n${body}`);
}

const target = { begin: async () => {}, write: async () => {} };

const finishedChat: Action = (load, pick) => {
  const model = pick(['demo/chat', 'demo/reasoning', 'steady/complete']);
  return sendChat(load, pick, { model, expected: ['complete'] });
};

const abortedChat: Action = (load, pick) => {
  const model = pick(['demo/chat', 'demo/reasoning', 'steady/complete', 'steady/halting']);
  const abortAt = model === 'steady/halting' ? 1 : pick([0, 1, 2, 3]);
  // A whole short reply may arrive in one batch.
  return sendChat(load, pick, { model, abortAt, expected: ['cancelled', 'complete'] });
};

/** All kinds of work, the most frequent ones first. */
const actions: readonly Action[] = [
  ...Array<Action>(6).fill(finishedChat),
  ...Array<Action>(4).fill(abortedChat),
  (load, pick) => sendChat(load, pick, { model: 'demo/chat', stream: false, expected: ['complete'] }),
  (load, pick) => {
    const options = { timeouts: { firstByte: 50 } };
    return sendChat(load, pick, { model: 'failing/silent', options, expected: ['failed'] });
  },
  (load, pick) => {
    const model = pick(['cut', 'malformed', 'busy', 'broken'].map((name) => `failing/${name}`));
    return sendChat(load, pick, { model, expected: ['failed', 'interrupted'] });
  },
  (load, pick) => sendChat(load, pick, { model: 'demo/unknown', expected: ['failed'] }),
  async ({ gateway }) => {
    const stranger = createClient({ ...gateway, credential: 'wrong-credential' });
    assert.equal((await catchFailure(stranger.listModels())).kind, 'authentication');
    await stranger.close();
  },
  async ({ clients }, pick) => {
    // The list of an upstream that replies too late is missing.
    assert.ok((await pick(clients).listModels()).length >= 3);
  },
  async (load, pick) => {
    const [, caller] = pick(callers);
    const body = pick(['', '{', '[1]', '{"model": 7}', 'x'.repeat(9_999)]);
    const { status } = await sendRaw(load, 'POST', caller.getPath(createQuestion('?')), body);
    assert.ok(status >= 400 && status < 500, `${status}`);
  },
  async (load, pick) => {
    const path = pick(['/healthz', '/metrics', '/v1/tasks?limit=5']);
    assert.equal((await sendRaw(load, 'GET', path)).status, 200);
  },
  async (load, pick) => {
    const id = await createVideo(load, pick, quickVideo);
    const client = createClient(load.gateway);
    const { status, results } = await client.waitForTask(id, { intervalMs: 50 });
    assert.equal(status, 'completed');
    assert.ok((await client.download(results[0]?.url ?? '', target)).bytes > 0);
    await client.deleteTask(id);
    await client.close();
  },
  async (load, pick) => {
    const id = await createVideo(load, pick, 'never finish');
    const client = pick(load.clients);
    await client.cancelTask(id);
    assert.equal((await client.readTask(id)).rawStatus, 'cancelled');
    await client.deleteTask(id);
  },
  async (load, pick) => {
    const id = await createVideo(load, pick, 'never finish');
    const client = pick(load.clients);
    const abort = new AbortController();
    const onSnapshot = () => abort.abort();
    const waiting = client.waitForTask(id, { signal: abort.signal, onSnapshot });
    assert.equal((await catchFailure(waiting)).kind, 'cancelled');
    await client.cancelTask(id);
    await client.deleteTask(id);
  },
  async ({ clients }, pick) => {
    const prompt = pick(['fail with 429', 'lose the answer']);
    await catchFailure(pick(clients).startInteraction(createVideoInteraction(prompt)));
  },
];

/** Clients of one gateway, which send all kinds of requests for hours. */
export class MixedLoad {
  readonly #load: Load;
  readonly #random: () => number;
  readonly #lanes: number;

  /** @param lanes the number of actions at a time */
  constructor(gateway: RunningGateway, random: () => number, lanes: number) {
    const { baseUrl, credential } = gateway;
    const transports = ['direct', 'host'] as const;
    const clients = transports.map((transport) =>
      createGatewayClient({ baseUrl, credential: async () => credential, transport }),
    );
    this.#random = random;
    this.#lanes = lanes;
    this.#load = { gateway, clients };
  }

  /** Performs this many random actions. */
  async run(count: number): Promise<void> {
    let left = count;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await this.#pick(actions)(this.#load, this.#pick);
      }
    };
    await Promise.all(Array.from({ length: this.#lanes }, lane));
  }

  /**
   * Calls `act` while each client receives as many replies as the load has lanes, so that each call finds the same
   * number of connections. The number of idle connections varies.
   */
  async whileReceiving<T>(act: () => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const { createBody } = chatCompletionsCaller;
    const request = createBody(createQuestion('?', { model: 'steady/halting', stream: true }));
    const replies = this.#load.clients.flatMap((client) =>
      Array.from({ length: this.#lanes }, () => {
        const begun = Promise.withResolvers<void>();
        const format = textFormat('chatCompletions');
        const { signal } = abort;
        const ended = client.sendFormatRequest({ format, body: request }, () => begun.resolve(), { signal });
        return { begun: begun.promise, ended };
      }),
    );
    await Promise.all(replies.map(({ begun }) => begun));
    try {
      return await act();
    } finally {
      abort.abort();
      await Promise.all(replies.map(({ ended }) => ended));
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#load.clients.map((client) => client.close()));
  }

  readonly #pick: Pick = (values) =>
    values[Math.floor(this.#random() * values.length)] as (typeof values)[number];
}
