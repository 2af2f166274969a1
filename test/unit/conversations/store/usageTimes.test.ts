import assert from 'node:assert/strict';
import type { ChatRequestRecord } from '../../../../src/conversations/conversation/conversationRecord.ts';
import { StoreFolder } from '../../../support/conversationStores.ts';

describe('the usage of stored replies', () => {
  const { TZ: zone } = process.env;
  let folder: StoreFolder;

  beforeEach(() => {
    folder = new StoreFolder();
  });

  afterEach(() => {
    inZone(zone);
    folder.remove();
  });

  function inZone(name: string | undefined): void {
    if (name === undefined) delete process.env.TZ;
    else process.env.TZ = name;
  }

  function requestAt(at: number, outcome: ChatRequestRecord['outcome'] = 'complete'): ChatRequestRecord {
    const cost = { usd: 1, source: 'gateway' } as const;
    return {
      id: 'r',
      model: 'm',
      requestedAt: at,
      ...(outcome && { outcome }),
      usage: { outputTokens: 1 },
      cost,
    };
  }

  it('is counted for the day and the month in the time zone of the request', () => {
    const { usage } = folder.open();
    const at = Date.UTC(2030, 0, 31, 23, 30);
    inZone('Pacific/Auckland');
    usage.add('chat', 'east', requestAt(at));
    inZone('America/Los_Angeles');
    usage.add('chat', 'west', requestAt(at));
    inZone('UTC');
    const days = usage.sum({ by: ['day'] }).map(({ day, replies }) => [day, replies]);
    assert.deepEqual(days, [
      ['2030-02-01', 1],
      ['2030-01-31', 1],
    ]);
    assert.deepEqual(
      usage.sum({ by: ['month'] }).map(({ month }) => month),
      ['2030-02', '2030-01'],
    );
  });

  it('is grouped by the source of the requests, with all chats together', () => {
    const { usage } = folder.open();
    const initiators = ['a-chat', 'another-chat', 'vscodeChat', 'extensions', 'agents', 'vscodeChat'];
    for (const [nth, initiator] of initiators.entries()) usage.add(initiator, String(nth), requestAt(1));
    assert.deepEqual(
      usage
        .sum({ by: ['initiator'] })
        .map(({ initiator, replies }) => [initiator, replies])
        .toSorted(),
      [
        ['agents', 1],
        ['chats', 2],
        ['extensions', 1],
        ['vscodeChat', 2],
      ],
    );
  });

  it('is marked as a lower limit if a reply ended early, except at its token limit', () => {
    const { usage } = folder.open();
    for (const outcome of ['complete', 'truncated'] as const)
      usage.add('chat', outcome, requestAt(1, outcome));
    const cut = () => usage.sum({ by: [] }).map(({ cutTokens, cutPrices }) => [cutTokens, cutPrices]);
    assert.deepEqual(cut(), [[0, 0]]);
    for (const outcome of ['cancelled', 'interrupted', 'failed', 'pending', undefined] as const) {
      usage.add('chat', outcome ?? 'arriving', { ...requestAt(1), outcome } as ChatRequestRecord);
    }
    assert.deepEqual(cut(), [[5, 5]]);
  });
});
