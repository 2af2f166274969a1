import assert from 'node:assert/strict';
import { storedResponsesRoutes } from '../../../src/wire/apis/responses/format.ts';
import { textFormats } from '../../../src/wire/apis/textFormats.ts';
import { videoSynthesis } from '../../../src/wire/apis/videoSynthesis/videoRoute.ts';
import { getFailureEffect } from '../../../src/wire/failures/failureEffect.ts';
import type { FailureKind } from '../../../src/wire/failures/gatewayError.ts';
import { readInnerFailure, readReplyFailure } from '../../../src/wire/failures/replyFailure.ts';
import { type Route, routes } from '../../../src/wire/routes.ts';

const allRoutes: readonly Route[] = [
  ...Object.values(routes),
  ...textFormats.flatMap((format) => format.routes),
  ...Object.values(storedResponsesRoutes),
  videoSynthesis.route,
];
const groups = [...new Set(allRoutes.map(({ group }) => group))];
const statuses = Array.from({ length: 300 }, (_, at) => 300 + at);

/** Words of every class, and words that only look like some. */
const codes = [
  'load_balancer_timeout',
  'content_filter_timeout',
  'billing_service_unavailable',
  'rate_limit_error',
  'quota_service_unavailable',
  'authentication_error',
  'invalid_api_key',
  'insufficient_quota',
  'insufficient_balance',
  'model_not_found',
  'ModelNotFound',
  'content_policy_violation',
  'invalid_request_error',
  'Throttling.User',
  'RESOURCE_EXHAUSTED',
  'server_error',
];
const sentences = [
  'Words of the gateway',
  'no available channel for model m',
  '无可用渠道',
  'The model `m` does not exist',
  'Incorrect API key provided',
  '余额不足',
  '404 page not found',
];
const bodies = [
  ...codes.flatMap((code) => [
    { error: { code, message: 'Words' } },
    { error: { code: null, type: code, message: 'Words' } },
    { code, message: 'Words', request_id: 'r' },
    { type: 'error', error: { type: code, message: 'Words' } },
    { error: { code: 401, status: code, message: 'Words' } },
  ]),
  ...sentences.flatMap((message) => [
    { error: { message } },
    { code: 401, message, data: null },
    { detail: message },
  ]),
].map((body) => JSON.stringify(body));
const texts = ['', '<html><title>Sign in</title></html>', ...sentences, ...bodies];

const url = new URL('https://gateway.example/v1/x');
const readFailure = (status: number, body: string, group: (typeof groups)[number]) =>
  readReplyFailure({ status, headers: {}, body, group, url, now: new Date(0) });

describe('the effect of a failure', () => {
  it('F33 depends on the status only, for every message and route', function () {
    // Tens of thousands of replies are slow when other work runs at the same time.
    this.timeout(30_000);
    for (const status of statuses) {
      const expected = getFailureEffect({ status, kind: 'server', wasSent: true });
      for (const group of groups) {
        const differing = texts.filter((text) => {
          const { isUnbilled, otherRequests } = getFailureEffect({
            ...readFailure(status, text, group),
            wasSent: true,
          });
          return isUnbilled !== expected.isUnbilled || otherRequests !== expected.otherRequests;
        });
        assert.deepEqual(differing, [], `${status} ${group}`);
      }
    }
  });

  it('F33 includes a possible bill for every 5xx', () => {
    for (const status of statuses.filter((each) => each >= 500)) {
      for (const text of texts) {
        const failure = readFailure(status, text, 'videoSynthesis');
        assert.deepEqual(getFailureEffect({ ...failure, wasSent: true }), {
          isUnbilled: false,
          otherRequests: 'continue',
        });
      }
    }
  });

  it('F33 includes a possible bill for an error in a successful reply', () => {
    for (const text of bodies) {
      const failure = { ...readInnerFailure(JSON.parse(text)), status: 200 };
      assert.deepEqual(getFailureEffect({ ...failure, wasSent: true }), {
        isUnbilled: false,
        otherRequests: 'continue',
      });
    }
  });

  const table: readonly (readonly [
    status: number,
    mayBeBilled: boolean,
    otherRequests: ReturnType<typeof getFailureEffect>['otherRequests'],
  ])[] = [
    [200, true, 'continue'],
    [301, true, 'back-off'],
    [302, true, 'back-off'],
    [303, true, 'back-off'],
    [307, true, 'back-off'],
    [308, true, 'back-off'],
    [400, false, 'continue'],
    [401, false, 'pause'],
    [402, false, 'continue'],
    [403, false, 'pause'],
    [404, false, 'continue'],
    [405, false, 'continue'],
    [407, false, 'back-off'],
    [408, true, 'continue'],
    [409, false, 'continue'],
    [410, false, 'continue'],
    [413, false, 'continue'],
    [415, false, 'continue'],
    [422, false, 'continue'],
    [424, true, 'continue'],
    [425, true, 'continue'],
    [429, false, 'slow-down'],
    [451, false, 'continue'],
    [499, true, 'continue'],
    [500, true, 'continue'],
    [502, true, 'continue'],
    [503, true, 'continue'],
    [504, true, 'continue'],
    [524, true, 'continue'],
    [529, true, 'continue'],
  ];
  for (const [status, mayBeBilled, otherRequests] of table) {
    it(`F33 for ${status} is: ${mayBeBilled ? 'there may be a task' : 'nothing was created'}, otherRequests ${otherRequests}`, () => {
      const facts = { status, kind: 'server' as const };
      assert.deepEqual(getFailureEffect({ ...facts, wasSent: true }), {
        isUnbilled: !mayBeBilled,
        otherRequests,
      });
      assert.deepEqual(getFailureEffect({ ...facts, wasSent: false }), { isUnbilled: true, otherRequests });
    });
  }

  const effectsWithoutReply: readonly (readonly [
    kind: FailureKind,
    otherRequests: ReturnType<typeof getFailureEffect>['otherRequests'],
  ])[] = [
    ['unreachable', 'back-off'],
    ['authentication', 'pause'],
    ['cancelled', 'continue'],
    ['malformed-reply', 'continue'],
    ['server', 'continue'],
  ];
  for (const [kind, otherRequests] of effectsWithoutReply) {
    it(`F9 F33 for ${kind} without a reply proves that nothing was created only if nothing was sent`, () => {
      assert.deepEqual(getFailureEffect({ kind, wasSent: false }), { isUnbilled: true, otherRequests });
      assert.deepEqual(getFailureEffect({ kind, wasSent: true }), { isUnbilled: false, otherRequests });
      assert.deepEqual(getFailureEffect({ kind }), { isUnbilled: false, otherRequests });
    });
  }

  it('F101 is a back-off for a keyring that does not respond, without waiting for another credential', () => {
    const kind = 'authentication';
    const unanswered = { wasSent: false, kind, reason: 'credential-timeout' } as const;
    assert.deepEqual(getFailureEffect(unanswered), { isUnbilled: true, otherRequests: 'back-off' });
    assert.deepEqual(getFailureEffect({ wasSent: false, kind }), {
      isUnbilled: true,
      otherRequests: 'pause',
    });
  });

  it('does not stop other tasks if another account at the address was removed', () => {
    const otherAccount = { wasSent: false, kind: 'authentication', reason: 'another-account' } as const;
    assert.deepEqual(getFailureEffect(otherAccount), { isUnbilled: true, otherRequests: 'continue' });
  });
});
