import assert from 'node:assert/strict';
import type { GenerateField } from '../../../src/protocol/generatePage.ts';
import { chooseControl, formatValue, readTypedText } from '../../../src/webview/form/fieldEntry.ts';
import { createFormField } from '../../../src/webview/generate/generateFields.ts';
import { describeProblem } from '../../../src/webview/words/problemWords.ts';

function field(draft: Partial<GenerateField>) {
  return createFormField({ path: ['field'], label: 'Field', help: '', control: 'text', ...draft });
}

const size = field({
  control: 'choice',
  choices: ['1280*720', '720*1280'].map((value) => ({ value, label: value })),
  allowsOther: true,
});
const seconds = field({
  control: 'choice',
  choices: [5, 10].map((value) => ({ value, label: `${value} s` })),
});

/** The kind of the control for a value, and the text that it shows. */
function shown(input: ReturnType<typeof field>, value: unknown): readonly [string, string] {
  const control = chooseControl(input, value);
  return [control.kind, formatValue(control, value)];
}

describe('a field of the Generate page', () => {
  it('shows a listed choice as a choice, and any other value as text or number', () => {
    assert.deepEqual(shown(size, undefined), ['choice', '']);
    assert.deepEqual(shown(size, '720*1280'), ['choice', '"720*1280"']);
    assert.deepEqual(shown(size, '9*9'), ['text', '9*9']);
    assert.deepEqual(shown(seconds, 10), ['choice', '10']);
    assert.deepEqual(shown(seconds, 7), ['number', '7']);
    assert.deepEqual(shown(field({ control: 'switch' }), 'maybe'), ['text', 'maybe']);
    assert.deepEqual(shown(field({ control: 'switch' }), false), ['choice', 'false']);
  });

  it('shows a recipe value without a control as JSON', () => {
    const contents = [{ type: 'text', text: 'A cat' }];
    assert.deepEqual(shown(field({ control: 'prompt' }), contents), ['text', JSON.stringify(contents)]);
    assert.deepEqual(shown(field({ control: 'prompt' }), { a: 1 }), ['text', '{"a":1}']);
  });

  it('accepts any input, except invalid numbers', () => {
    const seed = field({ control: 'number', minimum: 0 });
    const [number] = seed.controls;
    assert.deepEqual(readTypedText(seed, number, '-1.05'), { value: -1.05 });
    assert.deepEqual(readTypedText(seed, number, ''), {});
    const { problem } = readTypedText(seed, number, '1e');
    assert.equal(problem && describeProblem(problem), 'This is not a number.');
    const [text] = field({ control: 'prompt' }).controls;
    assert.deepEqual(readTypedText(field({ control: 'prompt' }), text, ' {"not": read} '), {
      value: ' {"not": read} ',
    });
  });
});
