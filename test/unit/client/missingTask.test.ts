import assert from 'node:assert/strict';
import { checkDeleted } from '../../../src/client/missingTask.ts';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failures/gatewayError.ts';

const failing = (kind: GatewayError['kind'], status?: number) => async () => {
  const facts = { kind, explanation: explain('call-cancelled'), requestedAt: new Date(0), requestId: 'r' };
  throw new GatewayError({ ...facts, ...(status !== undefined && { status }) });
};
const returning = (record: unknown) => async () => decodeTask(record);

describe('a task after a deletion that the gateway accepted', () => {
  const cases = [
    ['deleted', 'is not found', failing('invalid-parameters', 404)],
    ['deleted', 'is gone', failing('invalid-parameters', 410)],
    ['deleted', 'has the status UNKNOWN', returning({ task_id: 't', task_status: 'UNKNOWN' })],
    ['deleted', 'has the status task_not_found', returning({ id: 't', status: 'task_not_found' })],
    ['not-deleted', 'can still be read', returning({ id: 't', status: 'completed' })],
    ['unclear', 'cannot be read because of a failure', failing('server', 503)],
    ['unclear', 'may not be read', failing('authentication', 403)],
    ['unclear', 'cannot be reached', failing('unreachable')],
    ['unclear', 'gets a 404 that is not from the gateway', failing('unreachable', 404)],
  ] as const;
  for (const [state, name, readTask] of cases) {
    it(`is reported as ${state} if it ${name}`, async () => {
      assert.equal(await checkDeleted({ readTask }, 't'), state);
    });
  }
});
