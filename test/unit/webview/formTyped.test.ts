import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonSchema } from '../../../src/base/jsonSchema.ts';
import { fieldsOf } from '../../../src/webview/form/fields.ts';
import { JsonFault, placeOf, readJson } from '../../../src/webview/form/jsonText.ts';
import { controlFor, hintFor, readTyped, typedFor } from '../../../src/webview/form/typed.ts';
import { problemWords } from '../../../src/webview/words/problems.ts';

function fieldFor(schema: JsonSchema) {
  const [field] = fieldsOf({ properties: { field: schema } });
  if (!field) throw new Error('A schema without a field');
  return field;
}

/** What the simplest control of a schema makes of a text. */
function read(schema: JsonSchema, typed: string): { value?: unknown; problem?: string } {
  const field = fieldFor(schema);
  const { problem, ...reading } = readTyped(field, field.controls[0], typed);
  return problem ? { problem: problemWords(problem) } : reading;
}

const temperature: JsonSchema = { anyOf: [{ type: 'number', minimum: 0, maximum: 2 }, { type: 'null' }] };
const count: JsonSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const list: JsonSchema = { type: 'array', items: { type: 'string' } };
const stop: JsonSchema = { anyOf: [{ anyOf: [{ type: 'string' }, list] }, { type: 'null' }] };
const tools: JsonSchema = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

describe('what is typed into a field', () => {
  it('an empty box sets nothing', () => {
    for (const schema of [temperature, stop, list, tools]) assert.deepEqual(read(schema, ''), {});
    assert.deepEqual(read(tools, ' \n'), {});
    assert.deepEqual(read(list, '\n\n'), {});
  });

  it('a number within its range is set, any other says what is expected', () => {
    assert.deepEqual(read(temperature, '0.7'), { value: 0.7 });
    assert.deepEqual(read(temperature, '2'), { value: 2 });
    assert.deepEqual(read(temperature, '2.1'), { problem: 'expected a number from 0 to 2' });
    assert.deepEqual(read(temperature, 'warm'), { problem: 'expected a number from 0 to 2' });
    assert.deepEqual(read({ type: 'number', exclusiveMinimum: 0 }, '0'), {
      problem: 'expected a number above 0',
    });
    assert.deepEqual(read(count, '1.5'), { problem: 'expected a whole number of at least 1' });
    assert.deepEqual(read(count, '1e999'), { problem: 'expected a whole number of at least 1' });
  });

  it('the range stands under the box before anything is typed', () => {
    const hint = (schema: JsonSchema) => hintFor(fieldFor(schema), fieldFor(schema).controls[0]);
    assert.equal(hint(temperature), 'A number from 0 to 2');
    assert.equal(hint(count), 'A whole number of at least 1');
    assert.equal(hint(list), 'One per line');
    assert.equal(hint(tools), 'JSON: a list');
    assert.equal(hint({ type: 'string' }), '');
    assert.equal(hint({ type: 'number', exclusiveMinimum: 0, maximum: 1 }), 'A number of at most 1 above 0');
  });

  it('text is taken as it is, blanks included', () => {
    assert.deepEqual(read(stop, ' \n'), { value: ' \n' });
  });

  it('text of a form must have it', () => {
    const dated = { type: 'string', pattern: '^\\d{4}-\\d\\d$' };
    assert.deepEqual(read(dated, '2023-10'), { value: '2023-10' });
    assert.match(read(dated, 'October').problem ?? '', /of the form/);
  });

  it('a list has a text in each line', () => {
    assert.deepEqual(read(list, 'one\r\n\ntwo\n'), { value: ['one', 'two'] });
  });

  it('JSON that is none, or not what is expected, is told by line and column', () => {
    assert.deepEqual(read(tools, '[{"name": "a"}]'), { value: [{ name: 'a' }] });
    assert.equal(read(tools, '[\n  {"name" "a"}\n]').problem, 'line 2, column 11: expected a colon');
    assert.equal(read(tools, '[\n  {"name": 5}\n]').problem, 'line 2, column 12: expected text');
    assert.equal(read(tools, '[\n  {}\n]').problem, 'line 2, column 3: name is missing');
    assert.equal(read(tools, '{}').problem, 'line 1, column 1: expected a list');
    // Half a surrogate pair is a name that no address can hold.
    const texts = { type: 'object', additionalProperties: { type: 'string' } };
    assert.deepEqual(read(texts, String.raw`{"\ud800": "a"}`), { value: { '\ud800': 'a' } });
    assert.equal(read(texts, String.raw`{"\ud800": 1}`).problem, 'line 1, column 12: expected text');
  });

  it('a value is shown in the simplest control that does not change it', () => {
    const kind = (value: unknown) => controlFor(fieldFor(stop), value).kind;
    assert.equal(kind(undefined), 'text');
    assert.equal(kind('END'), 'text');
    assert.equal(kind(['a', 'b']), 'list');
    assert.equal(kind(['a\nb']), 'json');
    assert.equal(kind('a\r\nb'), 'json');
    assert.equal(kind(null), 'json');
    assert.equal(kind(5), 'json');
    assert.equal(controlFor(fieldFor(temperature), 'hot').kind, 'json');
  });

  it('an object with members the schema does not name is shown as JSON', () => {
    const field = fieldFor({ type: 'object', properties: { type: { type: 'string' } } });
    assert.equal(controlFor(field, { type: 'text' }).kind, 'group');
    assert.equal(controlFor(field, { type: 'json_schema', json_schema: {} }).kind, 'json');
  });

  it('what is shown reads back as the value, whatever the value', () => {
    const schemas = [temperature, count, stop, list, tools, {}];
    fc.assert(
      fc.property(fc.constantFrom(...schemas), fc.jsonValue({ maxDepth: 4 }), (schema, json) => {
        // As values arrive from the host: without negative zeros and the like.
        const value: unknown = JSON.parse(JSON.stringify(json));
        const field = fieldFor(schema);
        const control = controlFor(field, value);
        const reading = readTyped(field, control, typedFor(control, value));
        if (reading.problem === undefined) assert.deepEqual(reading.value, value);
      }),
    );
  });
});

describe('the JSON reader of the form', () => {
  const fault = (text: string) => {
    try {
      readJson(text);
    } catch (error) {
      if (error instanceof JsonFault)
        return problemWords({ kind: 'at', ...placeOf(text, error.offset), problem: error.problem });
      throw error;
    }
    return undefined;
  };

  it('reads what JSON.parse reads, to the same value', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        if (fault(text)?.includes('too large')) return;
        assert.deepEqual(readJson(text).value, JSON.parse(text));
      }),
    );
  });

  it('refuses whatever JSON.parse refuses', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      '1',
      '-',
      '01',
      '.5',
      'true',
      'nul',
      ' ',
      '\n',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces)).map((each) => each.join('')),
        (text) => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          if (!valid) assert.ok(fault(text), `${text} was read`);
        },
      ),
    );
  });

  it('says where and what', () => {
    assert.equal(fault('[1, 2,]'), 'line 1, column 7: expected a value');
    assert.equal(fault('{"a": 1\n"b": 2}'), 'line 2, column 1: expected a comma or }');
    assert.equal(fault("{'a': 1}"), 'line 1, column 2: expected a name in double quotes');
    assert.equal(fault('["a\n"]'), 'line 1, column 4: expected " before the line ends');
    assert.equal(fault('"abc'), 'line 1, column 5: expected " at the end');
    assert.equal(fault('"\\x"'), 'line 1, column 1: this text has a stray \\');
    assert.equal(fault('1 2'), 'line 1, column 3: unexpected text after the end');
    assert.equal(fault(''), 'line 1, column 1: expected a value');
  });

  it('refuses what would be lost in silence: a name twice, digits a number cannot hold', () => {
    assert.equal(fault('{"a": 1, "a": 2}'), 'line 1, column 10: the name a is used twice');
    assert.match(fault('12345678901234567890') ?? '', /^line 1, column 1: this number is too large/);
    assert.match(fault('[1e999]') ?? '', /^line 1, column 2: this number is too large/);
  });

  it('takes __proto__ for a name like any other, and does not go too deep', () => {
    const value = readJson('{"__proto__": {"polluted": true}}').value;
    assert.ok(Object.hasOwn(value as object, '__proto__'));
    assert.equal('polluted' in {}, false);
    assert.match(fault('['.repeat(100_000)) ?? '', /nested more than 100 deep/);
    const long = `"${'x'.repeat(5 * 1024 * 1024)}"`;
    assert.equal(fault(long), 'line 1, column 1: longer than 1,048,576 characters; shorten it');
  });
});
