import assert from 'node:assert/strict';
import { buildParameterSchema, filterParameters } from '../../../src/host/kit/pages/parameterSchema.ts';
import { textFormat, textFormats } from '../../../src/wire/apis/textFormats.ts';

describe('the parameters of an API format', () => {
  for (const format of textFormats) {
    it(`in ${format.id} have descriptions, and exclude fields of the conversation`, async () => {
      const { properties } = (await buildParameterSchema(format, (english) => english)) as {
        properties: Record<string, { description?: string }>;
      };
      const { shape } = await format.requestSchema();
      const others = Object.keys(shape).filter((name) => !format.ownFields.includes(name));
      assert.deepEqual(Object.keys(properties).toSorted(), others.toSorted());
      const common = Object.values(format.common).flatMap(({ paths }) => paths.map(([name]) => name));
      for (const [name, property] of Object.entries(properties).filter(([, property]) => property))
        assert.ok(property.description, `describe ${name} in src/wire/apis/${format.id}/request.ts`);
      for (const [name, property] of Object.entries(properties))
        assert.ok(property || common.includes(name), `${name} has its field elsewhere`);
      for (const own of ['model', 'messages', 'contents', 'input', 'stream'])
        assert.ok(
          !(own in properties),
          `add ${own} to the ownFields of src/wire/apis/${format.id}/format.ts`,
        );
    });
  }

  for (const format of textFormats) {
    it(`in ${format.id} have descriptions that are translated once, at any depth`, async () => {
      const descriptions = async (translated: (english: string) => string) => {
        const found: string[] = [];
        JSON.stringify(await buildParameterSchema(format, translated), (name, value: unknown) => {
          if (name === 'description' && typeof value === 'string') found.push(value);
          return value;
        });
        return found;
      };
      const english = await descriptions((text) => text);
      assert.deepEqual(
        await descriptions((text) => `«${text}»`),
        english.map((text) => `«${text}»`),
      );
    });
  }

  it('are sent if the schema accepts them or does not know them', async () => {
    const values = { temperature: 9, top_p: 0.5, model: 'another', vendor_field: { a: 1 } };
    const accepted = await filterParameters(textFormat('chatCompletions'), values);
    assert.deepEqual(accepted, { top_p: 0.5, vendor_field: { a: 1 } });
  });
});
