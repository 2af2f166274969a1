import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createExchangeError } from '../../../src/client/callIdentity.ts';
import { createNetworkFailure, createProxyFailure } from '../../../src/client/networkFailure.ts';
import type { RequestPhase } from '../../../src/client/requestTimeouts.ts';
import { ProxyError } from '../../../src/http/proxy.ts';
import { explain, inEnglish } from '../../../src/wire/explanations/explanation.ts';
import { catalogueEntry, type FailureStep } from '../../../src/wire/failures/failureCatalogue.ts';
import type { FailureReason } from '../../../src/wire/failures/gatewayError.ts';

const host = 'gateway.example:443';

type Row = readonly [code: string, reason: FailureReason | undefined, step: FailureStep, sentence: RegExp];

describe('a failure without a reply', () => {
  const rows: readonly Row[] = [
    ['ENOTFOUND', 'dns', 'again', /name gateway\.example:443 cannot be resolved/],
    ['EAI_AGAIN', 'dns', 'again', /cannot be resolved/],
    ['ECONNREFUSED', 'refused', 'again', /refuses connections/],
    ['ETIMEDOUT', 'connect-timeout', 'again', /does not respond/],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout', 'again', /does not respond/],
    ['ENETUNREACH', undefined, 'again', /cannot be reached from this network/],
    ['EHOSTUNREACH', undefined, 'again', /cannot be reached from this network/],
    ['ECONNRESET', 'reset', 'again', /may have received the request/],
    ['UND_ERR_SOCKET', 'reset', 'again', /may have received the request/],
    ['CERT_HAS_EXPIRED', 'tls-expired', 'again', /has expired or is not valid yet/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls-wrong-host', 'change-address', /for another host/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls-unknown-authority', 'again', /unknown authority/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls-unknown-authority', 'again', /unknown authority/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls-not-tls', 'change-address', /does not use TLS/],
    ['EPROTO', 'tls-other', 'again', /secure connection .* could not be established/],
    ['HPE_INVALID_CONSTANT', 'not-a-gateway', 'change-address', /does not use HTTP/],
    ['HPE_HEADER_OVERFLOW', 'too-large', 'again', /headers of the reply from .* are too large/],
    ['E_UNHEARD_OF', 'reset', 'again', /closed the connection/],
  ];
  for (const [code, reason, step, sentence] of rows) {
    it(`with the code ${code} has the reason ${reason ?? 'unreachable'} and a next step`, () => {
      const error = new TypeError('fetch failed', { cause: Object.assign(new Error('Words'), { code }) });
      const failure = createNetworkFailure(error, host, 'waiting');
      assert.deepEqual([failure.kind, failure.reason], ['unreachable', reason]);
      assert.equal(catalogueEntry(failure).steps[0], step);
      assert.match(inEnglish(failure.explanation), sentence);
    });
  }

  const lostConnections: readonly (readonly [code: string, phase: RequestPhase, title: string])[] = [
    ['ECONNREFUSED', 'connecting', 'The gateway cannot be reached'],
    ['ECONNRESET', 'connecting', 'The connection was lost'],
    ['ECONNRESET', 'waiting', 'The connection was lost'],
    ['ECONNRESET', 'reading', 'The connection was lost'],
    ['UND_ERR_SOCKET', 'reading', 'The reply was cut off'],
  ];
  for (const [code, phase, title] of lostConnections) {
    it(`with the code ${code} while ${phase} has the title “${title}”`, () => {
      const failure = createNetworkFailure(Object.assign(new Error('Words'), { code }), host, phase);
      assert.equal(catalogueEntry(failure).title, title);
    });
  }

  const refusals: readonly (readonly [status: number, reason: FailureReason])[] = [
    [403, 'proxy-refused'],
    [407, 'proxy-credentials'],
    [502, 'proxy-refused'],
  ];
  for (const [status, reason] of refusals) {
    it(`F22 with the proxy status ${status} has the reason ${reason} and a step that opens the proxy settings`, () => {
      const error = new ProxyError('refused', 'proxy.example:3128', { status });
      const failure = createProxyFailure(error, host);
      assert.equal(failure.reason, reason);
      assert.ok(catalogueEntry(failure).steps.includes('open-proxy'));
      assert.match(inEnglish(failure.explanation), /proxy\.example:3128/);
    });
  }

  it('has an explanation and a step for any thrown value', () => {
    const phases = fc.constantFrom(...(['connecting', 'waiting', 'reading'] as const));
    const errors = fc.record({ message: fc.string(), code: fc.string(), cause: fc.anything() });
    const thrown = fc.oneof(
      fc.anything(),
      errors.map((facts) => Object.assign(new Error(), facts)),
    );
    fc.assert(
      fc.property(thrown, phases, (error, phase) => {
        const failure = createNetworkFailure(error, host, phase);
        assert.match(inEnglish(failure.explanation), /gateway\.example:443.*\.$|^The request has/);
        assert.ok(catalogueEntry(failure).steps.length > 0);
      }),
    );
  });

  it('T21 does not name a credential as the invalid field', () => {
    const secret = 'sk-canary-0123456789abcdef';
    const details = {
      kind: 'invalid-parameters',
      explanation: explain('request-refused', { httpStatus: 400 }),
    } as const;
    const identity = { requestId: 'r', requestedAt: new Date(0), startedAt: 0 };
    const { field = '' } = createExchangeError(
      { headers: {}, wasSent: true },
      { ...details, field: secret },
      identity,
      [secret],
    );
    assert.doesNotMatch(field, /canary/);
    assert.equal(
      createExchangeError({ headers: {}, wasSent: true }, { ...details, field: 'n' }, identity, [secret])
        .field,
      'n',
    );
  });
});
