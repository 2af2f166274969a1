import type { ErrorReport } from './errorBody.ts';
import type { FailureKind, FailureReason } from './gatewayError.ts';
import { removeInput } from './inputErrors.ts';

/** The kind of a failed reply, and its reason if it is known. */
export interface FailureClass {
  readonly kind: Exclude<FailureKind, 'cancelled' | 'malformed-reply'>;
  readonly reason?: FailureReason;
}

/** The codes and messages of gateways for one kind of failure. */
interface Vocabulary {
  readonly failureClass: FailureClass;
  /**
   * Whole codes in any case and spelling: `ModelNotFound` is `model_not_found`. `base_resp` codes are MiniMax's.
   */
  readonly codes: ReadonlySet<string>;
  /** Patterns for codes with a documented beginning or end. */
  readonly families?: RegExp;
  /** Patterns for messages of gateways that send no code. */
  readonly sentences?: RegExp;
  /** Whether the failure concerns the credential, so other requests with it fail too. */
  readonly isOfCredential?: true;
}

/** The name of a model after the word "model", quoted or not. */
const namedModel =
  /\bmodels?(?: id| name| identifier| or endpoint)?:?(?:\s+["'`“«][^\n"'`”»]{1,200}["'`”»]|\s+\S{1,200})?/
    .source;
const absent =
  /(?:(?:does|did) not|doesn['’]t|not) exist|(?:(?:was|is|could|can) ?)?not (?:be )?found|is (?:not available|unavailable|invalid|unknown)|is not (?:allowed|enabled|supported|accessible|permitted|authorized|a valid)|(?:has been|was|is) (?:deprecated|decommissioned|retired|discontinued|disabled|removed)/
    .source;
const noAccess =
  /(?:\b(?:not|no|cannot|unable|denied|without|lacks?)\b|n['’]t\b)[^\n.]{0,60}\b(?:access|use|invoke|call)(?: to)? (?:the |this |that |any )?(?:\w+ )?models?\b/
    .source;

/** new-api has no channel for the model in this account's group. With a 5xx status, only this sentence counts. */
const noChannel = /\bno available channels?\b|无可用(?:渠道|通道)/i;

const modelSentences = matchAny(
  `${namedModel}\\s+(?:${absent})`,
  noAccess,
  /\bmodels\/\S{1,200} is not found\b/,
  /\baccess to (?:the )?model\b[^\n]{0,220}\bdenied\b/,
  /\b(?:invalid|unknown|unsupported|unrecognized|no such|non-?existent) model\b/,
  /\bis not a valid model\b|\bnot found the model\b|\bcould not resolve the foundation model\b/,
  // LM Studio has no model loaded, LiteLLM has no provider for it, Bedrock serves it only through a profile.
  /\bno models? loaded\b|^model (?:is |was )?unloaded\b|^failed to load model\b|\bLLM provider not provided\b/,
  /\bwith on-demand throughput isn['’]t supported\b/,
  /\bAPI deployment for this resource does not exist\b|^no endpoints found for\b/,
  /[无無](?:权|權)(?:限)?(?:使用|访问|调用)[^\n]{0,12}模型/,
  /模型[^\n]{0,200}(?:不存在|未找到|未开通|已下线|已下架|不可用|无权限|没有权限|未授权|未配置)/,
  /(?:不存在|无效|未知|不支持|找不到|未找到)的?(?:该|此)?模型/,
  noChannel,
);

/**
 * Messages of OpenAI, Azure, Ollama, vLLM and Google if a model does not support the format or operation of a
 * request.
 */
const unsuitedSentences = matchAny(
  /\bnot a chat model\b/,
  /\bdoes(?: not|n['’]t) support (?:the )?(?:chat\b|generate$|generateContent|responses api|messages api|converse)/,
  /\b(?:not supported|cannot be used) (?:for|in|with) (?:the )?(?:chat[ _-]?completions?|responses|messages|generateContent)\b/,
  /\bonly (?:supported|available) in (?:the \w+ API\b|v1\/\w+)/,
  /\boperation does not work with the specified model\b/,
);

/** Messages for an input that does not fit into the context, from providers without a code for it. */
const contextSentences = matchAny(
  /\bContextWindowExceeded/,
  /\bmaximum (?:context|prompt|model) (?:length|size)\b|\bcontext (?:length|window|size)\b[^\n]{0,80}\bexceed/,
  /\bexceed[^\n]{0,80}\bcontext (?:length|window|size|limit)\b|\bprompt is too long\b/,
  // vLLM, and LM Studio
  /\bcontext length (?:is|of) only \d/,
  /\blarger than the model input length\b/,
  /\b(?:input|prompt) token(?: count\b[^\n]{0,80}\bexceeds\b|s exceed\b)|\brange of input length\b|\binput is too long\b/,
  // TGI, and gateways that run it
  /`?inputs`? (?:tokens \+ `?max_new_tokens`? must be <=|must have less than \d)/,
  // Cohere, Bedrock's own models, Vertex, SGLang, TensorRT, Moonshot, DashScope, LM Studio
  /\btoo many (?:input |prompt )?tokens\b|\b(?:number of input tokens|input tokens?|token length|(?:requested )?(?:input|prompt) length)\b[^\n]{0,60}\b(?:exceed(?:s|ed)?|cannot exceed)\b/,
  /\binput token count is \d+ but\b|\b(?:is|are) longer than the model['’]s context length\b/,
  /\bexceed(?:s|ed)? (?:the )?model (?:token )?limit\b|\breached context length\b|\bcontext overflow/,
  /\breduce the length of the (?:messages|prompt|input)/,
  /(?:上下文|输入)[^\n]{0,12}(?:长度|token)[^\n]{0,12}(?:超|过长|限制)|(?:输入|提示词|内容|prompt) ?(?:过长|太长|超长)/,
);

/** Messages for used-up money, plans or daily quotas, from providers without a code for it. */
const quotaSentences = matchAny(
  /\binsufficient (?:account )?balance\b|\bcredit balance is too low\b|\baccount in arrears\b/,
  /\bbalance (?:is )?(?:insufficient|not enough|exhausted)\b|\bexhausted balance\b/,
  /\bcredits (?:are|have been) (?:depleted|exhausted)\b|\b(?:doesn['’]t|does not) have any credits\b/,
  /\breached your [\w ]{0,40}\busage limits?\b|\busage limit (?:exceeded|reached)\b/,
  // Anthropic, for prompts that the plan does not cover
  /\b(?:extra usage|usage credits) (?:is|are) required\b/,
  // OpenRouter, Cohere and Qianfan count days and months
  /\blimit exceeded: [\w-]{1,40}-per-day\b|\blimited to \d{1,9} API calls \/ month\b/,
  /\bdaily request limit reached\b/,
  /(?:\bnot|n['’]t)(?: have)? enough (?:api tokens|credits?|balance|points|funds|quota)\b|\bquota (?:is )?not enough\b/,
  /\binsufficient (?:credits?|funds|quota)\b|\bspending (?:cap|limit)\b|\bexceeds your (?:credit )?quota\b/,
  /\bused (?:up )?(?:all|your)\b[^\n]{0,40}\b(?:credits|allocation|allowance)\b|\bkey limit exceeded\b/,
  /\bbilling to be enabled\b|资源已用尽/,
  /余额不足|额度不足|额度已用|额度失败|欠费|使用上限/,
);

/** Messages for an unsupported country or network, by OpenAI, Google, Anthropic and CDNs. */
const regionSentences = matchAny(
  /^(?:your |the )?countr(?:y|ies),? (?:region|or)[^\n]{0,40}\bnot supported\b/,
  /\buser location is not supported\b|\b(?:country|region|territory|location) (?:is|are) not supported\b/,
  /\bnot available in your (?:country|region|territory|location)\b|\bunsupported (?:country|region|location)\b/,
  /\bblock access from your country\b|\bcountry or region banned\b/,
  // Anthropic, for addresses in unsupported regions; its messages about keys differ
  /^request not allowed$/,
  /(?:所在|该|当前)?(?:国家|地区)(?:或地区)?[^\n]{0,8}(?:不支持|不可用|受限)/,
);

/** Messages for a wrong credential, with a status that can have another meaning. */
const credentialSentences = matchAny(
  /^(?:error:\s*)?(?:(?:invalid|incorrect|missing|expired) (?:(?:access |proxy server )?token|credentials?)|unauthori[sz]ed|unauthenticated)(?: provided| supplied)?[.!]?$/,
  // Google, xAI, Anthropic and Azure, and the relays that drop their codes
  /\b(?:invalid|incorrect|missing|expired|malformed|unknown|(?:invalid or missing|missing or invalid)) (?:x-)?(?:api|subscription)[ _-]?key\b/,
  /\b(?:x-)?api[ _-]?key(?: (?:you )?(?:provided|supplied|given))?(?: is| was| has)? (?:not valid|not found|invalid|incorrect|missing|expired|malformed|(?:been )?(?:revoked|disabled|deactivated|deleted))\b/,
  /^access token (?:is )?(?:invalid|expired)\b|^authentication (?:error\b|fail|is invalid\b)|^(?:bad|could not validate) credentials\b/,
  /^(?:无效的令牌|令牌(?:无效|已过期|已失效))|(?:密钥|api[ _-]?key) ?(?:无效|错误|不正确|不存在|已过期|已失效|已禁用)|(?:身份验证|身份认证|鉴权)失败/,
);

/** Messages for refused content, from providers without a code for it. */
const filterSentences = matchAny(
  /\b(?:input|prompt|request|content|message|image|text|output)s? (?:was|were|has been|have been|is) flagged\b/,
  /\brequires moderation\b|\b(?:flagged|rejected|blocked|refused|filtered)\b[^\n]{0,80}\b(?:moderation|guardrails?|safety (?:system|filters?)|prohibited_content|content (?:policy|filter(?:ing|s)?|checker|management policy))\b/,
  /\bviolat(?:es?|ed|ing|ions?(?: of)?)\b[^\n]{0,60}\b(?:usage|content|safety|community|use)[\w ]{0,20}(?:polic(?:y|ies)|guidelines)\b/,
  // Guardrails of relays and clouds
  /\b(?:blocked|rejected|refused|stopped|intervened) by (?:(?:our|the|a|an) )?(?:[\w-]{1,30} )?(?:safety|guardrails?|moderation)\b/,
  /\b(?:usage|content|safety) polic(?:y|ies) violations?\b|\bguardrails?\b[^\n]{0,30}\b(?:violat|intervened|triggered|blocked)/,
  /\bviolates?\b[^\n]{0,60}\b(?:responsible AI|terms of (?:use|service))\b|\bContentPolicyViolation|\bNSFW\b/,
  /\bcontent moderation:|\bcontent exists risk\b|\brisk not pass\b|\bcontent is not compliant\b|^prompt blocked\b/,
  /\bprohibited[ _]content\b|违法违规|审核不通过|\brisk control system\b|敏感(?:内容|信息|词)|内容(?:安全|审核|违规)|涉嫌违规/,
);

/** Messages of firewalls and network rules in front of the provider that block the request. */
const blockedSentences =
  /\bVirtual Network\/Firewall rules\b|\bpublic (?:network )?access is disabled\b|\bblocked by (?:the |a |our )?(?:firewall|WAF)\b|\bcheck your network settings\b|\byou have been blocked\b/i;

/** The first match counts. */
const vocabularies: readonly Vocabulary[] = [
  {
    failureClass: { kind: 'quota' },
    isOfCredential: true,
    codes: toCodes(
      'insufficient_quota insufficient_user_quota pre_consume_token_quota_failed quota_exceeded quota_limit_exceeded',
      'exceeded_current_quota_error arrearage payment_required billing_error billing_hard_limit_reached',
      'billing_not_active budget_exceeded credit_balance_exhausted credit_balance_too_low insufficient_balance',
      'insufficient_credit insufficient_credits insufficient_funds account_overdue_error',
      'credit_insufficient billing_disabled credit_limit',
      'Throttling.AllocationQuota AllocationQuota AllocationQuota.FreeTierOnly 30001 SetLimitExceeded',
      'base_resp.1008 base_resp.2056',
    ),
    // The codes of Anthropic's spend limits, and of Google's daily quotas.
    families:
      /^(?:[a-z]+_)*spend_limit(?:_reached|_exceeded)$|^[a-z]+PerDay[a-z]*(?:-[a-z]+)*$|\.(?:InArrears|ChargeResourceExhaust)$/i,
    sentences: quotaSentences,
  },
  {
    failureClass: { kind: 'model-unavailable', reason: 'unsuited-model' },
    codes: toCodes('operation_not_supported'),
    sentences: unsuitedSentences,
  },
  {
    failureClass: { kind: 'model-unavailable' },
    codes: toCodes(
      'model_not_found model_not_found_error model_not_exist model_not_exists model_does_not_exist model_unavailable',
      'model_not_allowed model_not_available model_not_supported model_not_open model_access_denied',
      'key_model_access_denied team_model_access_denied user_model_access_denied org_model_access_denied',
      'project_model_access_denied organization_model_access_denied model_permission_blocked_org',
      'model_permission_blocked_project invalid_model invalid_model_name invalid_model_id',
      'invalid_model_error unknown_model unsupported_model no_such_model model_decommissioned model_deprecated',
      'model_disabled model_terms_required deployment_not_found AccessDenied.Unpurchased',
      'InvalidEndpointOrModel.NotFound InvalidEndpointOrModel.ModelIDAccessDisabled 20012 30003',
      'InvalidEndpoint.ClosedEndpoint base_resp.2061',
    ),
    sentences: modelSentences,
  },
  {
    failureClass: { kind: 'unreachable', reason: 'region' },
    codes: toCodes(
      'unsupported_country_region_territory unsupported_country unsupported_region country_not_supported',
      'region_not_supported geo_blocked upstream_region',
    ),
    sentences: regionSentences,
  },
  { failureClass: { kind: 'unreachable', reason: 'challenge' }, codes: toCodes('upstream_challenge') },
  {
    failureClass: { kind: 'unreachable', reason: 'blocked' },
    codes: toCodes('upstream_blocked'),
    sentences: blockedSentences,
  },
  // Codes of the local gateway about its upstreams. The codes above are more specific, so they have precedence.
  {
    failureClass: { kind: 'server', reason: 'upstream-credential' },
    codes: toCodes('upstream_credential'),
  },
  {
    failureClass: { kind: 'server', reason: 'upstream-unusable' },
    codes: toCodes('upstream_unusable'),
  },
  {
    failureClass: { kind: 'authentication' },
    isOfCredential: true,
    codes: toCodes(
      'invalid_api_key api_key_invalid incorrect_api_key missing_api_key no_api_key invalid_token token_expired',
      'expired_key unauthenticated unauthorized auth_error invalid_authentication invalid_authentication_error',
      'token_not_found_in_db invalid_credentials access_token_expired credentials_missing wrong_api_key',
      'unrecognized_client_exception expired_token_exception invalid_signature_exception',
      'base_resp.1004 base_resp.2049',
    ),
    // Tencent's codes begin with AuthFailure.
    families: /^authentication(?:_\w+|error|fail\w*)?$|^AuthFailure(?:\.\w+)?$/i,
    sentences: credentialSentences,
  },
  {
    failureClass: { kind: 'rate-limited' },
    isOfCredential: true,
    codes: toCodes(
      'limit_requests limit_burst_rate resource_exhausted too_many_requests too_many_requests_error',
      'base_resp.1002 base_resp.1039 base_resp.1041',
    ),
    // Prefixes of DashScope's, OpenAI's and Ark's codes.
    families:
      /^rate_?limit(?:s|ed|_\w+|error|exceeded|reached)?(?:\.\w+)?$|^request_?limit_?exceeded(?:\.\w+)?$|^throttl(?:ing|ed)(?:[._]\w+|exception)?$/i,
    sentences:
      /^(?:error:\s*)?(?:[\w ]{0,40}\b)?rate[ -]limit(?:ed| (?:exceeded|reached))\b|^(?:error:\s*)?too many (?:requests\b|tokens, please wait)|\bqps request limit reached\b|请求(?:过于频繁|频率(?:过高|超限))/i,
  },
  {
    failureClass: { kind: 'invalid-parameters', reason: 'content-filter' },
    codes: toCodes(
      'content_policy content_policy_violation content_policy_violation_error content_filter content_filtered',
      'content_moderation sensitive_words_detected prompt_blocked data_inspection_failed moderation',
      'guardrail_violation guardrail_intervened policy_violation usage_policy_violation safety_violation',
      'moderation_blocked bio_policy image_content_policy_violation responsible_ai_policy_violation',
      'cyber_policy_violation hooks_failed base_resp.1026 base_resp.1027',
    ),
    // Ark and Tencent combine the finding and its location: InputTextSensitiveContentDetected.
    families:
      /^(?:Input|Output)\w+RiskDetection$|^[\w.]*(?:SensitiveContent|Illegal)Detected(?:\.\w+)?$|^SevereViolation(?:\.\w+)?$|^(?:[a-z]+_)?nsfw(?:_\w+)?$/i,
    sentences: filterSentences,
  },
  {
    failureClass: { kind: 'invalid-parameters', reason: 'context-too-long' },
    codes: toCodes(
      'context_length_exceeded context_window_exceeded_error context_window_exceeded context_too_long',
      'max_tokens_exceeded token_limit_exceeded string_above_max_length string_too_long prompt_too_long',
      'model_context_window_exceeded input_too_long exceed_context_size_error tokens_limit_reached',
      'tokens_too_long characters_too_long model_max_prompt_tokens_exceeded FailedOperation.PromptTooLong',
    ),
    sentences: contextSentences,
  },
];

const requestFaults: Vocabulary = {
  failureClass: { kind: 'invalid-parameters' },
  codes: toCodes(
    'bad_request bad_request_error bad_request_body invalid_request invalid_request_error invalid_argument',
    'invalid_parameter invalid_parameters invalid_parameter_error invalid_prompt',
    'unprocessable unprocessable_entity',
    'unsupported_image_format unsupported_image_media_type empty_image_file failed_to_download_image',
    'invalid_base64_image data_residency_mismatch base_resp.2013 base_resp.1042',
  ),
  families: /^(?:invalid_)?image_\w+$|^invalid_image$|^InvalidParameter\.\w+$/i,
};

/** The status that a provider's code means, for errors without a status. */
const statusesByCode: ReadonlyMap<string, number> = new Map(
  Object.entries({
    failed_precondition: 400,
    parameter_unknown: 400,
    out_of_range: 400,
    precondition_failed: 400,
    permission_denied: 403,
    permission_error: 403,
    not_found: 404,
    not_found_error: 404,
    already_exists: 409,
    aborted: 409,
    conflict_error: 409,
    payload_too_large: 413,
    request_too_large: 413,
    cancelled: 499,
  }).map(([code, status]) => [normalizeCode(code), status]),
);

/**
 * The kind of failure that the error's codes or message name. The kind only explains the failure;
 * `getFailureEffect` decides on retries. With a 5xx status, only a missing model counts.
 */
export function classifyWords(report: ErrorReport, status: number): FailureClass | undefined {
  if (status >= 500) return reportsMissingModel(report) ? { kind: 'model-unavailable' } : undefined;
  const found = vocabularies.find(
    (vocabulary) => matchesCodes(vocabulary, report) || matchesSentences(vocabulary, report, status),
  )?.failureClass;
  // Messages about tokens per minute resemble messages about the context length.
  return status === 429 && found?.reason === 'context-too-long' ? undefined : found;
}

/** Whether an error without a status blames the request. */
export function blamesRequest(report: ErrorReport): boolean {
  return matchesCodes(requestFaults, report);
}

/** The status that the words mean, for an error without one. */
export function findStatus({ words }: ErrorReport): number | undefined {
  return words.map((word) => statusesByCode.get(normalizeCode(word))).find((status) => status !== undefined);
}

/**
 * Messages for an unknown route, never used for a model or a task, by Express, Nest, Go, Kong, Laravel, Fastify,
 * LM Studio and three generations of OpenAI.
 */
const routeSentences =
  /^(?:\d{3}\s+)?(?:page|route) not found$|^(?:invalid|unrecognized|unknown) (?:request )?url[:\s]*\(?(?:get|post|put|patch|delete)\b|^cannot (?:get|post|put|patch|delete) \/|^no route (?:matched|for)\b|^(?:the )?route\b[^\n]{1,300}\bnot (?:be )?found\b|^unknown (?:api )?(?:route|endpoint|path)\b|^unexpected endpoint or method\b|^the requested url\b[^\n]{0,300}\bnot found\b|^(?:no such|unsupported) (?:route|endpoint|path)\b|^(?:api )?endpoint[^\n]{0,200} not found\b|^resource not found\.?$|^(?:path|url) not found\b|^no (?:handler|mapping) (?:found )?for (?:get|post|put|patch|delete)\b|^(?:请求的?)?(?:接口|路由|路径|地址)[^\n]{0,40}(?:不存在|未找到)/i;
const bareNotFound = /^(?:(?:(?:error:? ?)?404:? ?)?(?:file )?not found|invalid url)[.!]?$/i;
const routeCodes = toCodes('unknown_url invalid_url route_not_found endpoint_not_found');

/**
 * Whether the error reports that this path does not exist.
 *
 * @param includesBare whether a plain "Not found" means the path; false if it may mean a task
 */
export function reportsMissingRoute({ words, message = '' }: ErrorReport, includesBare: boolean): boolean {
  if (words.some((word) => routeCodes.has(normalizeCode(word)))) return true;
  const sentence = message.trim();
  return routeSentences.test(sentence) || (includesBare && bareNotFound.test(sentence));
}

function reportsMissingModel({ words, message = '' }: ErrorReport): boolean {
  return words.some((word) => word.toLowerCase() === 'model_not_found') || noChannel.test(message);
}

function matchesCodes({ codes: knownCodes, families }: Vocabulary, { words, code }: ErrorReport): boolean {
  if (code !== undefined && knownCodes.has(String(code))) return true;
  return words.some((word) => knownCodes.has(normalizeCode(word)) || families?.test(word));
}

/** The statuses for a refused credential, and the local gateway's status for a refused key of an upstream. */
const credentialStatuses = new Set([401, 402, 403, 424, 429]);
/** The statuses for a bad request, with which some providers refuse a credential. */
const requestStatuses = new Set([400, 422]);

/**
 * Whether the message has the vocabulary's sentences. A message can repeat text of the caller, which must not look
 * like a refused credential: with a status for a bad request, codes and names of fields outrank such sentences.
 */
function matchesSentences(
  { sentences, isOfCredential }: Vocabulary,
  report: ErrorReport,
  status: number,
): boolean {
  const { message = '' } = report;
  if (!sentences || !isOfCredential || status < 400) return sentences?.test(message) === true;
  const isBadRequest = requestStatuses.has(status) && !hasKnownCode(report);
  if (!isBadRequest && !credentialStatuses.has(status)) return false;
  return sentences.test(removeInput(report, isBadRequest));
}

function hasKnownCode(report: ErrorReport): boolean {
  return vocabularies.some((vocabulary) => matchesCodes(vocabulary, report));
}

/** A pattern that matches any of the patterns, in any case. */
function matchAny(...patterns: readonly (RegExp | string)[]): RegExp {
  return new RegExp(
    patterns.map((pattern) => (typeof pattern === 'string' ? pattern : pattern.source)).join('|'),
    'i',
  );
}

function toCodes(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')).map(normalizeCode));
}

function normalizeCode(code: string): string {
  return code.toLowerCase().replaceAll(/[._-]/g, '');
}
