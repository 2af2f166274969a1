import assert from 'node:assert/strict';
import { ModelRules } from '../../src/host/models/modelRules.ts';
import { plannedSpending } from '../../src/host/models/plannedSpending.ts';

describe('P17 the counted costs of a request', () => {
  it('are those of its service tier, unless its reply reports its counts or another tier', () => {
    const prices = { input: 0, output: 1_000, priority: { input: 0, output: 3_000 } };
    const sources = {
      gateway: { name: 'one', baseUrl: 'https://one.test' } as never,
      models: [],
      rules: new ModelRules([{ models: 'm', prices, facts: { reasoning: false } }]),
    };
    const body = { model: 'm', max_tokens: 1_000, service_tier: 'priority' };
    const request = { kind: 'reply', model: 'm', body } as never;
    const { reported } = plannedSpending(request, sources);
    const usage = { inputTokens: 10, outputTokens: 1_000 };
    for (const [reply, dollars] of [
      [{ textLength: 1_000 }, 3],
      [{ textLength: 1_000, serviceTier: 'default' }, 1],
      [{ textLength: 1_000, hasEnded: true, usage }, 1],
      [{ textLength: 1_000, hasEnded: true, usage, serviceTier: 'priority' }, 3],
      [{ textLength: 1_000, hasEnded: true, usage, costUsd: 0.02 }, 0.02],
      [{ textLength: 1_000, hasEnded: true, usage, costUsd: 0.001 }, 1],
      [{ textLength: 9, costUsd: 0.001 }, 0.001],
    ] as const)
      assert.equal((reported(reply).amount ?? 0) / 1e9, dollars, JSON.stringify(reply));
  });
});
