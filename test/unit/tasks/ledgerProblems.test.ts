import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { ledgerSalvage } from '../../../src/tasks/ledger/ledgerSchema.ts';
import { toDownloadProblem, toProblem } from '../../../src/tasks/record/taskProblem.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failures/gatewayError.ts';
import {
  addFinishedTask,
  addRunningTask,
  createDraft,
  openLedgerDatabase,
  readStoredTask,
} from '../../support/ledgers.ts';

const explanation = explain('connection-refused', { host: 'gateway.example' });
const message = 'gateway.example refuses connections: check the port, or start the server there.';

function failure(gatewayMessage?: string): GatewayError {
  return new GatewayError({
    kind: 'unreachable',
    explanation,
    requestedAt: new Date(0),
    requestId: 'r',
    ...(gatewayMessage !== undefined && { gatewayMessage }),
  });
}

describe('a failure stored in the ledger', () => {
  let database: Database;
  let ledger: Ledger;

  beforeEach(() => {
    database = openLedgerDatabase();
    ledger = new Ledger(database, { window: 'first' });
  });

  afterEach(() => ledger.close());

  it('has its explanation and the same text in English', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'r');
    ledger.markRefused('a', toProblem(failure()));
    assert.deepEqual(readStoredTask(ledger, 'a').problem, {
      message,
      explanation,
      code: 'unreachable',
      requestId: 'r',
    });
    addRunningTask(ledger, 'b');
    ledger.recordFailedPoll('b', toProblem(failure()));
    assert.deepEqual(ledger.readHistory('b')?.failedPolls[0]?.problem.explanation, explanation);
  });

  it('has the message of the gateway, and the field that it rejected', () => {
    ledger.create(createDraft('a'));
    ledger.claimSubmission('a', 'r');
    const refused = new GatewayError({
      kind: 'invalid-parameters',
      explanation,
      requestedAt: new Date(0),
      requestId: 'r',
      gatewayMessage: 'Not today.',
      field: 'parameters.size',
      reason: 'too-large',
      status: 400,
    });
    ledger.markRefused('a', toProblem(refused));
    assert.deepEqual(readStoredTask(ledger, 'a').problem, {
      message,
      explanation,
      code: 'invalid-parameters',
      requestId: 'r',
      status: 400,
      gatewayMessage: 'Not today.',
      field: 'parameters.size',
      reason: 'too-large',
    });
  });

  it('of a result has the explanation and the message of the gateway', () => {
    addFinishedTask(ledger, 'a');
    const problem = toDownloadProblem(failure('Not today.'));
    ledger.claimDownload('a', 0, () => false);
    ledger.updateResult('a', 0, { state: 'failed', problem });
    assert.deepEqual(readStoredTask(ledger, 'a').results[0]?.problem, {
      message,
      explanation,
      gatewayMessage: 'Not today.',
    });
    ledger.updateResult('a', 0, { state: 'waiting' });
    assert.deepEqual(readStoredTask(ledger, 'a').results[0]?.problem, problem);
  });

  it('of a request in a damaged ledger has an explanation too', () => {
    ledger.create(createDraft('a'));
    database.run(ledgerSalvage.afterLoss ?? '');
    const { status, problem } = readStoredTask(ledger, 'a');
    assert.deepEqual([status, problem?.explanation], ['unknown', explain('sent-before-damage')]);
    assert.match(problem?.message ?? '', /damaged/);
  });

  for (const [title, unknown] of [
    ['an unknown explanation', { id: 'of-a-later-version', args: {} }],
    ['an unknown placeholder', { id: 'connection-refused', args: { server: 'gateway.example' } }],
    ['an invalid explanation', 'no object'],
  ] as const) {
    it(`with ${title} is reduced to its English text`, () => {
      addRunningTask(ledger, 'a');
      database.run('UPDATE tasks SET problem = ?', JSON.stringify({ message, explanation: unknown }));
      assert.deepEqual(readStoredTask(ledger, 'a').problem, { message });
    });
  }
});
