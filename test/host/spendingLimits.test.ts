import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ChatResult } from '../../src/client/types.ts';
import type { Services } from '../../src/host/app/services.ts';
import { failureMessage } from '../../src/host/connection/failureMessage.ts';
import { limitBars } from '../../src/host/requests/usage/usageCharts.ts';
import { usageReport } from '../../src/host/requests/usage/usageReport.ts';
import type { LimitUse } from '../../src/storage/spending/spendingLimit.ts';
import { chatCompletions } from '../../src/wire/apis/chatCompletions/format.ts';
import type { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { catchFailure, getServices, useGateway } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

const model = 'provider/priced';
const unpriced = 'provider/unpriced';
/** 1,000 tokens of output at 1 dollar for a thousand. */
const prices = [{ models: model, prices: { input: 0, output: 1_000 } }];

describe('P17 spending limits', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  /** The reports of usage in a reply, or the only one. */
  let usage: object | readonly object[] | undefined;
  let isSilent: boolean;
  /** The beginning of replies that do not end. */
  let beginning: string | undefined;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    usage = { prompt_tokens: 10, completion_tokens: 1_000 };
    isSilent = false;
    beginning = undefined;
    gateway = await startScriptedGateway([model, unpriced], (response) => {
      if (isSilent) return;
      if (beginning !== undefined) {
        response.setHeader('content-type', 'text/event-stream').write(beginning);
        return;
      }
      const reports = [usage ?? []].flat();
      const end = reports
        .map((each) => `data: ${JSON.stringify({ id: 'reply', choices: [], usage: each })}\n\n`)
        .join('');
      response
        .setHeader('content-type', 'text/event-stream')
        .end(`${createTextChunk('Hello', 'stop')}${end}data: [DONE]\n\n`);
    });
    await useGateway(services, `limits ${gateway.baseUrl}`, gateway.baseUrl, 'test-credential');
    await set('models', prices);
  });

  afterEach(async () => {
    await set('spendingLimits', undefined);
    await set('models', undefined);
    await services.gateways.remove(`limits ${gateway.baseUrl}`);
    await gateway.close();
  });

  function set(key: string, value: unknown) {
    const settings = vscode.workspace.getConfiguration('modelGateway');
    return settings.update(key, value, vscode.ConfigurationTarget.Global);
  }

  /** Limits only for the gateway of this test, because all tests share one file. */
  function limit(entry: object) {
    return { per: 'day', gateway: `limits ${gateway.baseUrl}`, ...entry };
  }

  async function send(
    initiator?: string,
    of = model,
    fields: object = { max_tokens: 1_000 },
  ): Promise<ChatResult> {
    const client = await services.connection.getClient();
    const body = { model: of, messages: [{ role: 'user', content: 'Hi' }], stream: true, ...fields };
    return client.sendFormatRequest(
      { format: chatCompletions, body },
      () => {},
      initiator ? { initiator } : {},
    );
  }

  async function refusal(sent: Promise<ChatResult>): Promise<GatewayError> {
    const { outcome } = await sent;
    assert.equal(outcome.kind, 'failed');
    return 'error' in outcome ? outcome.error : assert.fail();
  }

  function sentChats(): number {
    return gateway.requests.filter(({ path }) => path === '/v1/chat/completions').length;
  }

  it('refuse the next request before it is sent, with the name, the used amount and the next steps', async () => {
    await set('spendingLimits', [limit({ name: 'Lunch money', money: 2 })]);
    for (let count = 0; count < 2; count++) assert.equal((await send()).outcome.kind, 'complete');
    const error = await refusal(send());
    assert.equal(sentChats(), 2);
    assert.deepEqual([error.kind, error.wasSent], ['spending-limit', false]);
    const message = failureMessage(error);
    assert.equal(message.title, 'A spending limit is reached');
    assert.match(message.sentence, /“Lunch money” is reached \(\$2\.?0?0? of \$2\.?0?0?\).*It resets on/);
    assert.deepEqual(message.actions.slice(0, 2), ['raise-limit', 'open-limits']);
  });

  it('allow at most ten of 100 simultaneous requests', async () => {
    await set('spendingLimits', [limit({ money: 10 })]);
    const results = await Promise.all(Array.from({ length: 100 }, () => send()));
    assert.equal(sentChats(), 10);
    assert.equal(results.filter(({ outcome }) => outcome.kind === 'complete').length, 10);
  });

  it('count the actual usage, and do not cut a reply in progress', async () => {
    usage = { prompt_tokens: 10, completion_tokens: 3_000 };
    await set('spendingLimits', [limit({ money: 2 })]);
    assert.equal((await send()).outcome.kind, 'complete');
    assert.match((await refusal(send())).message, /\$3\.?0?0? of \$2/);
  });

  it('can be for one use of the gateway, such as agents or videos', async () => {
    await set('spendingLimits', [limit({ money: 1, for: 'agents' })]);
    assert.equal((await send('agents')).outcome.kind, 'complete');
    assert.equal((await refusal(send('agents'))).kind, 'spending-limit');
    assert.equal((await send('vscodeChat')).outcome.kind, 'complete');
    await set('models', [...prices, { models: 'film', prices: { perRequest: 2 } }]);
    await set('spendingLimits', [limit({ money: 1, for: 'videos' })]);
    const client = await services.connection.getClient();
    const film = client.startInteraction({ model: 'film', input: 'A cat' });
    assert.equal((await catchFailure(film)).kind, 'spending-limit');
  });

  it('in tokens do not need a price', async () => {
    await set('spendingLimits', [limit({ tokens: 1_000 })]);
    assert.equal((await send(undefined, unpriced)).outcome.kind, 'complete');
    assert.match((await refusal(send(undefined, unpriced))).message, /1,010 tokens of 1,000 tokens/);
  });

  it('refuse models without a price, until the user has allowed them once', async () => {
    await set('spendingLimits', [limit({ money: 5 })]);
    const dialogs = await answerDialogs('Allow', async () => {
      const error = await refusal(send(undefined, unpriced));
      assert.deepEqual([error.kind, error.reason], ['spending-limit', 'unknown-price']);
      await configured((entry) => entry?.unpriced === 'allow');
    });
    assert.equal(dialogs.length, 1);
    assert.equal((await send(undefined, unpriced)).outcome.kind, 'complete');
    const [use] = await services.spending.uses();
    assert.equal(use?.unpriced, 1);
    assert.match(await report(), /at least \$0\.?0?0? of \$5/);
  });

  it('let the user decide about models without a price again after an error', async () => {
    await set('spendingLimits', [limit({ money: 5 })]);
    const { showWarningMessage } = vscode.window;
    const fail = () => Promise.reject(new Error('not shown'));
    Object.assign(vscode.window, { showWarningMessage: fail });
    await refusal(send(undefined, unpriced));
    Object.assign(vscode.window, { showWarningMessage });
    const dialogs = await answerDialogs(undefined, () => refusal(send(undefined, unpriced)));
    assert.match(dialogs[0]?.message ?? '', /^The price of provider\/unpriced is unknown/);
  });

  it('do not count a reply without usage as free', async () => {
    for (const missingUsage of [
      undefined,
      { prompt_tokens: 0, completion_tokens: 0 },
      { completion_tokens: -5 },
    ]) {
      usage = missingUsage;
      await set('spendingLimits', [limit({ tokens: 10_000 })]);
      const before = (await services.spending.uses())[0]?.used ?? 0;
      await send();
      await services.spending.settled();
      assert.ok(((await services.spending.uses())[0]?.used ?? 0) > before, JSON.stringify(missingUsage));
    }
    usage = { prompt_tokens: 10, completion_tokens: 1_000, cost: 0 };
    await set('spendingLimits', [limit({ money: 5 })]);
    await send();
    await services.spending.settled();
    const [use] = await services.spending.uses();
    assert.ok((use?.used ?? 0) >= 1e9, 'a reported cost of 0 with a known price');
  });

  it('count at least the usage that a reply reports, in any form', async () => {
    const half = { prompt_tokens: 10, completion_tokens: 500 };
    for (const [reported, tokens, dollars] of [
      [{ ...half, prompt_tokens_details: { cached_tokens: 50_000 } }, 50_510, 0.5],
      [[{ ...half, completion_tokens: 900 }, half], 910, 0.9],
      [[half, half], 510, 0.5],
      [
        [
          { ...half, cost: 3 },
          { ...half, cost: 0.001 },
        ],
        510,
        3,
      ],
      [[half, { ...half, cost: -1 }], 510, 0.5],
      [{ ...half, cost: 1e-6 }, 510, 0.5],
      [[half, { ...half, cost: 'NaN' }], 510, 0.5],
      [[half, { prompt_tokens: '10', completion_tokens: 1e300 }], 510, 0.5],
      [{ total_tokens: 2_000 }, 2_000, 0],
    ] as const) {
      usage = reported;
      await set('spendingLimits', [limit({ tokens: 1e9 }), limit({ money: 1_000 })]);
      const before = await services.spending.uses();
      await send();
      await services.spending.settled();
      const after = await services.spending.uses();
      const [newTokens, newMoney] = after.map(({ used }, nth) => used - (before[nth]?.used ?? 0));
      assert.ok((newTokens ?? 0) >= tokens, `${JSON.stringify(reported)}: ${newTokens}`);
      assert.ok((newMoney ?? 0) >= dollars * 1e9, `${JSON.stringify(reported)}: ${newMoney}`);
    }
  });

  it('refuse models with a wrong price as models without one', async () => {
    await set('spendingLimits', [limit({ money: 5, unpriced: 'refuse' })]);
    for (const output of [-1_000, '1000', Number.NaN, null]) {
      await set('models', [{ models: model, prices: { input: 0, output } }]);
      const error = await refusal(send());
      assert.equal(error.reason, 'unknown-price', String(output));
    }
    assert.equal(sentChats(), 0);
  });

  it('refuse everything while the setting is invalid', async () => {
    for (const entry of [
      { per: 'week', money: 5 },
      { per: 'day' },
      { per: 'day', money: Number.NaN },
      { per: 'day', money: -1 },
      { per: 'day', money: 0 },
      { per: 'day', money: 1, for: 'cats' },
      { per: 'day', tokens: 1, for: 'videos' },
      'cheap',
    ]) {
      await set('spendingLimits', [entry]);
      assert.equal((await refusal(send())).reason, 'not-counted', JSON.stringify(entry));
    }
    assert.equal(sentChats(), 0);
  });

  it('can have a currency in lower case', async () => {
    await set('spendingLimits', [limit({ money: 1, currency: 'usd' })]);
    assert.equal((await send()).outcome.kind, 'complete');
    assert.equal((await refusal(send())).reason, undefined);
    assert.equal(sentChats(), 1);
  });

  it('of a gateway that does not exist refuse everything, with its name and the next step', async () => {
    await set('spendingLimits', [{ name: 'Old', per: 'day', money: 5, gateway: 'removed `<b>' }]);
    const error = await refusal(send());
    assert.equal(error.reason, 'not-counted');
    const { sentence, actions } = failureMessage(error);
    assert.match(sentence, /“Old”.*spendingLimits.*“removed `<b>”, which does not exist.*correct this name/);
    assert.ok(actions.includes('open-limits'), String(actions));
    assert.match(await report(), /“removed ’<b>”, which does not exist/);
    assert.equal(sentChats(), 0);
  });

  it('of a gateway keep their use when its address changes', async () => {
    await set('spendingLimits', [limit({ money: 1 })]);
    await send();
    const [name, { baseUrl }] = [`limits ${gateway.baseUrl}`, gateway];
    for (const address of [`${baseUrl}/`, `${baseUrl.replace('127.0.0.1', 'localhost')}/v1`]) {
      await services.gateways.save({ name, baseUrl: address });
      await services.spending.settled();
      assert.equal((await services.spending.uses())[0]?.used, 1e9, address);
      assert.equal((await refusal(send())).kind, 'spending-limit', address);
    }
    assert.equal(sentChats(), 1);
  });

  it('are raised for today', async () => {
    await set('spendingLimits', [limit({ money: 1 })]);
    await send();
    await refusal(send());
    const [use] = await services.spending.uses();
    assert.ok(use);
    await services.spending.increase(use.limit, 1e9);
    assert.equal((await send()).outcome.kind, 'complete');
  });

  it('are announced once at 80 %', async () => {
    await set('spendingLimits', [limit({ name: 'Near', money: 2.4 })]);
    const [notice] = await answerDialogs(undefined, async () => {
      for (let count = 0; count < 2; count++) await send();
      await services.spending.settled();
    });
    assert.match(notice?.message ?? '', /“Near” is almost reached: \$2\.?0?0? of \$2\.40 is used/);
    const again = await answerDialogs(undefined, async () => {
      await send();
      await services.spending.settled();
    });
    assert.deepEqual(again, []);
  });

  it('are not charged for a refused request, and fully for one that is cut before its reply', async () => {
    await set('spendingLimits', [limit({ money: 5 })]);
    const stop = await sendWithoutReply();
    await stop();
    await services.spending.settled();
    assert.equal((await services.spending.uses())[0]?.used, 1e9);
  });

  it('count a request in progress once, with its maximum, when the window closes', async () => {
    await set('spendingLimits', [limit({ money: 5 })]);
    const stop = await sendWithoutReply();
    assert.equal((await services.spending.uses())[0]?.used, 0);
    await services.spending.close();
    const figures = (uses: readonly LimitUse[]) => uses.map(({ used, reserved }) => [used, reserved]);
    assert.deepEqual(figures(await services.spending.uses()), [[1e9, 0]]);
    await stop();
    await services.spending.settled();
    assert.deepEqual(figures(await services.spending.uses()), [[1e9, 0]]);
  });

  it('count invisible reasoning of a reply that is stopped early or reports no usage', async () => {
    const started = { completion_tokens: 1, prompt_tokens: 10 };
    for (const [about, reasoning, first, output] of [
      ['stopped', undefined, createTextChunk('H'), 4_096],
      [
        'stopped after a first report',
        undefined,
        `data: ${JSON.stringify({ usage: started })}\n\n${createTextChunk('H')}`,
        4_096,
      ],
      ['stopped after a long text', undefined, createTextChunk('H'.repeat(9_000)), 9_000],
      ['stopped, of a model that does not reason', false, createTextChunk('H'), 1],
      ['complete, of a model that reasons', true, undefined, 4_096],
      ['complete', undefined, undefined, 5],
    ] as const) {
      [beginning, usage] = [first, undefined];
      await set('models', [{ ...prices[0], ...(reasoning !== undefined && { facts: { reasoning } }) }]);
      await set('spendingLimits', [limit({ money: 1_000 })]);
      const before = (await services.spending.uses())[0]?.used ?? 0;
      const client = await services.connection.getClient();
      const stop = new AbortController();
      const body = {
        model,
        messages: [{ role: 'user' as const, content: 'Hi' }],
        max_tokens: 16_000,
        stream: true,
      };
      const onEvents = () => first !== undefined && stop.abort();
      await client.sendFormatRequest({ format: chatCompletions, body }, onEvents, { signal: stop.signal });
      await services.spending.settled();
      const used = ((await services.spending.uses())[0]?.used ?? 0) - before;
      assert.equal(Math.round(used / 1e6), output, about);
    }
  });

  it('are shown with their use in the usage, as a bar with words', async () => {
    await set('spendingLimits', [limit({ name: 'Bar`</svg><img src=x>', money: 4 })]);
    await send();
    await services.spending.settled();
    const text = await report();
    assert.match(text, /## Spending Limits/);
    assert.match(text, /`Bar’<\/svg><img src=x>`.*\$1\.?0?0? of \$4\.?0?0? used \(25 %\)/);
    assert.match(text, /role="img" aria-label="25 % used"/);
    assert.deepEqual(limitBars([], undefined), []);
  });

  /** Sends a request whose reply does not arrive. Returns the function that stops it. */
  async function sendWithoutReply(): Promise<() => Promise<unknown>> {
    const client = await services.connection.getClient();
    const controller = new AbortController();
    isSilent = true;
    const request = { model, messages: [{ role: 'user' as const, content: 'Hi' }], max_tokens: 1_000 };
    const ended = client.chatCompletions(request, () => {}, { signal: controller.signal });
    while (sentChats() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return async () => {
      controller.abort();
      await ended;
    };
  }

  function report(): Promise<string> {
    return usageReport(
      {
        sumUsage: async (queries) => queries.map(() => []),
        videoUsage: () => [],
        limitUses: () => services.spending.uses(),
        limitProblem: () => services.spending.problem,
      },
      new Date(),
    );
  }

  /** Waits until the only limit fulfils a condition. */
  async function configured(fulfils: (entry: Record<string, unknown> | undefined) => boolean): Promise<void> {
    const read = () =>
      vscode.workspace.getConfiguration('modelGateway').get<Record<string, unknown>[]>('spendingLimits')?.[0];
    while (!fulfils(read())) await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
