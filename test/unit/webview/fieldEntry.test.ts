import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonSchema } from '../../../src/base/jsonSchema.ts';
import {
  chooseControl,
  convertEntry,
  createChoiceEntry,
  createFieldEntry,
  createOtherEntry,
  describeValidInput,
  findEntryProblem,
  formatValue,
  readEntry,
  readTypedText,
  wouldHide,
} from '../../../src/webview/form/fieldEntry.ts';
import { type Control, createFields, type Field } from '../../../src/webview/form/formFields.ts';
import { describeProblem } from '../../../src/webview/words/problemWords.ts';

function createField(schema: JsonSchema): Field {
  const [field] = createFields({ properties: { field: schema } });
  assert.ok(field);
  return field;
}

function findControl(field: Field, kind: Control['kind']): Control {
  const found = field.controls.find((control) => control.kind === kind);
  assert.ok(found, kind);
  return found;
}

const thinking = createField({
  type: 'object',
  properties: { budget: { type: 'integer', minimum: 0 }, on: { type: 'boolean' } },
});
const group = findControl(thinking, 'group');
const json = findControl(thinking, 'json');
const seed = createField({ type: 'integer', minimum: 1 });

describe('the text of a field', () => {
  it('has no value and reports a problem if the browser cannot read the number', () => {
    const entry = { ...createFieldEntry(seed, 7), typed: '', isUnreadable: true };
    assert.equal(readEntry(seed, createFieldEntry(seed, 7)).value, 7);
    assert.equal(readEntry(seed, entry).value, undefined);
    assert.ok(findEntryProblem(seed, entry, undefined));
  });

  it('becomes JSON for a group, and is converted back to its members', () => {
    const value = { budget: 3 };
    const asJson = convertEntry(json, thinking, { control: group, typed: '' }, value);
    assert.deepEqual(JSON.parse(asJson.typed), value);
    assert.equal(wouldHide(group, thinking, asJson, value), false);
    assert.equal(convertEntry(group, thinking, asJson, value).control, group);
  });

  it('stays unchanged in a control that cannot show it as a value', () => {
    const broken = { control: json, typed: '{"budget":' };
    assert.equal(convertEntry(group, thinking, broken, undefined).typed, broken.typed);
  });

  it('is not replaced by a group control that would hide part of it', () => {
    assert.equal(wouldHide(group, thinking, { control: json, typed: '{' }, undefined), true);
    const value = { budget: 3, other: 'kept' };
    assert.equal(wouldHide(group, thinking, createFieldEntry(thinking, value), value), true);
    assert.equal(wouldHide(json, thinking, { control: group, typed: '' }, { budget: 3 }), false);
  });

  it('is one of the choices, or any other value in a separate control', () => {
    const size = createField({ anyOf: [{ enum: ['480p', '720p'] }, { type: 'string' }] });
    const chosen = createChoiceEntry(size, '"720p"');
    assert.equal(chosen.control, size.controls[0]);
    assert.equal(readEntry(size, chosen).value, '720p');
    const other = createOtherEntry(size, '1080p');
    assert.equal(other.control, size.controls.at(-1));
    assert.equal(readEntry(size, other).value, '1080p');
  });
});

/** The result of reading a text with the simplest control of a schema. */
function read(schema: JsonSchema, typed: string): { value?: unknown; problem?: string } {
  const field = createField(schema);
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
    const hint = (schema: JsonSchema) =>
      describeValidInput(createField(schema), createField(schema).controls[0]);
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
    const kind = (value: unknown) => chooseControl(createField(stop), value).kind;
    assert.equal(kind(undefined), 'text');
    assert.equal(kind('END'), 'text');
    assert.equal(kind(['a', 'b']), 'list');
    assert.equal(kind(['a\nb']), 'json');
    assert.equal(kind('a\r\nb'), 'json');
    assert.equal(kind(null), 'json');
    assert.equal(kind(5), 'json');
    assert.equal(kind([{ toString: 1 }]), 'json');
    assert.equal(kind([['a']]), 'json');
    assert.equal(chooseControl(createField(temperature), 'hot').kind, 'json');
  });

  it('is JSON for an object with members that the schema does not name', () => {
    const field = createField({ type: 'object', properties: { type: { type: 'string' } } });
    assert.equal(chooseControl(field, { type: 'text' }).kind, 'group');
    assert.equal(chooseControl(field, { type: 'json_schema', json_schema: {} }).kind, 'json');
  });

  it('reads back as the shown value, for any value', () => {
    const schemas = [temperature, count, stop, list, tools, {}];
    fc.assert(
      fc.property(fc.constantFrom(...schemas), fc.jsonValue({ maxDepth: 4 }), (schema, json) => {
        // Values as they arrive from the host: without negative zeros and similar values.
        const value: unknown = JSON.parse(JSON.stringify(json));
        const field = createField(schema);
        const control = chooseControl(field, value);
        const reading = readTypedText(field, control, formatValue(control, value));
        if (reading.problem === undefined) assert.deepEqual(reading.value, value);
      }),
    );
  });
});
