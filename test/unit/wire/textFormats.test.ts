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
  it('begins with the one that every gateway speaks, and has every route once', () => {
    assert.equal(textFormats[0]?.id, defaultFormat);
    const routes = textFormats.flatMap((format) =>
      format.routes.map(({ method, path }) => `${method} ${path}`),
    );
    assert.deepEqual(routes, [...new Set(routes)]);
  });

  it('is what the setting offers', () => {
    const { contributes } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    const { properties } = contributes.configuration;
    const { format } = properties['modelGateway.models'].items.properties;
    assert.deepEqual(
      format.enum,
      textFormats.map(({ id }) => id),
      'modelGateway.models in package.json offers exactly the formats of src/wire/apis/textFormats.ts',
    );
  });

  it('has each format by its id', () => {
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
    it(`${format.id} belongs to the group of its name, and its request holds what it fills in by itself`, async () => {
      const { shape } = await format.requestSchema();
      assert.ok(format.routes.includes(format.route));
      assert.deepEqual([...new Set(format.routes.map(({ group }) => group))], [format.id]);
      for (const field of [...format.ownFields, ...Object.keys(format.defaults('m'))])
        assert.ok(field in shape, field);
    });

    it(`${format.id} brings a conversation there and back, and its request keeps to its schema`, async () => {
      const { body, omitted } = format.encode(conversation);
      const request = { ...format.defaults('m'), ...(!format.isModelInPath && { model: 'm' }), ...body };
      const schema = await format.requestSchema();
      assert.deepEqual(schema.safeParse(request).error?.issues ?? [], []);
      assert.deepEqual([conversationOf(format.id, request), omitted], [conversation, []]);
    });

    it(`${format.id} tells an error as a body and within a stream`, () => {
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
