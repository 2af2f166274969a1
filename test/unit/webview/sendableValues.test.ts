import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import type { JsonObject } from '../../../src/base/json.ts';
import type { JsonSchema } from '../../../src/base/jsonSchema.ts';
import { withValue } from '../../../src/base/nestedValues.ts';
import { formatValue, readTypedText } from '../../../src/webview/form/fieldEntry.ts';
import {
  type Control,
  createFields,
  createOtherField,
  type Field,
  getGroupMembers,
} from '../../../src/webview/form/formFields.ts';
import {
  findGroupProblem,
  pickOtherValues,
  pickSendableValues,
  replaceOtherValues,
} from '../../../src/webview/form/sendableValues.ts';
import { describeProblem, type PageProblem } from '../../../src/webview/words/problemWords.ts';
import { chatCompletionsRequest } from '../../../src/wire/apis/chatCompletions/schema.ts';
import { contentGenerationRequest } from '../../../src/wire/apis/contentGeneration/schema.ts';
import { messagesRequest } from '../../../src/wire/apis/messages/schema.ts';
import { responsesRequest } from '../../../src/wire/apis/responses/schema.ts';

const requests = {
  // Messages have rules between fields that JSON Schema cannot express. The chat fills them in, not the form.
  'chat completions': chatCompletionsRequest.omit({ messages: true }).partial(),
  'content generation': contentGenerationRequest.partial(),
  messages: messagesRequest.partial(),
  responses: responsesRequest.partial(),
};

function createFieldsFor(request: z.ZodType): readonly Field[] {
  return createFields(z.toJSONSchema(request, { io: 'input' }) as JsonSchema);
}

function formatProblem(problem: PageProblem | undefined): string {
  return problem ? describeProblem(problem) : '';
}

/** Every control of a form that accepts text, with its field. */
function listControls(fields: readonly Field[]): readonly (readonly [Field, Control])[] {
  return fields.flatMap((field) => [
    ...field.controls.filter(({ kind }) => kind !== 'group').map((control) => [field, control] as const),
    ...listControls(getGroupMembers(field) ?? []),
  ]);
}

const json = fc.oneof(
  fc.json(),
  fc
    .dictionary(
      fc.constantFrom('type', 'name', 'role', 'parts', 'text', '__proto__', 'temperature'),
      fc.jsonValue(),
    )
    .map((value) => JSON.stringify(value)),
);

const oddCharacters = [
  'a',
  '7',
  '.',
  ' ',
  '\n',
  '\r',
  '"',
  '{',
  '\u0000',
  '\u00e9',
  '\ud83d\ude00',
  '\ud800',
];

/** Possible input for a control: mostly valid, often invalid. */
function arbitraryText(control: Control): fc.Arbitrary<string> {
  const anything = fc.oneof(fc.string({ unit: fc.constantFrom(...oddCharacters) }), json);
  switch (control.kind) {
    case 'number':
      return fc.oneof(fc.integer({ min: -3, max: 3000 }).map(String), fc.double().map(String), anything);
    case 'choice':
      return fc.oneof(
        fc.constantFrom(...control.options.map(({ value }) => JSON.stringify(value))),
        anything,
      );
    case 'list':
      return fc.oneof(
        fc.array(fc.string()).map((lines) => lines.join('\n')),
        anything,
      );
    default:
      return anything;
  }
}

interface Edit {
  readonly field: Field;
  readonly control: Control;
  readonly typed: string;
}

function arbitraryEdits(fields: readonly Field[]): fc.Arbitrary<readonly Edit[]> {
  const edit = fc
    .constantFrom(...listControls(fields))
    .chain(([field, control]) => arbitraryText(control).map((typed) => ({ field, control, typed })));
  return fc.array(edit, { maxLength: 30 });
}

function applyEdits(all: readonly Edit[], start: JsonObject = {}): JsonObject {
  return all.reduce(
    (values, { field, control, typed }) =>
      withValue(values, field.path, readTypedText(field, control, typed).value),
    start,
  );
}

describe('the values of a form', () => {
  for (const [name, request] of Object.entries(requests)) {
    const fields = createFieldsFor(request);

    it(`match the schema of ${name} when they are sent, for any input`, () => {
      fc.assert(
        fc.property(arbitraryEdits(fields), (all) => {
          const values = pickSendableValues(fields, applyEdits(all));
          const { success, error } = request.safeParse(values);
          assert.ok(success, `${JSON.stringify(values)}: ${error?.message}`);
        }),
      );
    });

    it(`are empty after every field of ${name} is reset`, () => {
      fc.assert(
        fc.property(arbitraryEdits(fields), (all) => {
          const resets = all.map((edit) => ({ ...edit, typed: '' }));
          assert.deepEqual(applyEdits(resets, applyEdits(all)), {});
        }),
      );
    });

    it(`are the same when they are read back and sent again in ${name}`, () => {
      fc.assert(
        fc.property(arbitraryEdits(fields), (all) => {
          const values = pickSendableValues(fields, applyEdits(all));
          assert.deepEqual(pickSendableValues(fields, values), values);
        }),
      );
    });
  }

  const fields = createFieldsFor(requests.messages);
  const thinking = fields.find(({ name }) => name === 'thinking');

  it('omit an object that becomes empty, and keep other members', () => {
    const one = withValue({ top_k: 5 }, ['a', 'b', 'c'], 1);
    assert.deepEqual(one, { top_k: 5, a: { b: { c: 1 } } });
    assert.deepEqual(withValue(one, ['a', 'b', 'c'], undefined), { top_k: 5 });
    assert.deepEqual(withValue({ a: { x: 1, unknown: 2 } }, ['a', 'x'], undefined), { a: { unknown: 2 } });
  });

  it('omit an object while a required member is missing, and report the member', () => {
    const half = { top_k: 5, thinking: { budget_tokens: 2048 } };
    assert.deepEqual(pickSendableValues(fields, half), { top_k: 5 });
    assert.ok(thinking);
    assert.equal(formatProblem(findGroupProblem(thinking, half.thinking)), 'type is missing');
    const complete = withValue(half, ['thinking', 'type'], 'enabled');
    assert.deepEqual(pickSendableValues(fields, complete), complete);
    assert.equal(findGroupProblem(thinking, complete.thinking), undefined);
  });

  it('include fields that the schema does not know', () => {
    const values = { top_k: 5, vendor_mode: { fast: true } };
    assert.deepEqual(pickSendableValues(fields, values), values);
    assert.deepEqual(pickOtherValues(fields, values), { vendor_mode: { fast: true } });
    assert.deepEqual(replaceOtherValues(fields, values, { other: 1 }), { top_k: 5, other: 1 });
    assert.deepEqual(replaceOtherValues(fields, values, undefined), { top_k: 5 });
  });

  it('reject a known field name among the other fields, with its position', () => {
    const other = createOtherField({ properties: Object.fromEntries(fields.map(({ name }) => [name, {}])) });
    const read = (value: unknown) => {
      const control = other.controls[0];
      return readTypedText(other, control, formatValue(control, value));
    };
    assert.deepEqual(read({ vendor_mode: 1 }), { value: { vendor_mode: 1 } });
    assert.equal(
      formatProblem(read({ x: 1, top_k: 5 }).problem),
      'line 3, column 12: the form already has a field with this name',
    );
    assert.match(formatProblem(read([1]).problem), /expected an object/);
  });

  it('may include an empty object that has a meaning', () => {
    const chat = createFieldsFor(requests['chat completions']);
    assert.deepEqual(pickSendableValues(chat, { web_search_options: {} }), { web_search_options: {} });
  });
});
