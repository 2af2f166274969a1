import assert from 'node:assert/strict';
import {
  createChatRequestRecord,
  finishRequestRecord,
  readResult,
} from '../../../src/conversations/conversation/chatRequestRecord.ts';
import type { ChatRequestRecord } from '../../../src/conversations/conversation/conversationRecord.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failures/gatewayError.ts';

const failedAt = new Date('2026-01-02T03:04:05Z');
const error = new GatewayError({
  kind: 'rate-limited',
  explanation: explain('rate-limited-for', { httpStatus: 429, waitMs: 60_000 }),
  status: 429,
  retryAfterMs: 60_000,
  requestedAt: new Date(0),
  requestId: 'r',
  failedAt,
});

/** The error that is read from a record after a restart. */
function reloaded(
  change: (record: ChatRequestRecord) => ChatRequestRecord = (record) => record,
): GatewayError {
  const record = createChatRequestRecord(
    { model: 'm', format: 'chatCompletions', parameters: {} },
    { gateway: 'g', gatewayName: 'G' },
    1,
  );
  const ended = finishRequestRecord(record, {
    outcome: { kind: 'failed', error },
    requestId: 'r',
    requestedAt: new Date(0),
    totalMs: 1,
  });
  const { outcome } = readResult(change(JSON.parse(JSON.stringify(ended))));
  assert.ok(outcome.kind === 'failed');
  return outcome.error;
}

describe('a wait that the gateway requested', () => {
  it('F30 continues after a reload, from its start time', () => {
    const { retryAfterMs, failedAt: since } = reloaded();
    assert.deepEqual([retryAfterMs, since], [60_000, failedAt]);
  });

  it('does not start again if its start time is unknown', () => {
    for (const wrong of [undefined, 'soon', -1, 1e300]) {
      const { retryAfterMs } = reloaded((record) => ({
        ...record,
        error: { ...record.error, failedAt: wrong },
      }));
      assert.equal(retryAfterMs, undefined, String(wrong));
    }
  });
});
