import assert from 'node:assert/strict';
import type { JsonSchema } from '../../../src/base/jsonSchema.ts';
import {
  convertEntry,
  createChoiceEntry,
  createEntry,
  createOtherEntry,
  findEntryProblem,
  readEntry,
  wouldHide,
} from '../../../src/webview/form/fieldEntry.ts';
import { type Control, createFields, type Field } from '../../../src/webview/form/formFields.ts';

function fieldFor(schema: JsonSchema): Field {
  const [field] = createFields({ properties: { field: schema } });
  assert.ok(field);
  return field;
}

function controlOf(field: Field, kind: Control['kind']): Control {
  const found = field.controls.find((control) => control.kind === kind);
  assert.ok(found, kind);
  return found;
}

const thinking = fieldFor({
  type: 'object',
  properties: { budget: { type: 'integer', minimum: 0 }, on: { type: 'boolean' } },
});
const group = controlOf(thinking, 'group');
const json = controlOf(thinking, 'json');
const seed = fieldFor({ type: 'integer', minimum: 1 });

describe('the text of a field', () => {
  it('has no value and reports a problem if the browser cannot read the number', () => {
    const entry = { ...createEntry(seed, 7), typed: '', isUnreadable: true };
    assert.equal(readEntry(seed, createEntry(seed, 7)).value, 7);
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
    assert.equal(wouldHide(group, thinking, createEntry(thinking, value), value), true);
    assert.equal(wouldHide(json, thinking, { control: group, typed: '' }, { budget: 3 }), false);
  });

  it('is one of the choices, or any other value in a separate control', () => {
    const size = fieldFor({ anyOf: [{ enum: ['480p', '720p'] }, { type: 'string' }] });
    const chosen = createChoiceEntry(size, '"720p"');
    assert.equal(chosen.control, size.controls[0]);
    assert.equal(readEntry(size, chosen).value, '720p');
    const other = createOtherEntry(size, '1080p');
    assert.equal(other.control, size.controls.at(-1));
    assert.equal(readEntry(size, other).value, '1080p');
  });
});
