import assert from 'node:assert/strict';
import type { GenerateField } from '../../../src/protocol/generatePage.ts';
import { chooseControl, formatValue, readTypedText } from '../../../src/webview/form/fieldEntry.ts';
import { createFormField } from '../../../src/webview/generate/generateFields.ts';
import { describeProblem } from '../../../src/webview/words/problemWords.ts';

function createField(draft: Partial<GenerateField>) {
  return createFormField({ path: ['field'], label: 'Field', help: '', control: 'text', ...draft });
}

const size = createField({
  control: 'choice',
  choices: ['1280*720', '720*1280'].map((value) => ({ value, label: value })),
  allowsOther: true,
});
const seconds = createField({
  control: 'choice',
  choices: [5, 10].map((value) => ({ value, label: `${value} s` })),
});

/** The kind of the control for a value, and the text that it shows. */
function showValue(input: ReturnType<typeof createField>, value: unknown): readonly [string, string] {
  const control = chooseControl(input, value);
  return [control.kind, formatValue(control, value)];
}

describe('a field of the Generate page', () => {
  it('shows a listed choice as a choice, and any other value as text or number', () => {
    assert.deepEqual(showValue(size, undefined), ['choice', '']);
    assert.deepEqual(showValue(size, '720*1280'), ['choice', '"720*1280"']);
    assert.deepEqual(showValue(size, '9*9'), ['text', '9*9']);
    assert.deepEqual(showValue(seconds, 10), ['choice', '10']);
    assert.deepEqual(showValue(seconds, 7), ['number', '7']);
    assert.deepEqual(showValue(createField({ control: 'switch' }), 'maybe'), ['text', 'maybe']);
    assert.deepEqual(showValue(createField({ control: 'switch' }), false), ['choice', 'false']);
  });

  it('shows a recipe value without a control as JSON', () => {
    const contents = [{ type: 'text', text: 'A cat' }];
    assert.deepEqual(showValue(createField({ control: 'prompt' }), contents), [
      'text',
      JSON.stringify(contents),
    ]);
    assert.deepEqual(showValue(createField({ control: 'prompt' }), { a: 1 }), ['text', '{"a":1}']);
  });

  it('accepts any input, except invalid numbers', () => {
    const seed = createField({ control: 'number', minimum: 0 });
    const [number] = seed.controls;
    assert.deepEqual(readTypedText(seed, number, '-1.05'), { value: -1.05 });
    assert.deepEqual(readTypedText(seed, number, ''), {});
    const { problem } = readTypedText(seed, number, '1e');
    assert.equal(problem && describeProblem(problem), 'This is not a number.');
    const [text] = createField({ control: 'prompt' }).controls;
    assert.deepEqual(readTypedText(createField({ control: 'prompt' }), text, ' {"not": read} '), {
      value: ' {"not": read} ',
    });
  });
});
