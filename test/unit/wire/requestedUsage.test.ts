import assert from 'node:assert/strict';
import { estimateRequestTokens } from '../../../src/wire/apis/requestedUsage.ts';

const base64 = 'A'.repeat(400_000);
const picture = 'image/png';
const pdf = 'application/pdf';

/** The requests of all formats with one file. */
function writeFile(type: string, data = base64): readonly object[] {
  const url = `data:${type};base64,${data}`;
  return [
    { type: 'image_url', image_url: { url } },
    { type: 'input_image', image_url: url },
    { type: 'file', file: { file_data: url } },
    { type: 'document', source: { type: 'base64', media_type: type, data } },
    { inlineData: { mimeType: type, data } },
    { type: 'file', mime_type: type, data },
  ];
}

function estimate(content: unknown) {
  return estimateRequestTokens({ messages: [{ content }] });
}

describe('P17 the input of a request', () => {
  it('counts a text by its length, even if it begins like a file', () => {
    const words = ' word'.repeat(400_000);
    for (const text of [
      `${'x'.repeat(2_000)}${words}`,
      `data:image/png;base64,${'x'.repeat(2_000)}${words}`,
      `${words}${'x'.repeat(2_000)}`,
      base64,
    ]) {
      for (const content of [text, [text], { text }, { data: { text } }])
        assert.ok(estimate(content).input >= text.length / 4, text.slice(0, 30));
    }
  });

  it('counts a text in the place of a file by its length', () => {
    const text = `${'x'.repeat(2_000)}${' word'.repeat(400_000)}`;
    for (const content of [...writeFile(picture, text), ...writeFile(picture, `${base64}==${base64}`)])
      assert.ok(estimate(content).input >= 200_000, JSON.stringify(content).slice(0, 60));
  });

  it('counts values that the model reads as JSON by their length', () => {
    for (const inner of [
      { inlineData: { mimeType: picture, data: base64 } },
      { type: 'image_generation_call', result: base64 },
      { rows: Array.from({ length: 100_000 }, () => 12.5) },
    ])
      for (const name of ['response', 'args']) assert.ok(estimate({ [name]: inner }).input >= 100_000, name);
    assert.ok(estimate({ result: base64 }).input >= 100_000);
  });

  it('counts a picture with a fixed number in all formats', () => {
    const made = { type: 'image_generation_call', result: base64 };
    for (const padding of ['', '=', '=='])
      for (const content of [...writeFile(picture, base64 + padding), made]) {
        const { input, maxInput, hasFiles } = estimate(content);
        assert.ok(hasFiles && maxInput === input, JSON.stringify(content).slice(0, 60));
        assert.ok(input > 1_500 && input < 1_600, String(input));
      }
  });

  it('counts another file at most by its size, and at least like a picture', () => {
    for (const type of [pdf, 'audio/wav', 'text/plain', 'application/image'])
      for (const content of writeFile(type)) {
        const { input, maxInput } = estimate(content);
        assert.ok(maxInput >= 100_000 && input < 1_600, `${type}: ${input}, ${maxInput}`);
      }
    const { maxInput } = estimate({ input_audio: { data: base64, format: 'wav' } });
    assert.ok(maxInput >= 100_000);
  });
});
