import fc from 'fast-check';
import type { VideoPlan } from '../../../src/localGateway/upstreams/upstream.ts';

const result = { name: 'landscape', mimeType: 'video/mp4', width: 640, height: 360, seconds: 5 };

/** The plan of a video that completes immediately, with the changes of a test. */
export function createPlan(change: Partial<VideoPlan> = {}): VideoPlan {
  return {
    prompt: 'A cat',
    queueMs: 0,
    runMs: 0,
    hasEnd: true,
    results: [result],
    resultLifetimeMs: 1_000,
    isCancellable: true,
    ...change,
  };
}

const failure = fc.record({
  code: fc.constant('x'),
  message: fc.constant('why'),
  progress: fc.nat(99),
});

export const anyPlan: fc.Arbitrary<VideoPlan> = fc
  .record(
    {
      queueMs: fc.nat(5_000),
      runMs: fc.nat(10_000),
      hasEnd: fc.boolean(),
      failure,
      isCancellable: fc.boolean(),
    },
    { requiredKeys: ['queueMs', 'runMs', 'hasEnd', 'isCancellable'] },
  )
  .map(createPlan);
