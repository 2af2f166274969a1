import type { JsonObject } from '../../../src/base/json.ts';
import {
  ChatCompletionsDecoder,
  ChatCompletionsRecorder,
} from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { ContentGenerationDecoder } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { InteractionsDecoder, InteractionsRecorder } from '../../../src/wire/apis/interactions/readReply.ts';
import { MessagesDecoder, MessagesRecorder } from '../../../src/wire/apis/messages/readReply.ts';
import { decodeModelList } from '../../../src/wire/apis/models/modelList.ts';
import { ResponsesDecoder, ResponsesRecorder } from '../../../src/wire/apis/responses/readReply.ts';
import { decodeTaskList } from '../../../src/wire/apis/taskRecord/decodeTaskList.ts';
import { readErrorBody } from '../../../src/wire/failures/errorBody.ts';
import { readReplyFailure } from '../../../src/wire/failures/replyFailure.ts';
import { redact } from '../../../src/wire/secrets/redact.ts';
import type { FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { ReplyDecoder } from '../../../src/wire/stream/replyDecoder.ts';
import type { VerbatimRecorder } from '../../../src/wire/stream/verbatimRecorder.ts';
import { assertLinear } from '../../support/linearCost.ts';

type Body = (n: number) => string;

const readers = {
  chat: () => new ChatCompletionsDecoder(),
  contents: () => new ContentGenerationDecoder(),
  messages: () => new MessagesDecoder(),
  responses: () => new ResponsesDecoder(),
  interactions: () => new InteractionsDecoder(),
} satisfies Record<string, () => FormatDecoder>;

const repeat = (n: number, make: (nth: number) => string) =>
  Array.from({ length: n }, (_, nth) => make(nth)).join('');
const event = (payload: object) => `data: ${JSON.stringify(payload)}\n\n`;
const events =
  (make: (nth: number) => object): Body =>
  (n) =>
    repeat(n, (nth) => event(make(nth)));
const list = <Made>(n: number, make: (nth: number) => Made) =>
  Array.from({ length: n }, (_, nth) => make(nth));
const chunk = (delta: object, index = 0) => ({ id: 'c', choices: [{ index, delta, finish_reason: null }] });
const parts = (...items: readonly object[]) => createReply(items);
const createReply = (items: readonly object[]) => ({ candidates: [{ index: 0, content: { parts: items } }] });

/** Input that the framing of every format must handle. */
const framing: Record<string, Body> = {
  'stray values after comments': (n) => `:\n${'{}\n'.repeat(n)}`,
  'alternating stray values and comments': (n) => ':\n{}\n'.repeat(n),
  'stray lists': (n) => `:\n${'[]\n'.repeat(n)}`,
  'stray values after lone CRs': (n) => `:\r${'{}\r'.repeat(n)}`,
  'stray values after byte order marks': (n) => `:\n${'\uFEFF{}\n'.repeat(n)}`,
  'byte order marks in front of braces inside a line': (n) => `: ${'\uFEFF{'.repeat(n)}\n\n`,
  'stray values that are not JSON': (n) => `:\n${'{x}\n'.repeat(n)}`,
  'one stray value that never ends': (n) => `:\n{"a":"${'x'.repeat(n)}`,
  'tiny events': (n) => 'data: {}\n\n'.repeat(n),
  'events with one letter': (n) => 'data:1\n\n'.repeat(n),
  'empty events': (n) => 'data:\n\n'.repeat(n),
  'many data lines in one event': (n) => `data: {\n${'data: \n'.repeat(n)}data: }\n\n`,
  'many data lines that never end': (n) => 'data: 1\n'.repeat(n),
  'many comments': (n) => ':\n'.repeat(n),
  'one long comment': (n) => `:${'x'.repeat(10 * n)}\n\n`,
  'many unknown fields': (n) => `data: {}\n\n${'x: y\n'.repeat(n)}`,
  'many names and ids': (n) => 'event: a\nid: 1\nretry: 1\n'.repeat(n),
  'repeated field names in one line': (n) => `${'data: '.repeat(n)}{}\n\n`,
  'blank lines': (n) => `data: {}${'\n'.repeat(n)}`,
  'lone CRs': (n) => `data: {}${'\r'.repeat(n)}`,
  'an event of nested brackets': (n) => `data: ${'['.repeat(n)}${']'.repeat(n)}\n\n`,
  'an event of nested objects': (n) => `data: ${'{"a":'.repeat(n)}1${'}'.repeat(n)}\n\n`,
  'a document of nested objects': (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`,
  'an array of tiny elements': (n) => `[${'{},'.repeat(n)}{}]`,
  'an array with odd bytes in between': (n) => `[${'{} \n,;'.repeat(n)}]`,
  'an array of only odd bytes': (n) => `[{},${', '.repeat(n)}`,
  'an array of strings': (n) => `[${'"a",'.repeat(n)}"a"]`,
  'an array of nested arrays': (n) => `[${'['.repeat(n)}${']'.repeat(n)}]`,
  'an array whose element never ends': (n) => `[{"a":"${'\\"'.repeat(n)}`,
  'escapes in one event': (n) => event({ a: '\\"'.repeat(n) }),
  'words that are no stream': (n) => 'no stream\n'.repeat(n),
  'a web page of unfinished tags': (n) => '<title'.repeat(n),
};

const bodiesOf: Record<keyof typeof readers, Record<string, Body>> = {
  chat: {
    'texts of all lengths': events((nth) => chunk({ content: 'x'.repeat(nth % 50) })),
    'alternating reasoning and text': events((nth) =>
      chunk(nth % 2 ? { content: 'x' } : { reasoning_content: 'y' }),
    ),
    'white space before a tag': events(() => chunk({ content: ' \n' })),
    'tags in the code of reasoning between tags': events((nth) =>
      chunk({ content: nth === 0 ? '<think>' : '`<think></think>' }),
    ),
    'texts with escapes': events(() => chunk({ content: '\\"\n\\' })),
    'alternating choices': events((nth) => chunk({ content: 'x' }, nth % 1000)),
    'a new choice in each event': events((nth) => chunk({ content: 'x' }, nth)),
    'thousands of choices in one chunk': (n) =>
      event({ choices: list(n, (index) => ({ index, delta: { content: 'x' } })) }),
    citations: events((nth) =>
      chunk({ annotations: [{ url_citation: { url: `https://a.example/${nth}` } }] }),
    ),
    'citations of one chunk': (n) =>
      event(
        chunk({ annotations: list(n, (nth) => ({ url_citation: { url: `https://a.example/${nth}` } })) }),
      ),
    'fragments of one call': events(() =>
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'x' } }] }),
    ),
    'a new call in each event': events((nth) =>
      chunk({ tool_calls: [{ index: 0, id: `call_${nth}`, function: { name: 'f' } }] }),
    ),
    'calls in one chunk': (n) =>
      event(chunk({ tool_calls: list(n, (index) => ({ index, id: `c${index}` })) })),
    'parts of one content': (n) => event(chunk({ content: list(n, () => ({ type: 'text', text: 'x' })) })),
    'repeated ends': events(() => ({
      choices: [{ index: 0, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1 },
    })),
    'a text that repeats its own key': (n) => event(chunk({ content: '"content":"'.repeat(n) })),
    'alternating kinds of chunks': events((nth) =>
      chunk({ [`content${nth % 3 || ''}`]: 'x', role: 'assistant' }),
    ),
  },
  contents: {
    texts: events((nth) => parts({ text: 'x'.repeat(nth % 50) })),
    'alternating thoughts and texts': events((nth) =>
      parts({ text: 'x', ...(nth % 2 && { thought: true }) }),
    ),
    'counts in one event': (n) =>
      repeat(20, () =>
        event({
          ...parts({ text: 'x' }),
          usageMetadata: Object.fromEntries(list(n / 10, (nth) => [`count${nth}`, nth])),
        }),
      ),
    citations: events((nth) => ({
      candidates: [{ citationMetadata: { citations: [{ uri: `https://a.example/${nth}` }] } }],
    })),
    'repeated citations': (n) => {
      const citations = list(100, (nth) => ({ uri: `https://a.example/${nth}` }));
      return repeat(n / 100, () => event({ candidates: [{ citationMetadata: { citations } }] }));
    },
    'pieces of one call': events((nth) =>
      parts({
        functionCall: {
          ...(nth === 0 && { name: 'f' }),
          willContinue: true,
          partialArgs: [{ jsonPath: `$.a${nth % 100}`, stringValue: 'x' }],
        },
      }),
    ),
    'pieces of a list': events((nth) =>
      parts({
        functionCall: {
          ...(nth === 0 && { name: 'f' }),
          willContinue: true,
          partialArgs: [{ jsonPath: `$.a[${nth % 99_999}]`, numberValue: 1 }],
        },
      }),
    ),
    'backslashes in front of a quote': events(() => parts({ text: '\\\\\\\\"'.repeat(4) })),
    'backslashes in one text': (n) => event(parts({ text: 'x' })) + event(parts({ text: '\\'.repeat(n) })),
    'code with runs of backticks': (n) =>
      event(parts({ executableCode: { language: 'X', code: '` '.repeat(n) } })),
    'parts of one event': (n) => event(createReply(list(n, () => ({ text: 'x' })))),
  },
  messages: {
    'alternating texts and thinking': events((nth) => ({
      type: 'content_block_delta',
      index: 0,
      delta: nth % 2 ? { type: 'text_delta', text: 'x' } : { type: 'thinking_delta', thinking: 'y' },
    })),
    citations: events((nth) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'citations_delta', citation: { url: `https://a.example/${nth}` } },
    })),
    'a new call in each event': events((index) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `t${index}`, name: 'f', input: {} },
    })),
    'repeated ends': events((nth) => ({
      type: 'message_delta',
      delta: {},
      usage: { output_tokens: nth },
    })),
    'blocks of one message': (n) =>
      JSON.stringify({ type: 'message', content: list(n, () => ({ type: 'text', text: 'x' })) }),
  },
  responses: {
    'alternating texts and reasoning': events((nth) => ({
      type: nth % 2 ? 'response.output_text.delta' : 'response.reasoning_summary_text.delta',
      output_index: nth % 2,
      summary_index: nth,
      delta: 'x',
    })),
    citations: events((nth) => ({
      type: 'response.output_text.annotation.added',
      output_index: 0,
      annotation: { url: `https://a.example/${nth}` },
    })),
    'a new item in each event': events((nth) => ({
      type: 'response.output_text.delta',
      output_index: nth,
      delta: 'x',
    })),
    'new calls with one index': events((nth) => ({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'function_call', id: `f${nth}`, call_id: `c${nth}`, name: 'f' },
    })),
    'numbers with gaps': events((nth) => ({
      type: 'response.output_text.delta',
      sequence_number: nth * 4000,
      output_index: 0,
      delta: 'x',
    })),
    'items of one response': (n) =>
      JSON.stringify({
        object: 'response',
        output: list(n, () => ({ type: 'message', content: [{ type: 'output_text', text: 'x' }] })),
      }),
  },
  interactions: {
    'alternating steps': events((nth) => ({
      event_type: 'content.delta',
      index: nth % 2,
      delta: nth % 2 ? { type: 'text', text: 'x' } : { type: 'thought_summary', content: { text: 'y' } },
    })),
    citations: events((nth) => ({
      event_type: 'content.delta',
      index: 0,
      delta: { type: 'text_annotation', annotations: [{ url: `https://a.example/${nth}` }] },
    })),
    'a new call in each event': events((nth) => ({
      event_type: 'content.delta',
      index: 0,
      delta: { type: 'function_call', id: `c${nth}`, name: 'f', arguments: { a: nth } },
    })),
    'repeated updates': events(() => ({
      event_type: 'interaction.status_update',
      status: 'in_progress',
    })),
    'steps of one interaction': (n) =>
      JSON.stringify({
        object: 'interaction',
        status: 'completed',
        steps: list(n, () => ({ type: 'model_output', content: [{ type: 'text', text: 'x' }] })),
      }),
  },
};

const pieceLength = 1024;

function decodeAll(reader: FormatDecoder, bytes: Buffer, size: number): void {
  const decoder = new ReplyDecoder(reader);
  for (let at = 0; at < bytes.length; at += size) decoder.write(bytes.subarray(at, at + size));
  decoder.flush();
  decoder.conclude();
}

describe('P9 twice as much input costs at most 2.3 times as much', function () {
  this.timeout(30_000);

  for (const [contents, body] of Object.entries(framing)) {
    it(`with ${contents}`, () => {
      const prepare = (n: number) => Buffer.from(body(n));
      assertLinear(prepare, (bytes) => decodeAll(readers.chat(), bytes, bytes.length));
      assertLinear(prepare, (bytes) => decodeAll(readers.chat(), bytes, pieceLength));
    });
  }

  for (const [format, bodies] of Object.entries(bodiesOf) as [keyof typeof readers, Record<string, Body>][]) {
    for (const [contents, body] of Object.entries(bodies)) {
      it(`with ${contents} in ${format}`, () => {
        assertLinear(
          (n) => Buffer.from(body(n)),
          (bytes) => decodeAll(readers[format](), bytes, bytes.length),
        );
      });
    }
  }

  it('with a list of models', () => {
    assertLinear(
      (n) => ({ data: list(n, (nth) => ({ id: `vendor/model-${nth}`, owned_by: 'vendor' })) }),
      (reply) => void decodeModelList(reply),
    );
  });

  const errors: Record<string, Body> = {
    'unfinished tags': (n) => '<title'.repeat(n),
    'nested errors': (n) => '{"error":'.repeat(n) + '1'.padEnd(n + 1, '}'),
    'long words': (n) =>
      JSON.stringify({ error: { code: `aPerDay${'Pera'.repeat(n)}!`, type: 'a_'.repeat(n) } }),
    'many reasons': (n) =>
      JSON.stringify({ error: { details: list(n, () => ({ reason: 'PerDayPerDayPera.' })) } }),
    'phrases about models': (n) => JSON.stringify({ error: { message: 'model not '.repeat(n) } }),
    'Chinese phrases': (n) => JSON.stringify({ error: { message: '模型无权'.repeat(n) } }),
    'quotes after the word model': (n) => `model "${'a '.repeat(n)}`,
    'white space': (n) => `model${' '.repeat(n)}x`,
    'nested waits': (n) => JSON.stringify({ error: { message: `retry in ${'1m'.repeat(n)}!` } }),
    'repeated fields': (n) => JSON.stringify({ error: { message: `parameter '${'a.'.repeat(n)}` } }),
    'words about the context': (n) => JSON.stringify({ error: { message: 'context length '.repeat(n) } }),
  };
  for (const [contents, body] of Object.entries(errors)) {
    it(`with an error that contains ${contents}`, () => {
      const url = new URL('https://gateway.example/');
      assertLinear(body, (text) => {
        readErrorBody(text);
        readReplyFailure({
          status: 404,
          headers: {},
          body: text,
          group: 'chatCompletions',
          url,
          now: new Date(0),
        });
      });
    });
  }

  /** Payloads with content that the recorders of replies must store. */
  const texts: Record<
    string,
    readonly [create: () => VerbatimRecorder, payloads: (n: number) => readonly object[]]
  > = {
    'new details in each chunk of chat completions': [
      () => new ChatCompletionsRecorder(),
      (n) => list(n, (index) => chunk({ reasoning_details: [{ type: 'reasoning.text', index, text: 'x' }] })),
    ],
    'alternating kinds of content in chat completions': [
      () => new ChatCompletionsRecorder(),
      (n) => list(n, (nth) => chunk({ content: [{ type: nth % 2 ? 'text' : 'thinking', text: 'x' }] })),
    ],
    'alternating kinds of content in interactions': [
      () => new InteractionsRecorder(),
      (n) => [
        { event_type: 'step.start', index: 0, step: { type: 'model_output' } },
        ...list(n, (nth) => ({
          event_type: 'step.delta',
          index: 0,
          delta: { type: nth % 2 ? 'text' : 'image', text: 'x' },
        })),
      ],
    ],
    'citations of one block in messages': [
      () => new MessagesRecorder(),
      (n) => [
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'x' } },
        ...list(n, (nth) => ({
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'citations_delta', citation: { nth } },
        })),
      ],
    ],
    'calls in responses': [
      () => new ResponsesRecorder(),
      (n) =>
        list(n, (nth) => ({
          type: 'response.output_item.done',
          output_index: nth,
          item: { type: 'function_call', call_id: `c${nth}` },
        })),
    ],
  };
  for (const [contents, [create, payloads]] of Object.entries(texts)) {
    it(`with recorded ${contents}`, () => {
      assertLinear(
        (n) => ({ read: payloads(n) as readonly JsonObject[], ids: list(n, (nth) => `c${nth}`) }),
        ({ read, ids }) => {
          const recorder = create();
          for (const payload of read) recorder.read(payload);
          recorder.toVerbatim(ids);
        },
        2500,
      );
    });
  }

  const secret = 'canary-credential-8Qx2Lm5Vt0';
  const repeated: Record<string, Body> = {
    credentials: (n) => `${secret} `.repeat(n),
    'beginnings of credentials': (n) => `${secret.slice(0, -1)} `.repeat(n),
    'white space after a name': (n) => `bearer${' '.repeat(20 * n)};`,
    'escaped ampersands': (n) => `https://a.example/?${'u0026'.repeat(n)}`,
    'addresses without an end': (n) => 'https://a.example/'.repeat(n),
    'nested brackets': (n) => '[{"a":'.repeat(n),
  };
  for (const [contents, text] of Object.entries(repeated))
    it(`with redacted text that contains many ${contents}`, () =>
      assertLinear(text, (all) => redact(all, [secret]), 4000));

  it('with a Link header that contains many addresses', () => {
    const page = { data: [{ id: 'a', status: 'done' }] };
    assertLinear(
      (n) => '<a>; '.repeat(n),
      (link) => decodeTaskList(page, {}, { link }),
      2500,
    );
  });
});
