import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { root } from '../../../scripts/root.mjs';
import { defaultFormat, textFormatId, textFormats } from '../../../src/wire/apis/textFormats.ts';
import type { Message } from '../../../src/wire/message.ts';
import { conversationOf } from './conversations.ts';

const conversation: readonly Message[] = [
  { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
  { role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
  { role: 'user', parts: [{ type: 'text', text: 'Bye' }] },
];

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
    assert.deepEqual(ids.map(textFormatId), ids);
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
      assert.equal(textFormatId(unknown), undefined);
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
      assert.deepEqual([conversationOf(format.id, request), omitted], [conversation, []]);
    });

    it(`contains ${format.id}, which writes an error as a body and as a stream event`, () => {
      const error = {
        status: 404,
        message: 'No such model',
        type: 'invalid_request_error',
        code: 'model_not_found',
      };
      for (const told of [format.error.body(error, 'r'), format.error.event?.(error, 'r').data])
        if (told) assert.match(JSON.stringify(told), /No such model/);
    });
  }
});
