import assert from 'node:assert/strict';
import { formatFailureDetails } from '../../../src/host/connection/failureDetails.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failures/gatewayError.ts';

const requestedAt = new Date('2026-01-01T00:00:00Z');

describe('the details of a failure', () => {
  it('list the failure, its HTTP status, its field, its time and its request ids', () => {
    const error = new GatewayError({
      kind: 'invalid-parameters',
      explanation: explain('request-refused', { httpStatus: 400 }),
      status: 400,
      field: 'temperature',
      retryAfterMs: 2500,
      requestedAt,
      requestId: 'ours',
      gatewayRequestId: 'theirs',
    });
    assert.deepEqual(formatFailureDetails(error, 'It failed.').split('\n'), [
      'It failed.',
      'Failure: invalid-parameters',
      'HTTP status: 400',
      'Field: temperature',
      'Retry after: 3 s',
      'Time: 2026-01-01T00:00:00.000Z',
      'Request ID: ours',
      'Gateway’s request ID: theirs',
    ]);
  });

  it('omit unknown values', () => {
    const error = new GatewayError({
      kind: 'unreachable',
      reason: 'dns',
      explanation: explain('reply-cut'),
      requestedAt: new Date(Number.NaN),
      requestId: '',
    });
    assert.equal(formatFailureDetails(error, 'It failed.'), 'It failed.\nFailure: unreachable (dns)');
  });
});
