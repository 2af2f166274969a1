import assert from 'node:assert/strict';
import type { FailureKind } from '../../../src/wire/failures/gatewayError.ts';
import { readInnerFailure, readReplyFailure } from '../../../src/wire/failures/replyFailure.ts';

type Row = readonly [vendor: string, status: number, body: unknown];

const openai = (message: string, code: string | number | null = null, type: string | null = null) => ({
  error: { message, type, param: null, code },
});
const google = (code: number, status: string, message: string, details: readonly object[] = []) => ({
  error: { code, message, status, details },
});
const anthropic = (type: string, message: string, details?: object) => ({
  type: 'error',
  error: { type, message, ...(details && { details }) },
  request_id: 'req_1',
});
const dashScope = (code: string, message = 'Words') => ({ code, message, request_id: 'r' });
const violation = (quotaId: string) => [{ '@type': 'QuotaFailure', violations: [{ quotaId }] }];

function readFailure(status: number, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const url = new URL('https://gateway.example/v1/chat/completions');
  return readReplyFailure({
    status,
    headers: {},
    body: text,
    group: 'chatCompletions',
    url,
    now: new Date(0),
  });
}

const conditions: Record<string, { readonly kind: FailureKind; readonly rows: readonly Row[] }> = {
  'a bad or missing key': {
    kind: 'authentication',
    rows: [
      ['OpenAI', 401, openai('Incorrect API key provided', 'invalid_api_key', 'invalid_request_error')],
      ['Google', 400, google(400, 'INVALID_ARGUMENT', 'API key not valid.', [{ reason: 'API_KEY_INVALID' }])],
      ['Google, no key', 403, google(403, 'PERMISSION_DENIED', 'Method does not allow unregistered callers')],
      ['Google, interactions', 401, google(401, 'UNAUTHENTICATED', 'Words')],
      ['Anthropic', 401, anthropic('authentication_error', 'invalid x-api-key')],
      ['DashScope', 401, dashScope('InvalidApiKey')],
      ['OpenRouter', 401, { error: { code: 401, message: 'No auth credentials found' } }],
      ['new-api', 401, openai('无效的令牌', '', 'new_api_error')],
      ['one-api', 401, openai('令牌已过期', '', 'one_api_error')],
      ['LiteLLM', 401, openai('Authentication Error', '401', 'auth_error')],
      [
        'LiteLLM, older',
        400,
        openai('Authentication Error, Invalid proxy server token', '400', 'auth_error'),
      ],
      ['SiliconFlow', 401, '"Invalid token"'],
      ['a cloud proxy', 401, { error: 'invalid_token', error_description: 'The access token expired' }],
    ],
  },
  'a key that is not allowed': {
    kind: 'authentication',
    rows: [
      ['OpenAI', 403, openai('You must be a member of an organization to use the API')],
      ['Google', 403, google(403, 'PERMISSION_DENIED', 'Permission denied on resource')],
      ['Anthropic', 403, anthropic('permission_error', 'Your API key does not have permission')],
      ['DashScope', 403, dashScope('AccessDenied', 'Access denied.')],
      ['OpenRouter', 403, { error: { code: 403, message: 'Forbidden' } }],
      ['new-api', 403, openai('您的 IP 不在令牌允许访问的列表中', 'access_denied', 'new_api_error')],
      ['one-api, banned', 403, openai('用户已被封禁', '', 'one_api_error')],
    ],
  },
  'an unknown model': {
    kind: 'model-unavailable',
    rows: [
      [
        'OpenAI',
        404,
        openai('The model `m` does not exist or you do not have access to it.', 'model_not_found'),
      ],
      ['OpenAI, no code', 404, openai('The model `m` does not exist or you do not have access to it.')],
      [
        'Google',
        404,
        google(404, 'NOT_FOUND', 'models/m is not found for API version v1beta, or is not supported'),
      ],
      ['Vertex', 404, [google(404, 'NOT_FOUND', 'Publisher Model `projects/p/models/m` was not found')]],
      ['Anthropic', 404, anthropic('not_found_error', 'model: m')],
      ['DashScope', 404, dashScope('ModelNotFound', 'Model can not be found.')],
      ['DashScope, native', 400, dashScope('InvalidParameter', 'Model not exist.')],
      ['OpenRouter', 400, { error: { code: 400, message: 'm/x is not a valid model ID' } }],
      ['OpenRouter, no endpoint', 404, { error: { code: 404, message: 'No endpoints found for m/x.' } }],
      [
        'new-api',
        503,
        openai('No available channel for model m under group g (distributor)', 'model_not_found'),
      ],
      ['new-api, no code', 503, openai('当前分组 default 下对于模型 m 无可用渠道', '', 'new_api_error')],
      ['one-api', 503, openai('当前分组 default 下对于模型 m 无可用渠道', '', 'one_api_error')],
      [
        'LiteLLM',
        400,
        openai('/chat/completions: Invalid model name passed in model=m. Call `/v1/models`', '400'),
      ],
      ['DeepSeek', 400, openai('Model Not Exist', 'invalid_request_error', 'invalid_request_error')],
      [
        'SiliconFlow',
        400,
        { code: 20012, message: 'Model does not exist. Please check it carefully.', data: null },
      ],
      ['SiliconFlow, other words', 400, { code: 20012, message: 'Words', data: null }],
      ['Mistral', 400, { object: 'error', message: 'Invalid model: m', type: 'invalid_model', code: '1500' }],
      [
        'Groq',
        404,
        openai('The model `m` does not exist or you do not have access to it.', 'model_not_found'),
      ],
      ['Groq, retired', 400, openai('The model `m` has been decommissioned', 'model_decommissioned')],
      ['Together', 404, openai('Unable to access model m. Please visit the list', 'model_not_available')],
      ['Fireworks', 404, openai('Model not found, inaccessible, and/or not deployed', 'NOT_FOUND')],
      [
        'vLLM',
        404,
        { object: 'error', message: 'The model `m` does not exist.', type: 'NotFoundError', code: 404 },
      ],
      ['Ollama', 404, openai('model "m" not found, try pulling it first', null, 'api_error')],
      ['Ollama, native', 404, { error: "model 'm:7b' not found" }],
      ['LM Studio', 404, openai('Model "m" not found', 'model_not_found')],
      [
        'Azure',
        404,
        { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' } },
      ],
      ['Azure, no code', 404, { error: { message: 'The API deployment for this resource does not exist.' } }],
      ['GitHub', 400, { error: { code: 'unknown_model', message: 'Unknown model: m' } }],
      ['Bedrock', 400, { message: 'The provided model identifier is invalid.' }],
      [
        'Bedrock, gone',
        404,
        { message: 'Could not resolve the foundation model from the model identifier.' },
      ],
      ['Cohere', 404, { message: "model 'm' not found, make sure the correct model ID was used" }],
      ['xAI', 404, { code: 'Some requested entity was not found', error: 'The model m does not exist' }],
      [
        'Perplexity',
        400,
        openai("Invalid model 'm'. Permitted models can be found in the docs", 400, 'invalid_model'),
      ],
      ['Zhipu', 400, { error: { code: '1211', message: '模型不存在，请检查模型代码。' } }],
      [
        'Moonshot',
        404,
        openai('Not found the model m or Permission denied', null, 'resource_not_found_error'),
      ],
      ['Ark', 404, openai('The model or endpoint m does not exist', 'InvalidEndpointOrModel.NotFound')],
      ['Hugging Face', 400, openai("The requested model 'm' does not exist", 'model_not_found')],
      ['Novita', 404, { code: 404, reason: 'MODEL_NOT_FOUND', message: 'model not found', metadata: {} }],
      ['Vercel', 404, openai('Words', null, 'model_not_found')],
    ],
  },
  'a model that this key may not use': {
    kind: 'model-unavailable',
    rows: [
      ['OpenAI', 403, openai('Project `p` does not have access to model `m`', 'model_not_found')],
      ['OpenAI, no code', 403, openai('Project `p` does not have access to model `m`')],
      [
        'Vertex',
        400,
        google(400, 'FAILED_PRECONDITION', 'Project p is not allowed to use Publisher Model `m`'),
      ],
      ['DashScope', 403, dashScope('Model.AccessDenied')],
      ['DashScope, not bought', 403, dashScope('AccessDenied.Unpurchased', 'Access to model denied.')],
      ['DashScope, OpenAI form', 403, openai('Words', 'model_access_denied')],
      ['OpenRouter', 404, { error: { code: 404, message: 'No allowed providers are available' } }],
      ['new-api', 403, openai('该令牌无权访问模型 gpt-x (request id: 1)', '', 'new_api_error')],
      ['new-api, English', 403, openai('This token has no access to model gpt-4.1', '', 'new_api_error')],
      ['one-api', 403, openai('该令牌无权使用模型：m', '', 'one_api_error')],
      [
        'LiteLLM',
        403,
        openai('key not allowed to access model. Tried to access m', '403', 'key_model_access_denied'),
      ],
      ['LiteLLM before', 401, openai('Words', '401', 'team_model_access_denied')],
      ['LiteLLM, no type', 403, openai('team not allowed to access model. Tried to access m', '403')],
      ['Bedrock', 403, { message: "You don't have access to the model with the specified model ID." }],
      ['SiliconFlow', 403, { code: 30003, message: 'Model disabled.', data: null }],
      ['a reseller', 403, { error: '您没有权限，模型 m 未授权' }],
    ],
  },
  'a model of another route': {
    kind: 'model-unavailable',
    rows: [
      [
        'OpenAI, no chat',
        404,
        openai('This is not a chat model and thus not supported in the v1/chat/completions endpoint.'),
      ],
      ['Ollama', 400, openai('"nomic-embed-text" does not support chat', null, 'api_error')],
      [
        'vLLM',
        400,
        { object: 'error', message: 'The model does not support Chat Completions API', code: 400 },
      ],
      [
        'Azure',
        400,
        openai(
          'The chatCompletion operation does not work with the specified model, m.',
          'OperationNotSupported',
        ),
      ],
      ['OpenAI', 404, openai('This model is only supported in v1/responses and not in v1/chat/completions.')],
      [
        'Google',
        400,
        google(400, 'INVALID_ARGUMENT', 'This model is only supported in the Interactions API'),
      ],
    ],
  },
  'a bad parameter': {
    kind: 'invalid-parameters',
    rows: [
      ['OpenAI', 400, openai("Invalid type for 'temperature'", 'invalid_type', 'invalid_request_error')],
      ['Google', 400, google(400, 'INVALID_ARGUMENT', 'Unknown name "foo"')],
      ['Anthropic', 400, anthropic('invalid_request_error', 'max_tokens: Field required')],
      ['DashScope', 400, dashScope('InvalidParameter', 'Range of input length should be [1, 9]')],
      ['FastAPI', 422, { detail: [{ loc: ['body', 'n'], msg: 'Input should be an integer', type: 'int' }] }],
      [
        'a model that does not support it',
        400,
        openai('This model does not support tools', null, 'invalid_request_error'),
      ],
      [
        'a parameter of a model',
        400,
        openai("Unsupported value: 'temperature' does not support 0 with this model."),
      ],
      ['LiteLLM, too long', 400, openai('ContextWindowExceededError', '400')],
      [
        'OpenAI, too long',
        400,
        openai("This model's maximum context length is 9 tokens", 'context_length_exceeded'),
      ],
      ['Anthropic, too large', 413, anthropic('request_too_large', 'Words')],
    ],
  },
  'a content filter': {
    kind: 'invalid-parameters',
    rows: [
      ['OpenAI', 400, openai('Words', 'content_policy_violation')],
      ['Azure', 400, openai('Words', 'content_filter')],
      ['DashScope', 400, dashScope('DataInspectionFailed')],
      [
        'OpenRouter',
        403,
        { error: { code: 403, message: 'm requires moderation. Your input was flagged for x' } },
      ],
      ['new-api', 400, openai('Words', 'sensitive_words_detected', 'new_api_error')],
      ['new-api, blocked', 400, openai('Words', 'prompt_blocked', 'new_api_error')],
      ['Ark', 400, openai('Words', 'InputTextSensitiveContentDetected')],
      ['Ark', 400, openai('Words', 'SensitiveContentDetected')],
      ['Ark', 400, openai('Words', 'OutputVideoRiskDetection')],
    ],
  },
  'a rate limit': {
    kind: 'rate-limited',
    rows: [
      ['OpenAI', 429, openai('Rate limit reached', 'rate_limit_exceeded', 'requests')],
      [
        'Google',
        429,
        google(429, 'RESOURCE_EXHAUSTED', 'Words', violation('GenerateRequestsPerMinutePerProject')),
      ],
      ['Anthropic', 429, anthropic('rate_limit_error', 'Words')],
      ['DashScope', 429, dashScope('Throttling.RateQuota')],
      [
        'OpenRouter',
        429,
        { error: { code: 429, message: 'Words', metadata: { error_type: 'rate_limit_exceeded' } } },
      ],
      ['new-api', 429, openai('请求过于频繁', '', 'new_api_error')],
      ['Moonshot', 429, openai('Words', null, 'rate_limit_reached_error')],
    ],
  },
  'a used-up balance': {
    kind: 'quota',
    rows: [
      ['OpenAI', 429, openai('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')],
      ['OpenAI, by type', 429, openai('You exceeded your current quota', null, 'insufficient_quota')],
      ['OpenAI, credit', 429, openai('Words', 'credit_balance_exhausted')],
      [
        'Google',
        429,
        google(429, 'RESOURCE_EXHAUSTED', 'Words', violation('RequestsPerDayPerProjectPerModel-FreeTier')),
      ],
      ['Google, interactions', 402, { error: { code: 'payment_required', message: 'Words' } }],
      ['Anthropic', 402, anthropic('billing_error', 'Words')],
      [
        'Anthropic, low',
        400,
        anthropic('invalid_request_error', 'Your credit balance is too low to access the API.'),
      ],
      [
        'Anthropic, limit',
        429,
        anthropic('rate_limit_error', 'Words', { error_code: 'workspace_spend_limit_reached' }),
      ],
      ['DashScope', 400, dashScope('Arrearage')],
      ['DashScope, quota', 429, dashScope('Throttling.AllocationQuota')],
      ['OpenRouter', 402, { error: { code: 402, message: 'Insufficient credits' } }],
      ['new-api', 403, openai('用户额度不足', 'insufficient_user_quota', 'new_api_error')],
      ['one-api', 403, openai('Words', 'pre_consume_token_quota_failed', 'one_api_error')],
      ['LiteLLM', 400, openai('Budget has been exceeded!', '400', 'budget_exceeded')],
      ['LiteLLM, 429', 429, openai('Budget has been exceeded!', '429', 'budget_exceeded')],
      ['DeepSeek', 402, openai('Insufficient Balance', 'invalid_request_error', 'unknown_error')],
      ['Zhipu', 429, { error: { code: '1113', message: '您的账户已欠费，请充值后重试。' } }],
    ],
  },
  'a failure behind the gateway': {
    kind: 'server',
    rows: [
      ['OpenAI', 503, openai('The engine is overloaded', null, 'server_error')],
      ['Google', 503, google(503, 'UNAVAILABLE', 'The model is overloaded.')],
      ['Google, late', 504, google(504, 'DEADLINE_EXCEEDED', 'Words')],
      ['Anthropic', 529, anthropic('overloaded_error', 'Overloaded')],
      ['Anthropic, late', 504, anthropic('timeout_error', 'Words')],
      ['DashScope', 504, dashScope('RequestTimeOut')],
      [
        'OpenRouter',
        502,
        { error: { code: 502, message: 'Words', metadata: { error_type: 'provider_unavailable' } } },
      ],
      ['new-api', 500, openai('Words', 'do_request_failed', 'new_api_error')],
      ['one-api', 502, openai('bad response status code 502', 'bad_response_status_code', 'upstream_error')],
      ['LiteLLM', 408, openai('Timeout Error', '408')],
      ['Cloudflare', 502, openai('Bad gateway.', 502, 'cf_bad_gateway')],
      ['Cloudflare, a page', 524, '<title>host | 524: A timeout occurred</title>'],
      ['Vercel', 424, openai('Words', null, 'failed_dependency')],
    ],
  },
};

describe('the class of an error', () => {
  for (const [condition, { kind, rows }] of Object.entries(conditions)) {
    for (const [vendor, status, body] of rows) {
      it(`for ${condition} of ${vendor} (${status}) is ${kind}`, () => {
        const failure = readFailure(status, body);
        assert.equal(failure.kind, kind);
        if (condition === 'a content filter') assert.equal(failure.reason, 'content-filter');
        if (condition === 'a model of another route') assert.equal(failure.reason, 'unsuited-model');
      });
    }
  }

  const inner: readonly (readonly [form: string, error: unknown, kind: FailureKind])[] = [
    ['OpenRouter', { error: { code: 502, message: 'Provider disconnected' } }, 'server'],
    ['LiteLLM', { error: { message: 'litellm', type: null, param: null, code: '500' } }, 'server'],
    ['LiteLLM, misnamed', { error: { message: 'litellm', type: 'auth_error', code: '500' } }, 'server'],
    ['vLLM', { object: 'error', message: 'Words', type: 'BadRequestError', code: 400 }, 'invalid-parameters'],
    ['Anthropic', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'server'],
    ['Anthropic, size', { type: 'error', error: { type: 'request_too_large' } }, 'invalid-parameters'],
    ['an image', { error: { code: 'image_file_too_large', message: 'Words' } }, 'invalid-parameters'],
    ['a service of images', { error: { code: 'imaging_backend_down', message: 'Words' } }, 'server'],
    ['only a code', { error: { code: 'load_balancer_timeout', message: 'Words' } }, 'server'],
    ['a relay', { code: 401, message: 'bad token', data: null }, 'authentication'],
    ['MiniMax', { base_resp: { status_code: 1004, status_msg: '余额不足' } }, 'quota'],
    ['LM Studio', { error: 'Unexpected endpoint or method. (POST /v1/v1/x)' }, 'unreachable'],
    ['plain words', 'rate limit exceeded', 'rate-limited'],
    ['plain words of a token', 'invalid token', 'authentication'],
  ];
  for (const [form, error, kind] of inner) {
    it(`for ${form} inside a reply with a good status is ${kind}`, () => {
      assert.equal(readInnerFailure(error).kind, kind);
    });
  }
});
