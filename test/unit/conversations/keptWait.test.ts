import assert from 'node:assert/strict';
import type { RequestRecord } from '../../../src/conversations/conversation/record.ts';
import { askedRecord, endedRecord, resultOf } from '../../../src/conversations/conversation/requestRecord.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failure.ts';

const failedAt = new Date('2026-01-02T03:04:05Z');
const error = new GatewayError({
  ...{ kind: 'rate-limited', explanation: explain('rate-limited-for', { httpStatus: 429, waitMs: 60_000 }) },
  ...{ status: 429, retryAfterMs: 60_000, requestedAt: new Date(0), requestId: 'r', failedAt },
});

/** What comes back of a record after a restart. */
function reloaded(change: (record: RequestRecord) => RequestRecord = (record) => record): GatewayError {
  const asked = askedRecord(
    { model: 'm', format: 'chatCompletions', parameters: {} },
    { gateway: 'g', gatewayName: 'G' },
    1,
  );
  const ended = endedRecord(asked, {
    outcome: { kind: 'failed', error },
    ...{ requestId: 'r', requestedAt: new Date(0), totalMs: 1 },
  });
  const { outcome } = resultOf(change(JSON.parse(JSON.stringify(ended))));
  assert.ok(outcome.kind === 'failed');
  return outcome.error;
}

describe('a wait that the gateway asked for', () => {
  it('F30 goes on after a reload, from when it began', () => {
    const { retryAfterMs, failedAt: since } = reloaded();
    assert.deepEqual([retryAfterMs, since], [60_000, failedAt]);
  });

  it('does not begin anew where it is not known when it began', () => {
    for (const wrong of [undefined, 'soon', -1, 1e300]) {
      const { retryAfterMs } = reloaded((record) => ({
        ...record,
        error: { ...record.error, failedAt: wrong },
      }));
      assert.equal(retryAfterMs, undefined, String(wrong));
    }
  });
});
