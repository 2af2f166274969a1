import assert from 'node:assert/strict';
import { readTaskText } from '../../../src/wire/apis/taskRecord/taskText.ts';

const cases: Readonly<Record<string, readonly [record: unknown, text: string]>> = {
  'steps of an interaction, without inputs and thoughts': [
    {
      steps: [
        { type: 'user_input', content: [{ type: 'text', text: 'Say hello' }] },
        { type: 'thought', summary: [{ type: 'text', text: 'Hm' }] },
        {
          type: 'model_output',
          content: [
            { type: 'text', text: 'Hello' },
            { type: 'text', text: ' there' },
          ],
        },
      ],
    },
    'Hello there',
  ],
  'outputs of an older interaction': [{ outputs: [{ type: 'text', text: 'Hello' }] }, 'Hello'],
  'a response': [
    { output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }] },
    'Hello',
  ],
  'choices in an envelope': [
    {
      code: 200,
      data: { result: { x: 1 }, choices: [{ message: { role: 'assistant', content: 'Hello' } }] },
    },
    'Hello',
  ],
  'a record with a video': [{ output: { video_url: 'https://example.com/a.mp4' } }, ''],
  undefined: [undefined, ''],
  nonsense: [{ steps: 'x', output: [null, 7, [['y']]] }, ''],
};

describe('the text result of a task', () => {
  for (const [name, [record, text]] of Object.entries(cases)) {
    it(`is read from ${name}`, () => assert.equal(readTaskText(record), text));
  }

  it('F60 is not searched for beyond a limited depth', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 10_000; depth += 1) deep = [{ content: deep }];
    assert.equal(readTaskText({ steps: deep }), '');
  });
});
