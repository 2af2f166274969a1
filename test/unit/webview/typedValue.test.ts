import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonSchema } from '../../../src/base/jsonSchema.ts';
import { createFields } from '../../../src/webview/form/formFields.ts';
import { findLineAndColumn, JsonError, readJson } from '../../../src/webview/form/strictJson.ts';
import {
  chooseControl,
  describeValidInput,
  formatValue,
  readTypedText,
} from '../../../src/webview/form/typedValue.ts';
import { describeProblem } from '../../../src/webview/words/problemWords.ts';

function fieldFor(schema: JsonSchema) {
  const [field] = createFields({ properties: { field: schema } });
  if (!field) throw new Error('A schema without a field');
  return field;
}

/** The result of reading a text with the simplest control of a schema. */
function read(schema: JsonSchema, typed: string): { value?: unknown; problem?: string } {
  const field = fieldFor(schema);
  const { problem, ...reading } = readTypedText(field, field.controls[0], typed);
  return problem ? { problem: describeProblem(problem) } : reading;
}

const temperature: JsonSchema = { anyOf: [{ type: 'number', minimum: 0, maximum: 2 }, { type: 'null' }] };
const count: JsonSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const list: JsonSchema = { type: 'array', items: { type: 'string' } };
const stop: JsonSchema = { anyOf: [{ anyOf: [{ type: 'string' }, list] }, { type: 'null' }] };
const tools: JsonSchema = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

describe('text typed into a field', () => {
  it('does not set a value if it is empty', () => {
    for (const schema of [temperature, stop, list, tools]) assert.deepEqual(read(schema, ''), {});
    assert.deepEqual(read(tools, ' \n'), {});
    assert.deepEqual(read(list, '\n\n'), {});
  });

  it('sets a number within its range, or reports the expected range', () => {
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

  it('has a hint with the expected range or form', () => {
    const hint = (schema: JsonSchema) => describeValidInput(fieldFor(schema), fieldFor(schema).controls[0]);
    assert.equal(hint(temperature), 'A number from 0 to 2');
    assert.equal(hint(count), 'A whole number of at least 1');
    assert.equal(hint(list), 'One per line');
    assert.equal(hint(tools), 'JSON: a list');
    assert.equal(hint({ type: 'string' }), '');
    assert.equal(hint({ type: 'number', exclusiveMinimum: 0, maximum: 1 }), 'A number of at most 1 above 0');
  });

  it('is used unchanged, including blanks', () => {
    assert.deepEqual(read(stop, ' \n'), { value: ' \n' });
  });

  it('must match the pattern of its schema', () => {
    const dated = { type: 'string', pattern: '^\\d{4}-\\d\\d$' };
    assert.deepEqual(read(dated, '2023-10'), { value: '2023-10' });
    assert.match(read(dated, 'October').problem ?? '', /text matching/);
  });

  it('becomes a list of its lines, without empty ones', () => {
    assert.deepEqual(read(list, 'one\r\n\ntwo\n'), { value: ['one', 'two'] });
  });

  it('is rejected with line and column if it is invalid or unexpected JSON', () => {
    assert.deepEqual(read(tools, '[{"name": "a"}]'), { value: [{ name: 'a' }] });
    assert.equal(read(tools, '[\n  {"name" "a"}\n]').problem, 'line 2, column 11: expected a colon');
    assert.equal(read(tools, '[\n  {"name": 5}\n]').problem, 'line 2, column 12: expected text');
    assert.equal(read(tools, '[\n  {}\n]').problem, 'line 2, column 3: name is missing');
    assert.equal(read(tools, '{}').problem, 'line 1, column 1: expected a list');
    // Half a surrogate pair is a name that an address cannot contain.
    const texts = { type: 'object', additionalProperties: { type: 'string' } };
    assert.deepEqual(read(texts, String.raw`{"\ud800": "a"}`), { value: { '\ud800': 'a' } });
    assert.equal(read(texts, String.raw`{"\ud800": 1}`).problem, 'line 1, column 12: expected text');
  });

  it('is shown in the simplest control that does not change the value', () => {
    const kind = (value: unknown) => chooseControl(fieldFor(stop), value).kind;
    assert.equal(kind(undefined), 'text');
    assert.equal(kind('END'), 'text');
    assert.equal(kind(['a', 'b']), 'list');
    assert.equal(kind(['a\nb']), 'json');
    assert.equal(kind('a\r\nb'), 'json');
    assert.equal(kind(null), 'json');
    assert.equal(kind(5), 'json');
    assert.equal(kind([{ toString: 1 }]), 'json');
    assert.equal(kind([['a']]), 'json');
    assert.equal(chooseControl(fieldFor(temperature), 'hot').kind, 'json');
  });

  it('is JSON for an object with members that the schema does not name', () => {
    const field = fieldFor({ type: 'object', properties: { type: { type: 'string' } } });
    assert.equal(chooseControl(field, { type: 'text' }).kind, 'group');
    assert.equal(chooseControl(field, { type: 'json_schema', json_schema: {} }).kind, 'json');
  });

  it('reads back as the shown value, for any value', () => {
    const schemas = [temperature, count, stop, list, tools, {}];
    fc.assert(
      fc.property(fc.constantFrom(...schemas), fc.jsonValue({ maxDepth: 4 }), (schema, json) => {
        // Values as they arrive from the host: without negative zeros and similar values.
        const value: unknown = JSON.parse(JSON.stringify(json));
        const field = fieldFor(schema);
        const control = chooseControl(field, value);
        const reading = readTypedText(field, control, formatValue(control, value));
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
      if (error instanceof JsonError)
        return describeProblem({
          kind: 'at',
          ...findLineAndColumn(text, error.offset),
          problem: error.problem,
        });
      throw error;
    }
    return undefined;
  };

  it('reads the same values as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        if (fault(text)?.includes('too large')) return;
        assert.deepEqual(readJson(text).value, JSON.parse(text));
      }),
    );
  });

  it('rejects everything that JSON.parse rejects', () => {
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

  it('reports the position and the problem', () => {
    assert.equal(fault('[1, 2,]'), 'line 1, column 7: expected a value');
    assert.equal(fault('{"a": 1\n"b": 2}'), 'line 2, column 1: expected a comma or }');
    assert.equal(fault("{'a': 1}"), 'line 1, column 2: expected a name in double quotes');
    assert.equal(fault('["a\n"]'), 'line 1, column 4: expected " before the end of the line');
    assert.equal(fault('"abc'), 'line 1, column 5: expected " at the end');
    assert.equal(fault('"\\x"'), 'line 1, column 1: this text has a stray \\');
    assert.equal(fault('1 2'), 'line 1, column 3: unexpected text after the end');
    assert.equal(fault(''), 'line 1, column 1: expected a value');
  });

  it('rejects duplicate names and numbers with too many digits', () => {
    assert.equal(fault('{"a": 1, "a": 2}'), 'line 1, column 10: the name a is used twice');
    assert.match(fault('12345678901234567890') ?? '', /^line 1, column 1: this number is too large/);
    assert.match(fault('[1e999]') ?? '', /^line 1, column 2: this number is too large/);
  });

  it('reads __proto__ as a normal name, and limits depth and length', () => {
    const value = readJson('{"__proto__": {"polluted": true}}').value;
    assert.ok(Object.hasOwn(value as object, '__proto__'));
    assert.equal('polluted' in {}, false);
    assert.match(fault('['.repeat(100_000)) ?? '', /nested more than 100 levels deep/);
    const long = `"${'x'.repeat(5 * 1024 * 1024)}"`;
    assert.equal(fault(long), 'line 1, column 1: longer than 1,048,576 characters; shorten it');
  });
});
