import assert from 'node:assert/strict';
import {
  faultPhrases,
  readSimulatedFault,
  readVideoPromptOptions,
  type VideoPromptOptions,
  videoPhrases,
} from '../../../../src/localGateway/demo/promptOptions.ts';

describe('the options in the prompt of a demo video', () => {
  const plain: VideoPromptOptions = {
    count: 1,
    isEmpty: false,
    neverEnds: false,
    expiresAtOnce: false,
    cannotBeCancelled: false,
    replyDelayMs: 0,
    isReplyDropped: false,
  };

  const table: readonly (readonly [prompt: string, options: Partial<VideoPromptOptions>])[] = [
    ['A cat on a beach', {}],
    ['A cat, take 30 seconds', { runMs: 30_000 }],
    ['Takes 1 second', { runMs: 1_000 }],
    ['take 0.2 s', { runMs: 200 }],
    ['take 2 minutes', { runMs: 120_000 }],
    ['take 999999 minutes', { runMs: 86_400_000 }],
    ['queue for 5 seconds, take 1 second', { queueMs: 5_000, runMs: 1_000 }],
    ['queue 1 min', { queueMs: 60_000 }],
    ['make 3 videos', { count: 3 }],
    ['make 9 videos', { count: 4 }],
    ['make 0 videos', { count: 1 }],
    ['fail', { failure: 'half-way' }],
    ['fail with content filter', { failure: 'content-filter' }],
    ['fail with 429', { failure: 'half-way', refusal: 429 }],
    ['it never fails', {}],
    ['never finish', { neverEnds: true }],
    ['no result', { isEmpty: true }],
    ['expire at once', { expiresAtOnce: true }],
    ['cannot be cancelled', { cannotBeCancelled: true }],
    ['answer late', { replyDelayMs: 5_000 }],
    ['answer 1 second late', { replyDelayMs: 1_000 }],
    ['lose the answer', { isReplyDropped: true }],
    [`${'A very long story. '.repeat(10)} never finish, fail, take 30 seconds`, {}],
  ];
  for (const [prompt, options] of table) {
    it(`are read: ${prompt.slice(0, 40)}`, () =>
      assert.deepEqual(readVideoPromptOptions(prompt), { ...plain, ...options }));
  }

  it('are set by every phrase in the help', () => {
    for (const [phrase] of videoPhrases) {
      assert.notDeepEqual(readVideoPromptOptions(`A cat. Please ${phrase}.`), plain, phrase);
    }
  });
});

describe('simulated faults of the demo models', () => {
  it('are triggered by every phrase in the help', () => {
    for (const [phrase] of faultPhrases) assert.ok(readSimulatedFault(`Please ${phrase}.`), phrase);
    assert.deepEqual(readSimulatedFault('fail with 503'), { kind: 'status', status: 503 });
  });

  it('are not triggered by questions that only mention them', () => {
    assert.equal(readSimulatedFault('why does it fail with 200'), undefined);
    assert.equal(readSimulatedFault('my connection is slow'), undefined);
    assert.equal(readSimulatedFault(`${'log line '.repeat(20)} cut the stream`), undefined);
  });
});
