import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { root } from '../../../scripts/root.mjs';
import {
  defaultFormat,
  readTextFormatId,
  type TextFormatId,
  textFormats,
} from '../../../src/wire/apis/textFormats.ts';
import type { Message } from '../../../src/wire/message.ts';
import { RecordingDecoder } from '../../../src/wire/stream/verbatimRecorder.ts';
import { decodeConversation } from './conversations.ts';
import { decodeWith } from './streamFixtures.ts';

const conversation: readonly Message[] = [
  { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
  { role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
  { role: 'user', parts: [{ type: 'text', text: 'Bye' }] },
];

/** Streams with the text "Hi", and with `value` where the format has a text or any value. */
const streams: { readonly [Format in TextFormatId]: (value: string) => readonly string[] } = {
  chatCompletions: (value) => [
    `{"choices":[{"index":0,"delta":{"content":"Hi","reasoning_details":[{"text":${value}},{"text":${value}}]}}]}`,
  ],
  messages: (value) => [
    `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi","a":${value}}}`,
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${value}}}`,
    `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":${value}}}`,
  ],
  responses: (value) => [
    '{"type":"response.output_text.delta","delta":"Hi"}',
    `{"type":"response.output_item.done","output_index":0,"item":{"type":"message","a":${value}}}`,
  ],
  contentGeneration: (value) => [
    `{"candidates":[{"content":{"parts":[{"text":"Hi"},{"text":${value}},{"text":${value}}]}}]}`,
    `{"usageMetadata":{"promptTokensDetails":[{"modality":${value},"tokenCount":1}]}}`,
  ],
  interactions: (value) => [
    '{"event_type":"step.start","index":0,"step":{"type":"model_output"}}',
    '{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Hi"}}',
    `{"event_type":"step.delta","index":0,"delta":{"type":"text","text":${value}}}`,
    `{"event_type":"step.start","index":1,"step":{"type":"function_call","arguments":${value}}}`,
    `{"event_type":"interaction.completed","interaction":{"status":"completed","usage":{"input_tokens_by_modality":[{"modality":${value},"tokens":1}]}}}`,
  ],
};

describe('the list of text formats', () => {
  it('starts with the default format, and contains every route once', () => {
    assert.equal(textFormats[0]?.id, defaultFormat);
    const routes = textFormats.flatMap((format) =>
      format.routes.map(({ method, path }) => `${method} ${path}`),
    );
    assert.deepEqual(routes, [...new Set(routes)]);
  });

  it('is the same as in the setting', () => {
    const { contributes } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    const { properties } = contributes.configuration;
    const { format } = properties['modelGateway.models'].items.properties;
    assert.deepEqual(
      format.enum,
      textFormats.map(({ id }) => id),
      'modelGateway.models in package.json offers exactly the formats of src/wire/apis/textFormats.ts',
    );
  });

  it('finds each format by its id, and rejects other ids', () => {
    const ids = textFormats.map(({ id }) => id);
    assert.deepEqual(ids.map(readTextFormatId), ids);
    for (const unknown of [
      '',
      'chat',
      'ChatCompletions',
      'chat-completions',
      'constructor',
      undefined,
      null,
      7,
      {},
    ])
      assert.equal(readTextFormatId(unknown), undefined);
  });

  for (const format of textFormats) {
    it(`contains ${format.id}, whose routes are in its group and whose request has its own fields`, async () => {
      const { shape } = await format.requestSchema();
      assert.ok(format.routes.includes(format.route));
      assert.deepEqual([...new Set(format.routes.map(({ group }) => group))], [format.id]);
      for (const field of [...format.ownFields, ...Object.keys(format.defaults('m'))])
        assert.ok(field in shape, field);
    });

    it(`contains ${format.id}, which encodes a conversation that reads back unchanged and matches its schema`, async () => {
      const { body, omitted } = format.encode(conversation);
      const request = { ...format.defaults('m'), ...(!format.isModelInPath && { model: 'm' }), ...body };
      const schema = await format.requestSchema();
      assert.deepEqual(schema.safeParse(request).error?.issues ?? [], []);
      assert.deepEqual([decodeConversation(format.id, request), omitted], [conversation, []]);
    });

    it(`contains ${format.id}, which reads a reply with values that have no text form`, () => {
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      for (const value of ['{"toString":1}', '[{"toString":1}]', deep]) {
        const bytes = Buffer.from(
          streams[format.id](value)
            .map((json) => `data: ${json}\n\n`)
            .join(''),
        );
        const decoder = new RecordingDecoder(format.createDecoder(), format.createRecorder());
        const texts = decodeWith(decoder, bytes).events.map((event) => event.type === 'text' && event.text);
        assert.ok(texts.includes('Hi'));
        assert.equal(JSON.stringify(decoder.toVerbatim(['a']) ?? '').includes('[['), false);
      }
    });

    it(`contains ${format.id}, which writes an error as a body and as a stream event`, () => {
      const error = {
        status: 404,
        message: 'No such model',
        type: 'invalid_request_error',
        code: 'model_not_found',
      };
      for (const data of [format.error.body(error, 'r'), format.error.event?.(error, 'r').data])
        if (data) assert.match(JSON.stringify(data), /No such model/);
    });
  }
});
