import assert from 'node:assert/strict';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import { readReplyFailure } from '../../../src/wire/failures/replyFailure.ts';
import { assertLinear } from '../../support/linearCost.ts';

const openai = (message: string, code: string | number | null = null, type: string | null = null) => ({
  error: { message, type, param: null, code },
});

function readFailure(status: number, body: unknown, group = 'chatCompletions') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const url = new URL('https://gateway.example/v1/chat/completions');
  return readReplyFailure({ status, headers: {}, body: text, group, url, now: new Date(0) });
}

describe('a wrong address', () => {
  const bodies: Record<string, unknown> = {
    'Go, Gin and Traefik': '404 page not found',
    'Go in JSON text': '"404 page not found"',
    OpenAI: openai('Invalid URL (POST /v1/v1/chat/completions)', null, 'invalid_request_error'),
    'OpenAI, older': openai('Unrecognized request URL (POST: /v1/v1/x).', null, 'invalid_request_error'),
    'new-api': openai('Invalid URL (POST /v1/v1/chat/completions)', '', 'invalid_request_error'),
    Groq: openai('Unknown request URL: POST /x. Please check the URL for typos', 'unknown_url'),
    Express: 'Cannot POST /v1/v1/chat/completions',
    Nest: { message: 'Cannot POST /v1/v1/x', error: 'Not Found', statusCode: 404 },
    FastAPI: { detail: 'Not Found' },
    'FastAPI, another method': { detail: 'Not Found', status: 405 },
    Kong: { message: 'no Route matched with those values' },
    'Spring, no handler': { message: 'No handler found for POST /v1/v1/chat/completions' },
    'a path in a text': { message: 'Path not found: /v1/v1/chat/completions' },
    'a route in Chinese': { error: { message: '路由不存在' } },
    'an interface in Chinese': { code: 404, msg: '请求的接口不存在: POST /v1/v1/chat/completions' },
    Fastify: { message: 'Route POST:/v1/v1/x not found', error: 'Not Found', statusCode: 404 },
    Laravel: { message: 'The route v1/v1/chat/completions could not be found.' },
    Spring: { timestamp: '2026-01-01', status: 404, error: 'Not Found', path: '/v1/v1/x' },
    Hono: '404 Not Found',
    'llama.cpp': { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } },
    OmniRoute: openai('Unknown API route: /v1beta/interactions'),
    Azure: { error: { code: '404', message: 'Resource not found' } },
    'LM Studio': { error: 'Unexpected endpoint or method. (POST /v1/v1/x)' },
  };
  for (const [server, body] of Object.entries(bodies)) {
    it(`is reported as a missing route, not as a missing model, for ${server}`, () => {
      const { kind, reason, explanation } = readFailure(404, body);
      assert.deepEqual([kind, reason], ['unreachable', 'no-such-route']);
      assert.match(inEnglish(explanation), /check the address/);
    });
  }

  const pages = {
    nginx: '<html><head><title>404 Not Found</title></head><body>nginx</body></html>',
    Express: '<!DOCTYPE html><html><title>Error</title><pre>Cannot POST /v1/v1/x</pre></html>',
  };
  for (const [server, page] of Object.entries(pages)) {
    it(`is reported for a web page of ${server}`, () => {
      assert.deepEqual(
        [readFailure(404, page).kind, readFailure(404, page).reason],
        ['unreachable', 'not-a-gateway'],
      );
    });
  }

  it('is not reported for a missing task or response', () => {
    for (const group of ['tasks', 'storedResponses'] as const) {
      assert.equal(readFailure(404, { detail: 'Not Found' }, group).kind, 'invalid-parameters');
      assert.equal(readFailure(404, { detail: 'Task not found' }, group).kind, 'invalid-parameters');
      assert.equal(readFailure(404, '404 page not found', group).reason, 'no-such-route');
      assert.equal(readFailure(404, openai('Invalid URL (GET /v1/tasks/1)'), group).reason, 'no-such-route');
    }
  });

  it('P9 is searched for in linear time', () => {
    for (const createText of [
      (n: number) => 'model '.repeat(n),
      (n: number) => `model "${'x'.repeat(n)}`,
      (n: number) => 'not '.repeat(n),
      (n: number) => '模型'.repeat(n),
    ]) {
      assertLinear(createText, (text) => {
        readFailure(404, openai(text));
        readFailure(400, text);
      });
    }
  });
});
