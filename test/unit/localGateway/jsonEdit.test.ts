import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type EditedFields, editObject } from '../../../src/localGateway/json/jsonEdit.ts';
import { scanObject } from '../../../src/localGateway/json/jsonFields.ts';

const names = ['model', 'version', 'stream'] as const;

describe('fields of a JSON object in bytes', () => {
  function edited(text: string, values: EditedFields<(typeof names)[number]>): string {
    const bytes = Buffer.from(text);
    const scanned = scanObject(bytes, names);
    assert.ok(scanned);
    return Buffer.from(editObject(bytes, scanned.fields, values)).toString();
  }

  it('F60 are removed with their comma and no other byte', () => {
    const out = { model: undefined, version: undefined };
    for (const [before, after] of [
      ['{"model":"m"}', '{}'],
      ['{ "model" : "m" , "n":1e400}', '{  "n":1e400}'],
      ['{"n":1.0,\n"mod\\u0065l":{"a":[1,{}]}\n}', '{"n":1.0\n\n}'],
      ['{"model":1,"n":"model","version":2}', '{"n":"model"}'],
      ['{"version":1,"model":2 , "model":3}', '{ }'],
      ['{"n":{"model":1},"model":2, "version" :3 }', '{"n":{"model":1}  }'],
    ] as const) {
      assert.equal(edited(before, out), after);
    }
  });

  it('are written first if they are new or changed', () => {
    assert.equal(edited('{"n":1,"version":2}', { version: 'v' }), '{"version":"v","n":1}');
    assert.equal(edited('{"model":1}', { model: undefined, version: 'v' }), '{"version":"v"}');
    assert.equal(
      edited('\ufeff {  }', { version: 'v', stream: true }),
      '\ufeff {"version":"v","stream":true  }',
    );
    assert.equal(edited('{"n":1}', {}), '{"n":1}');
  });

  it('are edited with the same result as in a parsed object', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom(...names));
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.jsonValue()),
        fc.jsonValue(),
        fc.boolean(),
        (value, version, wide) => {
          const text = JSON.stringify(value, null, wide ? ' ' : undefined);
          const { model: _model, version: _version, ...rest } = JSON.parse(text);
          assert.deepEqual(JSON.parse(edited(text, { model: undefined, version })), {
            ...rest,
            version: JSON.parse(JSON.stringify(version)),
          });
        },
      ),
    );
  });
});
