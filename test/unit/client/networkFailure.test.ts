import assert from 'node:assert/strict';
import { createNetworkFailure } from '../../../src/client/networkFailure.ts';
import type { RequestPhase } from '../../../src/client/requestTimeouts.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import type { FailureReason } from '../../../src/wire/failures/gatewayError.ts';

function readFailure(code: string, phase: RequestPhase = 'connecting') {
  return createNetworkFailure(Object.assign(new Error('low level'), { code }), 'gateway.example:443', phase);
}

describe('a network failure', () => {
  // The test failureTable has the other codes.
  const reasons: Record<string, FailureReason> = {
    CERT_NOT_YET_VALID: 'tls-expired',
    SELF_SIGNED_CERT_IN_CHAIN: 'tls-unknown-authority',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-unknown-authority',
    ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls-not-tls',
    ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls-other',
    ERR_ASSERTION: 'not-a-gateway',
    EPIPE: 'reset',
  };
  for (const [code, reason] of Object.entries(reasons)) {
    it(`with the code ${code} has the reason ${reason}`, () => {
      const { kind, reason: found, explanation } = readFailure(code);
      assert.deepEqual([kind, found], ['unreachable', reason]);
      assert.match(inEnglish(explanation), /gateway\.example:443/);
    });
  }

  it('F7 has five different messages for five TLS failures', () => {
    const codes = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_GET_ISSUER_CERT', 'EPROTO'];
    const messages = [...codes, 'ERR_SSL_WRONG_VERSION_NUMBER'].map(
      (code) => readFailure(code).explanation.id,
    );
    assert.equal(new Set(messages).size, 5);
  });

  it('has a different message for each phase of the request', () => {
    const phases: readonly RequestPhase[] = ['connecting', 'waiting', 'reading'];
    const messages = phases.map((phase) => readFailure('ECONNRESET', phase).explanation.id);
    assert.equal(new Set(messages).size, 3);
    assert.equal(readFailure('UND_ERR_SOCKET', 'reading').reason, 'cut');
    assert.equal(readFailure('ECONNRESET', 'reading').reason, 'reset');
  });

  it('has the reason not-a-gateway when the bundled HTTP parser throws a SyntaxError', () => {
    const failure = createNetworkFailure(new SyntaxError('Unexpected token'), 'h', 'waiting');
    assert.equal(failure.reason, 'not-a-gateway');
  });

  it('F5 is classified by its nested errors and causes', () => {
    const refused = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    assert.equal(createNetworkFailure(new AggregateError([refused]), 'h', 'connecting').reason, 'refused');
    assert.equal(
      createNetworkFailure(new Error('x', { cause: refused }), 'h', 'connecting').reason,
      'refused',
    );
  });
});
