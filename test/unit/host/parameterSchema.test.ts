import assert from 'node:assert/strict';
import { textStyles } from '../../../src/client/textStyles.ts';
import { acceptedParameters, parameterSchema } from '../../../src/host/pages/parameterSchema.ts';

describe('the parameters of a style', () => {
  for (const style of textStyles) {
    it(`${style}: every one has a description, and none is a part of the conversation`, () => {
      const { properties } = parameterSchema(style) as {
        properties: Record<string, { description?: string }>;
      };
      assert.ok(Object.keys(properties).length > 3);
      for (const [name, property] of Object.entries(properties)) assert.ok(property.description, name);
      for (const own of ['model', 'messages', 'contents', 'input', 'stream'])
        assert.ok(!(own in properties), own);
    });
  }

  it('only what the schema accepts is sent, with fields it does not know', () => {
    const values = { temperature: 9, top_p: 0.5, model: 'another', vendor_field: { a: 1 } };
    assert.deepEqual(acceptedParameters('chat-completions', values), { top_p: 0.5, vendor_field: { a: 1 } });
  });
});
