import assert from 'node:assert/strict';
import { FailedRequests } from '../../../src/host/agents/languageModels/reply/failedRequests.ts';

describe('P5 failed requests of the agent host', () => {
  let now: number;
  let sent: number;
  let requests: FailedRequests;

  beforeEach(() => {
    [now, sent] = [1_000_000, 0];
    requests = new FailedRequests(() => now);
  });

  const attempt = (isUnsent = false, model: object = { id: 'model' }) => {
    const fail = async () => {
      sent++;
      throw new Error('The key is wrong');
    };
    return assert.rejects(
      requests.send(model, [], fail, () => isUnsent),
      /The key is wrong/,
    );
  };

  it('are not sent again while the agent host repeats them', async () => {
    await attempt();
    // A busy machine delays the repeats.
    for (const seconds of [2, 20, 45, 80]) {
      now = 1_000_000 + seconds * 1_000;
      await attempt();
    }
    assert.equal(sent, 1);
  });

  it('are sent again a minute later, because the user stopped the repeats and tries again', async () => {
    await attempt();
    await attempt();
    now += 60_000;
    await attempt();
    assert.equal(sent, 2);
  });

  it('are sent again with other options of the model', async () => {
    await attempt();
    await attempt(false, { id: 'model', modelConfiguration: { reasoningEffort: 'low' } });
    assert.equal(sent, 2);
  });

  it('are sent again if the setup changed or nothing was sent', async () => {
    await attempt();
    requests.forget();
    await attempt();
    assert.equal(sent, 2);
    requests.forget();
    await attempt(true);
    await attempt(true);
    assert.equal(sent, 4);
  });
});
