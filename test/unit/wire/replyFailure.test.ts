import assert from 'node:assert/strict';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import type { FailureKind, FailureReason } from '../../../src/wire/failures/gatewayError.ts';
import { readReplyFailure } from '../../../src/wire/failures/replyFailure.ts';

function readFailure(
  status: number,
  body: unknown,
  more: Partial<Parameters<typeof readReplyFailure>[0]> = {},
) {
  return readReplyFailure({
    status,
    headers: {},
    body: typeof body === 'string' ? body : JSON.stringify(body),
    group: 'chatCompletions',
    url: new URL('https://gateway.example/v1/chat/completions'),
    now: new Date('2026-01-01T00:00:00Z'),
    ...more,
  });
}

const openai = (type: string | null, code: string | null = null, message = 'Words of the gateway') => ({
  error: { message, type, param: null, code },
});
const google = (status: string, code: number, details: readonly object[] = []) => ({
  error: { code, message: 'Words of the gateway', status, details },
});
const nginx = (words: string) =>
  `<html><head><title>${words}</title></head><body><center><h1>${words}</h1></center><hr>nginx</body></html>`;

describe('a refusal about a task', () => {
  it('explains the refused action and the next step', () => {
    const words = (route: string, status = 409) =>
      inEnglish(readFailure(status, { error: { message: 'Words' } }, { group: 'tasks', route }).explanation);
    const messages = ['cancelTask', 'deleteTask', 'readTask', 'listTasks'].map((route) => words(route));
    for (const [nth, act] of ['cancel', 'delete', 'report', 'list'].entries()) {
      assert.match(messages[nth] ?? '', new RegExp(`^The gateway did not ${act} .*\\(HTTP 409\\): `));
    }
    for (const sentence of messages) assert.doesNotMatch(sentence, /objects to|send it again/);
    for (const route of ['cancelTask', 'deleteTask', 'readTask'])
      assert.match(words(route, 410), /^The gateway did not find this task \(HTTP 410\)/);
    assert.match(words('interactions', 409), /correct the request/);
  });
});

type Row = readonly [status: number, body: unknown, kind: FailureKind, reason?: FailureReason];

describe('the class of a failed reply', () => {
  const tables: Record<string, readonly Row[]> = {
    'follows the status if the body has no meaning': [
      [400, openai('invalid_request_error'), 'invalid-parameters'],
      [401, '', 'authentication'],
      [402, '', 'quota'],
      [403, { error: 'Forbidden' }, 'authentication'],
      [404, openai('invalid_request_error'), 'model-unavailable'],
      [405, {}, 'invalid-parameters'],
      [407, nginx('407 Proxy Authentication Required'), 'unreachable', 'proxy-credentials'],
      [408, '', 'server'],
      [409, '', 'invalid-parameters'],
      [410, '', 'model-unavailable'],
      [413, nginx('413 Request Entity Too Large'), 'invalid-parameters', 'too-large'],
      [415, '', 'invalid-parameters'],
      [422, { detail: [{ loc: ['body', 'n'], msg: 'Words', type: 'int' }] }, 'invalid-parameters'],
      [424, '', 'server'],
      [425, '', 'server'],
      [429, '', 'rate-limited'],
      [499, '', 'server'],
      [500, '', 'server'],
      [502, nginx('502 Bad Gateway'), 'server'],
      [503, openai('upstream_error', 'bad_response_status_code'), 'server'],
      [524, '<title>host | 524: A timeout occurred</title>', 'server'],
      [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'server'],
    ],
    'is quota if the body is about money': [
      [429, openai('insufficient_quota'), 'quota'],
      [429, openai('tokens', 'credit_balance_exhausted'), 'quota'],
      [403, openai('new_api_error', 'pre_consume_token_quota_failed'), 'quota'],
      [400, openai('budget_exceeded', '400'), 'quota'],
      [400, { code: 'Arrearage', message: 'Words', request_id: '1' }, 'quota'],
      [429, { code: 'Throttling.AllocationQuota', message: 'Words' }, 'quota'],
      [400, { type: 'error', error: { type: 'billing_error', message: 'Words' } }, 'quota'],
      [
        429,
        {
          type: 'error',
          error: { type: 'rate_limit_error', details: { error_code: 'org_spend_limit_reached' } },
        },
        'quota',
      ],
      [
        429,
        google('RESOURCE_EXHAUSTED', 429, [
          { violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] },
        ]),
        'quota',
      ],
    ],
    'F33 is server for a 5xx with any body': [
      [504, openai(null, 'load_balancer_timeout'), 'server'],
      [500, openai(null, 'content_filter_timeout'), 'server'],
      [503, openai(null, 'billing_service_unavailable'), 'server'],
      [500, openai('rate_limit_error'), 'server'],
      [500, openai('authentication_error'), 'server'],
      [500, openai('auth_error', '500'), 'server'],
      [503, openai('insufficient_quota', 'insufficient_quota'), 'server'],
      [500, { code: 'InvalidApiKey', message: 'Words' }, 'server'],
      [502, openai('upstream_error', null, 'The model `m` does not exist'), 'server'],
      [503, google('RESOURCE_EXHAUSTED', 429), 'server'],
      [500, openai('invalid_request_error', 'content_policy_violation'), 'server'],
    ],
    'matches codes only as whole words': [
      [400, openai(null, 'load_balancer_timeout'), 'invalid-parameters'],
      [400, openai(null, 'content_filter_timeout'), 'invalid-parameters'],
      [429, openai(null, 'billing_service_unavailable'), 'rate-limited'],
      [422, openai(null, 'rate_limiter_misconfigured'), 'invalid-parameters'],
      [408, openai(null, 'balance_lookup_timeout'), 'server'],
      [400, openai(null, 'no_model_not_found_handler'), 'invalid-parameters'],
      [400, openai(null, 'moderation_queue_full'), 'invalid-parameters'],
      [403, openai(null, 'quota_service_denied'), 'authentication'],
    ],
    'is model-unavailable with any status': [
      [503, openai('new_api_error', 'model_not_found'), 'model-unavailable'],
      [403, openai('invalid_request_error', 'model_not_found'), 'model-unavailable'],
      [404, { code: 'ModelNotFound', message: 'Words' }, 'model-unavailable'],
      [403, { code: 'Model.AccessDenied', message: 'Words' }, 'model-unavailable'],
      [503, openai('new_api_error', '', '当前分组下对于模型 m 无可用渠道'), 'model-unavailable'],
      [403, openai('', '', '该令牌无权使用模型 m'), 'model-unavailable'],
      [400, openai('invalid_request_error', '400', 'Invalid model name passed in'), 'model-unavailable'],
    ],
    'is authentication with any status': [
      [400, google('INVALID_ARGUMENT', 400, [{ reason: 'API_KEY_INVALID' }]), 'authentication'],
      [400, openai('authentication_error'), 'authentication'],
      [400, { code: 'InvalidApiKey', message: 'Words' }, 'authentication'],
      [400, { error: 'invalid_token', error_description: 'Words' }, 'authentication'],
    ],
    'is rate-limited with any status': [
      [400, openai('rate_limit_exceeded'), 'rate-limited'],
      [400, { code: 'Throttling.User', message: 'Words' }, 'rate-limited'],
      [429, { code: 'Throttling.RateQuota', message: 'Words' }, 'rate-limited'],
      [
        429,
        google('RESOURCE_EXHAUSTED', 429, [{ violations: [{ quotaId: 'RequestsPerMinutePerProject' }] }]),
        'rate-limited',
      ],
      [429, [google('RESOURCE_EXHAUSTED', 429)], 'rate-limited'],
    ],
    'reports a content filter': [
      [
        400,
        openai('invalid_request_error', 'content_policy_violation'),
        'invalid-parameters',
        'content-filter',
      ],
      [400, { code: 'DataInspectionFailed', message: 'Words' }, 'invalid-parameters', 'content-filter'],
      [400, openai('new_api_error', 'sensitive_words_detected'), 'invalid-parameters', 'content-filter'],
      [
        403,
        { error: { code: 403, message: 'Words', metadata: { error_type: 'content_policy_violation' } } },
        'invalid-parameters',
        'content-filter',
      ],
    ],
  };
  for (const [title, rows] of Object.entries(tables)) {
    for (const [status, body, kind, reason] of rows) {
      it(`${title}: ${status} ${JSON.stringify(body).slice(0, 90)}`, () => {
        const failure = readFailure(status, body);
        assert.deepEqual([failure.kind, failure.reason], [kind, reason]);
        assert.equal(failure.status, status);
      });
    }
  }

  it('distinguishes an unsupported country from a wrong key, for a 403 only', () => {
    const failure = (status: number, message: string) => {
      const { kind, reason } = readFailure(status, { error: { message } });
      return reason ?? kind;
    };
    for (const words of [
      'Region not supported',
      'Access denied: this country (XY) is not supported.',
      'Access from your region is not allowed',
      'Requests from your country are not permitted.',
      'We do not support your country or region',
      "The API isn't available in your current location",
      'Service unavailable in your country/region',
      '此区域不可用',
    ]) {
      assert.equal(failure(403, words), 'region', words);
      assert.equal(failure(401, words), 'authentication', words);
      assert.equal(failure(400, words), 'invalid-parameters', words);
      assert.equal(failure(429, words), 'rate-limited', words);
      assert.equal(failure(500, words), 'server', words);
    }
    for (const words of [
      'Your key is not allowed to use this region',
      'region us-east-5 is not supported for this key',
      'You do not have permission in this region',
      'Access to the resource in this region is not allowed',
      'The bucket is in a region that is not supported',
      'This operation is restricted',
      'Access to this location is forbidden',
    ])
      assert.equal(failure(403, words), 'authentication', words);
  });

  it('reports a missing model list or a missing page as a wrong address', () => {
    assert.equal(readFailure(404, '{}', { group: 'models' }).reason, 'not-a-gateway');
    assert.equal(readFailure(404, nginx('404 Not Found')).kind, 'unreachable');
  });

  it('F37 contains only the origin of a redirect’s target', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const moved = (location?: string) => readFailure(status, '', { headers: { location } });
      assert.equal(moved('/login').reason, 'redirect');
      assert.match(inEnglish(moved('/login').explanation), /redirects to https:\/\/gateway\.example /);
      assert.match(
        inEnglish(moved('http://user:pass@other.example:8080/x?token=1').explanation),
        /to http:\/\/other\.example:8080 /,
      );
      assert.doesNotMatch(
        inEnglish(moved('http://user:pass@other.example/x?token=1').explanation),
        /pass|token/,
      );
      for (const location of [undefined, 'http://[', 'javascript:alert(1)'])
        assert.match(inEnglish(moved(location).explanation), /a redirect without a target/);
    }
  });

  it('has a message with the status, the wait and the next step', () => {
    const { explanation, retryAfterMs } = readFailure(429, '', { headers: { 'retry-after': '3' } });
    assert.equal(inEnglish(explanation), 'The gateway limits the request rate (HTTP 429): try again in 3 s.');
    assert.equal(retryAfterMs, 3000);
  });

  it('F30 has the reset time of the used-up limit as its wait if a 429 has no retry time', () => {
    const headers = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' };
    assert.equal(readFailure(429, '', { headers }).retryAfterMs, 360_000);
    assert.equal(readFailure(429, '', { headers: { ...headers, 'retry-after': '3' } }).retryAfterMs, 3000);
    assert.equal(readFailure(400, '', { headers }).retryAfterMs, undefined);
  });

  it('does not quote the gateway in its own message', () => {
    const failure = readFailure(400, openai('x', 'y', 'the prompt, repeated'));
    assert.doesNotMatch(inEnglish(failure.explanation), /prompt/);
    assert.equal(failure.gatewayMessage, 'the prompt, repeated');
  });
});
