import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import type { JsonObject } from '../../../src/base/json.ts';
import type { JsonSchema } from '../../../src/base/jsonSchema.ts';
import { withValue } from '../../../src/base/nestedValues.ts';
import {
  type Control,
  type Field,
  fieldsOf,
  membersOf,
  otherFields,
} from '../../../src/webview/form/fields.ts';
import { readTyped, typedFor } from '../../../src/webview/form/typed.ts';
import {
  groupProblem,
  otherValues,
  sendableValues,
  withOtherValues,
} from '../../../src/webview/form/values.ts';
import { type Problem, problemWords } from '../../../src/webview/words/problems.ts';
import { chatCompletionsRequest } from '../../../src/wire/apis/chatCompletions/request.ts';
import { contentGenerationRequest } from '../../../src/wire/apis/contentGeneration/request.ts';
import { messagesRequest } from '../../../src/wire/apis/messages/request.ts';
import { responsesRequest } from '../../../src/wire/apis/responses/request.ts';

const requests = {
  // A message has rules between its fields that JSON Schema cannot say; the chat fills it in, not the form.
  'chat completions': chatCompletionsRequest.omit({ messages: true }).partial(),
  'content generation': contentGenerationRequest.partial(),
  messages: messagesRequest.partial(),
  responses: responsesRequest.partial(),
};

function fieldsFor(request: z.ZodType): readonly Field[] {
  return fieldsOf(z.toJSONSchema(request, { io: 'input' }) as JsonSchema);
}

function words(problem: Problem | undefined): string {
  return problem ? problemWords(problem) : '';
}

/** Every box of a form: a field and a control of it that takes text. */
function boxes(fields: readonly Field[]): readonly (readonly [Field, Control])[] {
  return fields.flatMap((field) => [
    ...field.controls.filter(({ kind }) => kind !== 'group').map((control) => [field, control] as const),
    ...boxes(membersOf(field) ?? []),
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

/** What somebody may type into a control: mostly fitting, often not. */
function typing(control: Control): fc.Arbitrary<string> {
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

function edits(fields: readonly Field[]): fc.Arbitrary<readonly Edit[]> {
  const edit = fc
    .constantFrom(...boxes(fields))
    .chain(([field, control]) => typing(control).map((typed) => ({ field, control, typed })));
  return fc.array(edit, { maxLength: 30 });
}

function applied(edits: readonly Edit[], start: JsonObject = {}): JsonObject {
  return edits.reduce(
    (values, { field, control, typed }) =>
      withValue(values, field.path, readTyped(field, control, typed).value),
    start,
  );
}

describe('the values of a form', () => {
  for (const [name, request] of Object.entries(requests)) {
    const fields = fieldsFor(request);

    it(`whatever is typed, what is sent fits the schema of ${name}`, () => {
      fc.assert(
        fc.property(edits(fields), (all) => {
          const values = sendableValues(fields, applied(all));
          const { success, error } = request.safeParse(values);
          assert.ok(success, `${JSON.stringify(values)}: ${error?.message}`);
        }),
      );
    });

    it(`resetting every field of ${name} leaves nothing`, () => {
      fc.assert(
        fc.property(edits(fields), (all) => {
          const resets = all.map((edit) => ({ ...edit, typed: '' }));
          assert.deepEqual(applied(resets, applied(all)), {});
        }),
      );
    });

    it(`what is sent in ${name} comes back into the form and is sent again`, () => {
      fc.assert(
        fc.property(edits(fields), (all) => {
          const values = sendableValues(fields, applied(all));
          assert.deepEqual(sendableValues(fields, values), values);
        }),
      );
    });
  }

  const fields = fieldsFor(requests.messages);
  const thinking = fields.find(({ name }) => name === 'thinking');

  it('an object that is left empty goes, and what stands beside it stays', () => {
    const one = withValue({ top_k: 5 }, ['a', 'b', 'c'], 1);
    assert.deepEqual(one, { top_k: 5, a: { b: { c: 1 } } });
    assert.deepEqual(withValue(one, ['a', 'b', 'c'], undefined), { top_k: 5 });
    assert.deepEqual(withValue({ a: { x: 1, unknown: 2 } }, ['a', 'x'], undefined), { a: { unknown: 2 } });
  });

  it('an object is left out while a member it needs is missing, and says which', () => {
    const half = { top_k: 5, thinking: { budget_tokens: 2048 } };
    assert.deepEqual(sendableValues(fields, half), { top_k: 5 });
    assert.ok(thinking);
    assert.equal(words(groupProblem(thinking, half.thinking)), 'type is missing');
    const whole = withValue(half, ['thinking', 'type'], 'enabled');
    assert.deepEqual(sendableValues(fields, whole), whole);
    assert.equal(groupProblem(thinking, whole.thinking), undefined);
  });

  it('a field the schema does not know passes through, beside those it knows', () => {
    const values = { top_k: 5, vendor_mode: { fast: true } };
    assert.deepEqual(sendableValues(fields, values), values);
    assert.deepEqual(otherValues(fields, values), { vendor_mode: { fast: true } });
    assert.deepEqual(withOtherValues(fields, values, { other: 1 }), { top_k: 5, other: 1 });
    assert.deepEqual(withOtherValues(fields, values, undefined), { top_k: 5 });
  });

  it('a name that has a field of its own is refused among the others, with its place', () => {
    const other = otherFields({ properties: Object.fromEntries(fields.map(({ name }) => [name, {}])) });
    const read = (value: unknown) => {
      const control = other.controls[0];
      return readTyped(other, control, typedFor(control, value));
    };
    assert.deepEqual(read({ vendor_mode: 1 }), { value: { vendor_mode: 1 } });
    assert.equal(
      words(read({ x: 1, top_k: 5 }).problem),
      'line 3, column 12: a field of this name is in the form',
    );
    assert.match(words(read([1]).problem), /expected an object/);
  });

  it('an object that means something by being there may be empty', () => {
    const chat = fieldsFor(requests['chat completions']);
    assert.deepEqual(sendableValues(chat, { web_search_options: {} }), { web_search_options: {} });
  });
});
