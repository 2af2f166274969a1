import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChatCompletionsDecoder } from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import { catalogueEntry } from '../../../src/wire/failures/failureCatalogue.ts';
import { getFailureEffect } from '../../../src/wire/failures/failureEffect.ts';
import {
  type FailureDetails,
  readInnerFailure,
  readReplyFailure,
} from '../../../src/wire/failures/replyFailure.ts';
import { ReplyDecoder } from '../../../src/wire/stream/replyDecoder.ts';
import { bodies, type FailedReplyRow, readFailureReplies } from '../../support/failureReplies.ts';

const now = new Date('2026-01-01T00:00:00Z');

/** The sentence that a user reads for each class. `wait` is present if a wait was reported. */
const sentences: Readonly<Record<string, string>> = {
  authentication: 'The gateway refused the credential{status}: check it, or set it again.',
  'model-unavailable': 'This account cannot use the model{status}: choose another one from the model list.',
  'model-unavailable/unsuited-model':
    'The model does not support this API format{status}: choose another model, or another format.',
  'invalid-parameters': 'The gateway refused the request{status}: correct the request and send it again.',
  'invalid-parameters/too-large': 'The request is larger than the gateway accepts{status}: shorten it.',
  'invalid-parameters/cache-fields-refused':
    'The gateway does not accept fields for prompt caching{status}: set "promptCaching": false for this gateway in ',
  'invalid-parameters/context-too-long':
    'The request is too long for the model{status}: shorten it, start a new chat, or choose a model with a larger context.',
  'invalid-parameters/content-filter':
    "The provider's content filter refused the request{status}: rephrase it.",
  'rate-limited': 'The gateway limits the request rate{status}: try again {wait}.',
  quota: 'The account has no quota or balance left{status}: top it up, or use another one.',
  server: 'The gateway or the provider behind it failed{status}: try again.',
  'server/upstream-credential':
    'A provider behind the gateway refused the gateway’s own key{status}: the gateway’s administrator must replace it; ',
  'server/own-upstream-credential':
    'An upstream refused the key that the local gateway sent{status}: set the upstream’s key, then ',
  'server/upstream-unusable':
    'An upstream of the gateway is not configured correctly{status}: its configuration ',
  'unreachable/no-such-route':
    'The gateway does not serve this address{status}: check the address, which must not include the route, or choose another API format.',
  'unreachable/not-a-gateway': 'No gateway was found at this address{status}: check the address.',
  'unreachable/proxy-credentials': 'A proxy requires a sign-in{status}: sign in to the proxy.',
  'unreachable/redirect': 'The server ',
  'unreachable/region':
    'The gateway or its provider does not serve the region that the request came from{status}: choose another model, or use another network.',
  'unreachable/challenge': 'Bot protection in front of the gateway allows only browsers{status}: ask ',
  'unreachable/blocked': 'A firewall or a proxy blocked the request{status}: ask ',
  'unreachable/network-sign-in': 'The network requires a sign-in{status}: sign in to it in a browser',
  'invalid-parameters/headers-too-large':
    'The headers of the request are larger than the gateway accepts{status}: check the credential.',
  'malformed-reply': 'The reply is not in a known format (neither JSON nor an event stream): ',
  'malformed-reply/empty-reply': 'The gateway sent an empty reply: try again, or check the address.',
};

function readFailure(row: FailedReplyRow): FailureDetails {
  const { status, headers, body, group, route, failureClass } = row;
  if (status !== 200) {
    const isLocalGateway = failureClass.includes('/own-');
    const url = new URL(isLocalGateway ? 'http://127.0.0.1:8787/v1/x' : 'https://gateway.example/v1/x');
    return readReplyFailure({ status, headers, body, group, route, url, now });
  }
  const decoder = new ReplyDecoder(new ChatCompletionsDecoder());
  decoder.write(Buffer.from(body));
  decoder.flush();
  const conclusion = decoder.conclude();
  assert.ok('failure' in conclusion, 'this is not a failure');
  return conclusion.failure;
}

function findSentence({ failureClass, status, hint, route, body, message }: FailedReplyRow): string {
  if (route === 'cancelTask' && status === 409) return 'The gateway did not cancel the task';
  if (/Task$/.test(route) && failureClass === 'invalid-parameters')
    return 'The gateway did not find this task';
  if (failureClass === 'invalid-parameters' && message === '-' && status !== 200)
    return `The gateway refused the request without a reason (HTTP ${status}): `;
  if (status === 200 && body.startsWith('<')) return 'The address returned a web page';
  const ms = /^[1-9]\d*$/.test(hint) ? Math.ceil(Number(hint) / 1000) : 0;
  return (sentences[failureClass] ?? 'no sentence')
    .replace('{status}', status === 200 ? '' : ` (HTTP ${status})`)
    .replace('{wait}', ms > 0 ? `in ${ms} s` : 'later');
}

describe('the table of failures', () => {
  const all = [...readFailureReplies()];

  it('has at least 150 rows', () => assert.ok(all.length >= 150, `${all.length}`));

  for (const row of all) {
    it(row.title, () => {
      const failure = readFailure(row);
      const {
        kind,
        reason,
        retryAfterMs,
        isRetryAdvised,
        gatewayMessage = '-',
        field,
        explanation,
      } = failure;
      assert.equal(reason === undefined ? kind : `${kind}/${reason}`, row.failureClass);
      const retry = retryAfterMs === undefined ? '-' : String(Math.round(retryAfterMs));
      assert.equal(`${retry}${isRetryAdvised === false ? '!' : ''}`, row.hint);
      const [step] = catalogueEntry(failure).steps;
      assert.equal(step === 'show-field' ? `${step} ${field}` : step, row.step);
      if (row.message.startsWith('~')) assert.ok(gatewayMessage.startsWith(row.message.slice(1)));
      else assert.equal(gatewayMessage, row.message);
      assert.ok(inEnglish(explanation).startsWith(findSentence(row)), inEnglish(explanation));
    });
  }

  it('F33 has effects that depend only on the status', () => {
    for (const row of all.filter(({ status }) => status !== 200)) {
      const plain = getFailureEffect({ kind: 'server', status: row.status, wasSent: true });
      assert.deepEqual(getFailureEffect({ ...readFailure(row), wasSent: true }), plain, row.title);
    }
  });
});

describe('any failed reply', () => {
  const invalidBodies = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('', '<', '[', '{"error":', '\u0000', '[object Object]', 'fetch failed', bodies['@deep']),
    fc
      .dictionary(
        fc.constantFrom(
          'error',
          'message',
          'detail',
          'details',
          'code',
          'param',
          'errors',
          'base_resp',
          'loc',
        ),
        fc.jsonValue(),
      )
      .map((body) => JSON.stringify({ error: body, ...body })),
  );
  const headers = fc.dictionary(
    fc.constantFrom('retry-after', 'retry-after-ms', 'x-should-retry', 'location', 'x-ratelimit-reset'),
    fc.oneof(fc.string(), fc.array(fc.string())),
  );
  const url = new URL('https://gateway.example/v1/x');

  it('F39 becomes an explanation, a title and a next step without internal words', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 999 }),
        invalidBodies,
        headers,
        (status, body = '', replyHeaders) => {
          const failure = readReplyFailure({ status, headers: replyHeaders, body, group: 'x', url, now });
          assertExplained(failure);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('F39 is explained in the same way under a good status', () => {
    fc.assert(
      fc.property(fc.anything(), (error) => assertExplained(readInnerFailure(error))),
      { numRuns: 2000 },
    );
  });
});

function assertExplained(failure: FailureDetails): void {
  const { title, steps } = catalogueEntry(failure);
  const words = `${title} ${inEnglish(failure.explanation)}`;
  assert.match(words, /^[A-Z][^{}]+ [A-Z][^{}]+\.$/);
  assert.doesNotMatch(words, /fetch failed|\[object|undefined|NaN/);
  assert.ok(steps.length > 0);
  assert.match(failure.field ?? 'a', /^[\w.-]{1,1000}$/);
}
