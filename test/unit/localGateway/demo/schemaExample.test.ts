import assert from 'node:assert/strict';
import * as z from 'zod';
import { createExample } from '../../../../src/localGateway/demo/schemaExample.ts';

describe('an example value for a schema', () => {
  const schemas: Readonly<Record<string, z.ZodType>> = {
    object: z.object({ city: z.string(), unit: z.enum(['C', 'F']), days: z.int().optional() }),
    limits: z.object({
      a: z.number().min(3),
      b: z.int().max(-2),
      c: z.number().gt(0).lt(1),
      d: z.int().multipleOf(5),
      e: z.string().min(12),
      f: z.string().max(2),
    }),
    lists: z.object({ a: z.array(z.string()).min(2), b: z.tuple([z.string(), z.number()]) }),
    choice: z.object({ a: z.union([z.null(), z.boolean()]), b: z.literal('x'), c: z.string().nullable() }),
    both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
    formats: z.object({ a: z.email(), b: z.url(), c: z.iso.date(), d: z.iso.datetime(), e: z.uuid() }),
    map: z.object({ a: z.record(z.string(), z.number()), b: z.unknown().nullable() }),
    defaults: z.object({ a: z.string().default('given') }),
    nested: z.object({ a: z.object({ b: z.object({ c: z.array(z.object({ d: z.boolean() })) }) }) }),
  };
  for (const [name, schema] of Object.entries(schemas)) {
    it(`matches the schema: ${name}`, () => {
      assert.doesNotThrow(() => schema.parse(createExample(z.toJSONSchema(schema), 'demo')));
    });
  }

  it('is generated from types in capitals, references and type lists', () => {
    const node = {
      type: 'OBJECT',
      properties: {
        name: { type: 'STRING' },
        size: { type: ['null', 'INTEGER'] },
        next: { $ref: '#/$defs/b~1c' },
      },
    };
    const example = createExample({ ...node, $defs: { 'b/c': { enum: ['first', 'second'] } } }, 'word');
    assert.deepEqual(example, { name: 'word', size: 1, next: 'first' });
  });

  it('follows references to references, and references in allOf', () => {
    const $defs = {
      named: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      alias: { $ref: '#/$defs/named' },
      sized: {
        allOf: [{ $ref: '#/$defs/alias' }, { properties: { size: { type: 'integer' } }, required: ['size'] }],
      },
      loop: { $ref: '#/$defs/loop' },
    };
    const example = (reference: string) => createExample({ $ref: `#/$defs/${reference}`, $defs }, 'word');
    assert.deepEqual(example('alias'), { name: 'word' });
    assert.deepEqual(example('sized'), { name: 'word', size: 1 });
    assert.equal(example('loop'), null);
  });

  it('is bounded for recursive, huge and invalid schemas', () => {
    const self = { type: 'object', properties: { a: { $ref: '#' }, b: { $ref: '#' }, c: { $ref: '#' } } };
    assert.ok(JSON.stringify(createExample(self, 'x')).length < 100_000);
    const wide = { type: 'array', items: { type: 'array', items: self, minItems: 1e9 }, minItems: 1e9 };
    assert.ok(JSON.stringify(createExample(wide, 'x')).length < 1_000_000);
    for (const schema of [
      undefined,
      null,
      7,
      'x',
      [],
      { type: 7 },
      { $ref: 'elsewhere' },
      { allOf: [1] },
      { allOf: [{ $ref: '#' }] },
    ])
      assert.doesNotThrow(() => createExample(schema, 'x'));
    const many = { allOf: Array.from({ length: 20 }, () => ({ $ref: '#/$defs/many' })) };
    assert.doesNotThrow(() => createExample({ ...many, $defs: { many } }, 'x'));
    assert.ok(String(createExample({ type: 'string', minLength: 1e9 }, 'x')).length <= 1_000);
    const hostileSchema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    assert.deepEqual(Object.keys(createExample(hostileSchema, 'x') as object), ['__proto__']);
  });
});
