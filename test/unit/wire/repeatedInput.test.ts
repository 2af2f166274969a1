import assert from 'node:assert/strict';
import { readErrorBody } from '../../../src/wire/failures/errorBody.ts';
import { findRefusalKind } from '../../../src/wire/failures/replyFailure.ts';

/** Sentences of providers about a credential, as the name or the value of a field. */
const phrases = [
  'API key not valid',
  'invalid api key',
  'unknown api key',
  'authentication failed',
  'unauthorized',
  'credit balance is too low',
  'insufficient balance',
  'not enough credits',
  'spending limit',
  '余额不足',
  'rate limit exceeded',
  'too many requests',
  'key limit exceeded',
  'API key 无效',
];

const error = (message: string, more: object = {}) => ({ error: { message, ...more } });
const violation = (field: string, description: string) => ({
  details: [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
  ],
});

/** Errors of providers about a field or a value `x` of a request. */
const forms: Readonly<Record<string, (x: string) => readonly [status: number, body: unknown]>> = {
  'Google, an unknown name': (x) => {
    const message = `Invalid JSON payload received. Unknown name "${x}" at 'generation_config': Cannot find field.`;
    return [400, error(message, { status: 'INVALID_ARGUMENT', ...violation('generation_config', message) })];
  },
  'Google, only a violation': (x) => [400, error(x, violation('generation_config', x))],
  'OpenAI, a value': (x) => [400, error(`Invalid value: '${x}'. Supported values are: 'a', 'b'.`)],
  'OpenAI, an unknown parameter': (x) => [400, error(`Unknown parameter: '${x}'.`)],
  'OpenAI, an argument': (x) => [400, error(`Unrecognized request argument supplied: ${x}`)],
  'OpenAI, arguments': (x) => [400, error(`Unrecognized request arguments supplied: ${x}, b`)],
  'OpenAI, a property': (x) => [400, error(`Additional properties are not allowed ('${x}' was unexpected)`)],
  'OpenAI, a parameter': (x) => [400, error(x, { param: 'tool_choice' })],
  'OpenAI, a model': (x) => [404, error(`The model \`${x}\` does not exist`, { code: 'model_not_found' })],
  'OpenAI, a file': (x) => [404, error(`File ${x} not found`)],
  'Anthropic, a field': (x) => [400, error(`${x}: Extra inputs are not permitted`)],
  'Anthropic, a nested field': (x) => [400, error(`messages.0.${x}: Extra inputs are not permitted`)],
  'Go, a field': (x) => [400, error(`json: unknown field "${x}"`)],
  'serde, a field': (x) => [400, { error: `unknown field \`${x}\`, expected one of \`a\`, \`b\`` }],
  'zod, keys': (x) => [400, error(`Unrecognized key(s) in object: '${x}'`)],
  'zod, keys without quotes': (x) => [400, error(`Unrecognized keys: ${x}`)],
  'FastAPI, a value': (x) => [
    422,
    { detail: [{ loc: ['body', 'a'], msg: `Value error, ${x} is not allowed` }] },
  ],
  'FastAPI, a name': (x) => [
    422,
    { detail: [{ loc: ['body', x], msg: `Value error, ${x} is not allowed` }] },
  ],
  'Pydantic as text': (x) => [400, error(`[{'loc': ('body', 'a'), 'msg': 'Words', 'input': '${x}'}]`)],
  'Ollama, a model': (x) => [404, { error: `model '${x}' not found, try pulling it first` }],
  'DashScope, a size': (x) => [400, { code: 'InvalidParameter', message: `size '${x}' is invalid` }],
  'a role without quotes': (x) => [422, { message: `${x} is not a valid role` }],
  'a voice without quotes': (x) => [400, error(`Unsupported voice: ${x}`)],
  'an address without quotes': (x) => [400, error(`Failed to download the image from ${x}`)],
  'a code for another problem': (x) => [400, error(`Look at ${x}`, { code: 'content_filter' })],
  'curly quotes': (x) => [400, error(`size “${x}” has a problem`)],
  'quotes in Chinese': (x) => [400, error(`图片尺寸「${x}」有误`)],
  'quotes inside the quotes': (x) => [400, error(`size "a" ${x} "b" has a problem`)],
  'another kind of quotes inside the quotes': (x) => [400, error(`size "a' ${x} 'b" has a problem`)],
  'a text without its last quote': (x) => [400, error(`size "a" or "${x}${'x'.repeat(3_000)}"`)],
  'a quoted text of a 403': (x) => [403, error(`You are not allowed to sample from "${x}"`)],
  'a parameter in Chinese': (x) => [400, error(`参数 ${x} 错误`)],
};

describe('an error that repeats text of the request', () => {
  for (const [form, make] of Object.entries(forms)) {
    it(`is not about the credential: ${form}`, () => {
      for (const phrase of phrases) {
        const [status, body] = make(phrase);
        const kind = findRefusalKind(readErrorBody(JSON.stringify(body)), status);
        const expected = status === 403 ? ['authentication'] : ['invalid-parameters', 'model-unavailable'];
        assert.ok(expected.includes(String(kind)), `${phrase}: ${kind}`);
      }
    });
  }

  const refusals: readonly (readonly [kind: string, status: number, body: object])[] = [
    ['authentication', 400, error('API key not valid. Please pass a valid API key.')],
    ['authentication', 400, error('Words', { details: [{ reason: 'API_KEY_INVALID' }] })],
    ['authentication', 400, { message: 'Wrong API Key', param: 'api_key', code: 'wrong_api_key' }],
    ['authentication', 400, error('invalid x-api-key')],
    ['authentication', 400, error("Incorrect API key provided: 'a***b'. You can't use it.")],
    ['authentication', 422, error('Invalid or missing API key', { param: 'None' })],
    ['authentication', 424, error('The API key is invalid')],
    ['quota', 400, error('Your credit balance is too low to access the API.', { param: null })],
    ['quota', 400, error('Bad request: insufficient balance')],
    ['quota', 400, error("You don't have enough credits to run this task, and can't go on.")],
    ['quota', 400, error('Words', { code: 'insufficient_quota', param: 'model' })],
    ['quota', 403, error("Your newly created team doesn't have any credits yet.")],
    ['quota', 429, error('Insufficient credits, so this parameter is not supported')],
    ['rate-limited', 400, error('Rate limit exceeded')],
  ];
  for (const [kind, status, body] of refusals) {
    it(`does not hide a refused credential: ${status} with ${JSON.stringify(body)}`, () => {
      assert.equal(findRefusalKind(readErrorBody(JSON.stringify(body)), status), kind);
    });
  }
});
