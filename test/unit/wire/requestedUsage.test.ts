import assert from 'node:assert/strict';
import { estimateRequestTokens, readRequestedVideos } from '../../../src/wire/apis/requestedUsage.ts';

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

  it('reserves the context length for contents that the provider stores, or 100,000 tokens', () => {
    for (const stored of [
      { previous_response_id: 'resp_1' },
      { previous_interaction_id: 'int_1' },
      { conversation: 'conv_1' },
      { conversation: { id: 'conv_1' } },
      { prompt: { id: 'pmpt_1' } },
      { cachedContent: 'cachedContents/1' },
      { extra_body: { google: { cached_content: 'cachedContents/1' } } },
    ]) {
      const request = { ...stored, input: 'more' };
      const { input, maxInput } = estimateRequestTokens(request);
      assert.ok(input < 100 && maxInput >= 100_000, JSON.stringify(stored));
      assert.equal(estimateRequestTokens(request, { contextLength: 400_000 }).maxInput, 400_000);
    }
  });

  it('reserves 100,000 tokens for each file that it only names, and the number of a picture for a picture', () => {
    const address = 'https://files.example/1';
    const files = [
      { type: 'input_file', file_id: 'file-1' },
      { type: 'input_file', file_url: address },
      { type: 'file', file: { file_id: 'file-1' } },
      { type: 'video_url', video_url: { url: address } },
      { type: 'document', source: { type: 'url', url: address } },
      { type: 'document', source: { type: 'file', file_id: 'file-1' } },
      { fileData: { fileUri: address, mimeType: pdf } },
      { file_data: { file_uri: address } },
      { type: 'document', uri: address },
    ];
    const pictures = [
      { type: 'input_image', file_id: 'file-1' },
      { type: 'input_image', image_url: address },
      { type: 'image_url', image_url: { url: address } },
      { type: 'image', source: { type: 'url', url: address } },
      { type: 'image', source: { type: 'file', file_id: 'file-1' } },
      { fileData: { fileUri: address, mimeType: picture } },
      { type: 'image', uri: address },
    ];
    for (const [kind, tokens] of [
      [files, 100_000],
      [pictures, 1_500],
    ] as const)
      for (const each of kind) {
        const { input, maxInput } = estimate([each, each]);
        assert.equal(maxInput - input, 2 * tokens, JSON.stringify(each));
      }
    assert.equal(estimateRequestTokens(files, { contextLength: 128_000 }).maxInput, 128_000);
  });

  it('reserves nothing for names of files and conversations in other places', () => {
    const url = 'https://files.example/1';
    for (const content of [
      { type: 'tool_use', input: { file_id: 'file-1', image_url: url, conversation: 'c' } },
      { functionCall: { args: { fileUri: url, source: { type: 'url', url } } } },
      { type: 'web_search_result', url },
      { type: 'file_citation', file_id: 'file-1' },
      {
        properties: {
          conversation: { type: 'string' },
          file_id: { type: 'string' },
          url: { type: 'string' },
        },
      },
      { previous_response_id: null, conversation: '', prompt: 'A cat' },
    ]) {
      const { input, maxInput } = estimate([content]);
      assert.equal(maxInput, input, JSON.stringify(content));
    }
  });
});

describe('P17 the videos of a request', () => {
  it('have the largest length of a prompt with 300,000 lengths', () => {
    const prompt = `${'--dur 5 '.repeat(300_000)}--dur 9`;
    const { seconds } = readRequestedVideos((name) => (name === 'prompt' ? prompt : undefined));
    assert.equal(seconds, 9);
  });
});
