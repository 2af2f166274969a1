import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { checkReply } from '../../../../src/conversations/schemaCheck/checkReply.ts';
import { findRange, findSchemaProblem } from '../../../../src/conversations/schemaCheck/readSchema.ts';
import { ReplyChecker } from '../../../../src/conversations/schemaCheck/replyChecker.ts';

const program = fileURLToPath(new URL('../../../../src/conversations/schemaCheck/main.ts', import.meta.url));

const order = {
  type: 'object',
  properties: {
    items: { type: 'array', items: { $ref: '#/$defs/item' } },
    state: { enum: ['open', 'closed'] },
    note: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
  },
  required: ['items', 'state'],
  additionalProperties: false,
  $defs: {
    item: { type: 'object', properties: { price: { type: 'number', minimum: 0 } }, required: ['price'] },
  },
};

function faults(value: unknown, schema: object = order): readonly string[] {
  const checked = checkReply(JSON.stringify(value), schema);
  assert.ok(checked.kind === 'differs', checked.kind);
  return checked.faults.map(({ path, keyword, expected }) =>
    `${path.join('.')} ${keyword} ${JSON.stringify(expected) ?? ''}`.trim(),
  );
}

describe('a reply and its schema', () => {
  it('match, even if the reply is a code block', () => {
    const text = JSON.stringify({ items: [{ price: 1.5 }], state: 'open', note: null });
    assert.deepEqual(checkReply(text, order), { kind: 'matches', isFenced: false });
    assert.deepEqual(checkReply(`\n\`\`\`json\n${text}\n\`\`\`\n`, order), {
      kind: 'matches',
      isFenced: true,
    });
  });

  it('differ at the reported paths, with the rule of the schema, and not at the parents of these paths', () => {
    const value = {
      items: [{ price: 1 }, { price: '2' }, {}, { price: -1 }],
      state: 'new',
      note: 7,
      more: 1,
    };
    assert.deepEqual(faults(value), [
      'items.1.price type "number"',
      'items.2.price missing',
      'items.3.price minimum 0',
      'state enum ["open","closed"]',
      'note anyOf [{"type":"string","maxLength":5},{"type":"null"}]',
      'more false',
    ]);
    assert.deepEqual(faults({}), ['items missing', 'state missing']);
    assert.deepEqual(faults([]), ['type "object"']);
  });

  it('can differ at property names with any characters', () => {
    const schema = { properties: { 'a/b~c %20': { properties: { constructor: { type: 'string' } } } } };
    assert.deepEqual(faults({ 'a/b~c %20': { constructor: 1 } }, schema), [
      'a/b~c %20.constructor type "string"',
    ]);
  });

  it('have the number of all faults and the first hundred of them as the result', () => {
    const many = { items: Array.from({ length: 150 }, () => ({})), state: 'open' };
    const checked = checkReply(JSON.stringify(many), order);
    assert.ok(checked.kind === 'differs');
    assert.deepEqual([checked.count, checked.faults.length], [150, 100]);
  });

  it('are not compared if the reply is not JSON or is too long', () => {
    const broken = checkReply('Sure! {"items": []}', order);
    assert.equal(broken.kind, 'not-json');
    assert.equal(checkReply(' '.repeat(1024 * 1024 + 1), order).kind, 'too-long');
  });

  it('are reported as too-much for a circular schema, and as bad-schema for an invalid one', () => {
    assert.equal(checkReply('1', { $ref: '#' }).kind, 'too-much');
    assert.equal(checkReply('1', { $ref: '#/nowhere' }).kind, 'bad-schema');
    assert.equal(checkReply('"x"', { pattern: '(' }).kind, 'bad-schema');
  });

  it('are compared without an exception for any content', () => {
    const schemas = fc.object({
      key: fc.constantFrom('type', 'properties', 'items', 'anyOf', 'required', 'a', '$ref'),
    });
    fc.assert(
      fc.property(fc.jsonValue(), schemas, (value, schema) => {
        checkReply(JSON.stringify(value), JSON.parse(JSON.stringify(schema)));
      }),
    );
  });
});

describe('the text of a schema', () => {
  it('is checked for its first problem, with the line', () => {
    const of = (schema: object) => findSchemaProblem(JSON.stringify(schema, null, 2));
    assert.equal(findSchemaProblem(JSON.stringify(order)), undefined);
    assert.deepEqual(of({ properties: { a: { type: 'strng' } } }), {
      kind: 'type',
      value: 'strng',
      line: 4,
    });
    assert.deepEqual(of({ type: ['string', JSON.parse('{"toString":1}')] }), {
      kind: 'type',
      value: '{"toString":1}',
      line: 2,
    });
    assert.deepEqual(of({ items: { pattern: '(' } }), { kind: 'pattern', value: '(', line: 3 });
    assert.deepEqual(of({ $ref: '#/$defs/a' }), { kind: 'reference', value: '#/$defs/a', line: 2 });
    assert.deepEqual(of({ $ref: 'https://a.example/b' }), {
      kind: 'reference',
      value: 'https://a.example/b',
      line: 2,
    });
    assert.deepEqual(of({ anyOf: [{ type: 'string' }, 7] }), { kind: 'not-a-schema', value: '1', line: 6 });
    assert.equal(findSchemaProblem('{"a": ')?.kind, 'not-json');
    for (const other of ['[]', '7', 'null']) assert.equal(findSchemaProblem(other)?.kind, 'not-an-object');
    const many = Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`p${at}`, true]));
    assert.deepEqual(findSchemaProblem(JSON.stringify({ properties: many })), { kind: 'too-many' });
  });

  it('may refer to itself for parts of a value, but not for the same value', () => {
    const tree = { type: 'object', properties: { children: { items: { $ref: '#' } } } };
    assert.equal(findSchemaProblem(JSON.stringify(tree)), undefined);
    const circles = [
      { $ref: '#' },
      { $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/a' }] } } },
      { items: { not: { $ref: '#/items' } } },
    ];
    for (const schema of circles) assert.equal(findSchemaProblem(JSON.stringify(schema))?.kind, 'circle');
    assert.equal(findSchemaProblem(JSON.stringify({ $defs: { tree }, $ref: '#/$defs/tree' })), undefined);
  });

  it('is reported as too-deep or too-many if it is huge', () => {
    const properties = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, {}]));
    assert.deepEqual(findSchemaProblem(JSON.stringify({ properties })), { kind: 'too-many' });
    for (const [open, close] of [
      ['{"items":', '}'],
      ['{"x":', '}'],
      ['[', ']'],
    ] as const) {
      const deep = `${open.repeat(50_000)}{}${close.repeat(50_000)}`;
      assert.deepEqual(findSchemaProblem(`{"default":${deep}}`), { kind: 'too-deep' });
    }
    const brackets = JSON.stringify({ description: '{[\\"'.repeat(1000) });
    assert.equal(findSchemaProblem(brackets), undefined);
  });

  it('has each value at the offsets that are found for its path', () => {
    const text = '{\n  "items": [{"price": "x"}, {}]\n}';
    const at = (path: readonly (string | number)[]) => {
      const { start, end } = findRange(text, path) ?? assert.fail();
      return text.slice(start, end);
    };
    assert.equal(at(['items', 0, 'price']), '"x"');
    assert.equal(at(['items', 1, 'price']), '{}');
    assert.equal(at([]), text);
  });
});

describe('the thread that checks replies', () => {
  let checker: ReplyChecker;

  before(() => {
    checker = new ReplyChecker(program, { quickMs: 300, slowMs: 900 });
  });

  after(() => checker.close());

  it('checks one reply after another, and continues after a check that would never end', async () => {
    const endless = { pattern: '^(a+)+$' };
    const replies = await Promise.all([
      checker.check('1', { type: 'number' }),
      checker.check(JSON.stringify(`${'a'.repeat(60)}!`), endless),
      checker.check('1', { type: 'string' }),
    ]);
    assert.deepEqual(
      replies.map(({ kind }) => kind),
      ['matches', 'too-much', 'differs'],
    );
  });

  it('does not delay other checks for a slow schema, and runs the last request first', async () => {
    const endless = { pattern: '^(b+)+$', title: 'never ends' };
    const text = JSON.stringify(`${'b'.repeat(60)}!`);
    const received: string[] = [];
    const check = async (name: string, text: string, schema: object) => {
      const { kind } = await checker.check(text, schema);
      received.push(`${name} ${kind}`);
    };
    const slow = Array.from({ length: 4 }, () => check('slow', text, { ...endless }));
    await Promise.all([...slow, check('first', '1', {}), check('last', '1', {})]);
    const slowResults = Array.from({ length: 4 }, () => 'slow too-much');
    assert.deepEqual(received, ['last matches', 'first matches', ...slowResults]);
    const later = Promise.all([check('slow', text, endless), check('quick', '1', {})]);
    await later;
    assert.deepEqual(received.slice(-2), ['quick matches', 'slow too-much']);
  });

  it('survives a schema that grows without limit', async () => {
    const grow = { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] };
    const $defs: Record<string, object> = { z: { type: 'string' } };
    const names = [...'abcdefghijklmnopqrstuvwxy'];
    for (const [at, name] of names.entries()) {
      const next = { $ref: `#/$defs/${names[at + 1] ?? 'z'}` };
      $defs[name] = { allOf: [next, next, next] };
    }
    assert.equal((await checker.check('1', { ...grow, $defs })).kind, 'too-much');
    assert.equal((await checker.check('1', {})).kind, 'matches');
  });

  it('finds the problem of a schema, and the position of a value in a code block', async () => {
    assert.equal((await checker.findSchemaProblem('{'))?.kind, 'not-json');
    assert.equal(await checker.findSchemaProblem('{}'), undefined);
    const text = '```json\n{"a": 1}\n```';
    const found = (await checker.locate(text, ['a'])) ?? assert.fail();
    assert.equal(text.slice(found.start, found.end), '1');
  });
});
