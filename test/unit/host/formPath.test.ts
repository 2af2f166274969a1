import assert from 'node:assert/strict';
import { findFormPath } from '../../../src/host/tasks/generate/generateRequest.ts';

const form = {
  paths: [
    ['input', 'prompt'],
    ['input', 'negative_prompt'],
    ['parameters', 'size'],
  ],
  frames: ['first', 'last'],
} as const;

describe('the form path of a field that a gateway names', () => {
  const places: readonly (readonly [string, readonly string[]])[] = [
    ['parameters.size', ['parameters', 'size']],
    ['size', ['parameters', 'size']],
    ['negativePrompt', ['input', 'negative_prompt']],
    ['input.prompt', ['input', 'prompt']],
    ['input.last_frame_url', ['frames', 'last']],
    ['input.img_url', ['frames', 'first']],
    ['parameters.no_such', ['parameters', 'no_such']],
  ];
  for (const [field, path] of places) {
    it(`is ${path.join('.')} for ${field}`, () => assert.deepEqual(findFormPath(field, form), path));
  }
});
