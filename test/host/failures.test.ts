import assert from 'node:assert/strict';
import { failureMessage, formatFailure } from '../../src/host/connection/failureMessage.ts';
import { NotStartedError, toGatewayError } from '../../src/host/connection/unsentError.ts';
import { describeExplanation, describeStoredProblem } from '../../src/host/kit/explanationWords.ts';
import { type Explanation, explain, inEnglish } from '../../src/wire/explanations/explanation.ts';
import { type FailureKind, type FailureReason, GatewayError } from '../../src/wire/failures/gatewayError.ts';

function formatDetail(explanation: Explanation, gatewayMessage?: string): string {
  const error = new GatewayError({
    kind: 'rate-limited',
    explanation,
    requestedAt: new Date(0),
    requestId: 'r',
    ...(gatewayMessage !== undefined && { gatewayMessage }),
  });
  return formatFailure(failureMessage(error));
}

describe('the text of a failure', () => {
  for (const explanation of [
    explain('rate-limited-for', { httpStatus: 429, waitMs: 3000 }),
    explain('gateway-failed', { httpStatus: undefined }),
    explain('connect-timeout', {
      host: { host: 'gateway.example', proxy: 'proxy.example:3128' },
      timeoutMs: 1500,
    }),
    explain('file-too-large', { maxBytes: 4e9 }),
  ]) {
    it(`is in English the text of its error: ${explanation.id}`, () => {
      assert.equal(describeExplanation(explanation), inEnglish(explanation));
      assert.equal(formatDetail(explanation), inEnglish(explanation));
    });
  }

  it('offers another address only if the address may be wrong, and always the connection check', () => {
    const listActions = (reason: FailureReason): readonly string[] =>
      failureMessage(
        new GatewayError({
          kind: 'unreachable',
          reason,
          explanation: explain('reply-cut'),
          requestedAt: new Date(0),
          requestId: 'r',
        }),
      ).actions;
    assert.deepEqual(listActions('cut'), [
      'again',
      'check-connection',
      'open-request',
      'copy-details',
      'open-help',
    ]);
    assert.deepEqual(listActions('idle-timeout'), [
      'again',
      'open-timeouts',
      'check-connection',
      'open-request',
      'copy-details',
      'open-help',
    ]);
    assert.deepEqual(listActions('proxy-refused'), [
      'again',
      'open-proxy',
      'check-connection',
      'open-request',
      'copy-details',
      'open-help',
    ]);
    assert.deepEqual(listActions('refused'), [
      'again',
      'change-address',
      'check-connection',
      'open-request',
      'copy-details',
      'open-help',
    ]);
    assert.deepEqual(listActions('not-a-gateway'), [
      'change-address',
      'again',
      'check-connection',
      'open-request',
      'copy-details',
      'open-help',
    ]);
    assert.deepEqual(listActions('unusable-address'), [
      'change-address',
      'again',
      'check-connection',
      'open-request',
      'copy-details',
      'open-help',
    ]);
  });

  for (const [page, kind, reason, explanation] of [
    ['connect', 'authentication', undefined, explain('credential-refused', { httpStatus: 401 })],
    ['connect', 'authentication', undefined, explain('file-credential-refused', { host: 'a', status: 401 })],
    ['spending-limits', 'spending-limit', 'unknown-price', explain('spending-limit')],
    [
      'local-gateway/upstreams',
      'server',
      'upstream-unusable',
      explain('gateway-failed', { httpStatus: 503 }),
    ],
    ['videos', 'unreachable', 'forbidden-address', explain('file-address-not-public', { host: 'a' })],
    ['videos', 'invalid-parameters', undefined, explain('task-cancel-refused', { httpStatus: 409 })],
    ['diagnostics', 'unreachable', 'cut', explain('reply-cut')],
  ] as const) {
    it(`links to ${page} for ${kind}, ${explanation.id}`, () => {
      const requestedAt = new Date(0);
      const error = new GatewayError({
        kind,
        explanation,
        requestedAt,
        requestId: 'r',
        ...(reason && { reason }),
      });
      assert.equal(failureMessage(error).helpPage, `${page}#what-can-go-wrong`);
    });
  }

  it('links to the page about the start of the local gateway if that failed', () => {
    const error = toGatewayError(new NotStartedError('No port.'), undefined);
    assert.equal(failureMessage(error).helpPage, 'local-gateway/start#what-can-go-wrong');
  });

  it('quotes the gateway after the cause', () => {
    const detail = formatDetail(explain('rate-limited', { httpStatus: 429 }), 'Not today.');
    assert.equal(
      detail,
      'The gateway limits the request rate (HTTP 429): try again later. Message from the gateway: “Not today.”',
    );
  });

  it('offers another model first only if the model was the cause', () => {
    const findFirstAction = (kind: FailureKind, reason?: FailureReason) =>
      failureMessage(
        new GatewayError({
          kind,
          explanation: explain('model-unavailable', { httpStatus: 404 }),
          requestedAt: new Date(0),
          requestId: 'r',
          ...(reason && { reason }),
        }),
      ).actions[0];
    assert.equal(findFirstAction('model-unavailable'), 'choose-model');
    assert.equal(findFirstAction('model-unavailable', 'unsuited-model'), 'choose-model');
    for (const kind of ['unreachable', 'authentication', 'server', 'quota'] as const) {
      assert.notEqual(findFirstAction(kind), 'choose-model');
    }
  });

  it('does not contain a link, an icon or a hidden character from a value', () => {
    const cause = 'a [link](command:x)\n\u202e$(error) {gateway}';
    const words = describeExplanation(explain('gateway-not-started', { gateway: '{cause}', cause }));
    assert.equal(words, '{cause} did not start. a [link] (command:x) $ (error) {gateway}');
  });

  it('comes for a ledger problem from its explanation, or from the gateway’s message', () => {
    const explanation = explain('result-in-cloud');
    const problem = { message: 'English', explanation };
    assert.equal(describeStoredProblem(problem), inEnglish(explanation));
    assert.equal(describeStoredProblem({ message: 'The link has expired.' }), 'The link has expired.');
    assert.equal(
      describeStoredProblem({ ...problem, gatewayMessage: 'Not today.' }),
      `${inEnglish(explanation)} Message from the gateway: “Not today.”`,
    );
  });
});
