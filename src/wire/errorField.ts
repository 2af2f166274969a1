import { isObject, type JsonObject, nonEmptyString } from '../base/json.ts';

/** The path of a field, such as `generationConfig.temperature` or `messages.0.content`. */
const fieldPath = /^[a-z_][\w-]{0,63}(?:\.[\w-]{1,64}){0,11}$/i;

/**
 * The field of the request that an error names, as a path with dots: by a member made for it, or else by the
 * sentence of its message.
 */
export function fieldOfError(value: JsonObject, detail: JsonObject, message = ''): string | undefined {
  const told = [
    detail.param,
    detail.field,
    value.param,
    ...locations(value.detail),
    ...locations(isObject(value.message) ? value.message.detail : undefined),
    ...violations(detail.details),
  ];
  return [...told, ...namedIn(message)].map(asPath).find((path) => path !== undefined);
}

/** FastAPI: `"loc": ["body", "messages", 0, "content"]`. */
function locations(detail: unknown): readonly unknown[] {
  return objects(detail).map(({ loc }) => (Array.isArray(loc) ? loc.slice(0, 12).join('.') : undefined));
}

/** Google's BadRequest: `"fieldViolations": [{"field": "generation_config"}]`. */
function violations(details: unknown): readonly unknown[] {
  return objects(details).flatMap(({ fieldViolations }) =>
    objects(fieldViolations).map(({ field }) => field),
  );
}

/** How OpenAI, Anthropic, Google, DashScope and their relatives put the name of a field into a sentence. */
const sentences: readonly RegExp[] = [
  /^(?:litellm\.\w{1,40}: )?([a-z]\w{0,63}(?:\.[\w-]{1,64}){0,11}): (?:field|input|extra|value|must|at least|string|list|range|unexpected)\b/i,
  /\b(?:parameters?|argument|field|value|type|property)(?: value)?(?: for| of| is| was)?:? {0,2}["'`(]([\w.[\]-]{1,128})["'`)]/i,
  /\b(?:range|value) of ([a-z]\w{0,63}(?:\.\w{1,64}){0,5}) (?:should|must)\b/i,
  /^["'`]([\w.[\]-]{1,128})["'`] (?:is|must|should|does(?! not support\b)|cannot|has)\b/i,
  /(?:参数|字段)\s{0,2}["'`“「]?([a-z][\w.]{0,127})/i,
];

function namedIn(message: string): readonly unknown[] {
  const unknownName = /\bUnknown name "([\w.]{1,64})"(?: at '([\w.[\]]{1,128})')?/.exec(message);
  if (unknownName) return [[unknownName[2], unknownName[1]].filter(Boolean).join('.')];
  return sentences.map((sentence) => sentence.exec(message)?.[1]);
}

function asPath(told: unknown): string | undefined {
  const path = nonEmptyString(told)
    ?.slice(0, 256)
    .replace(/\[["']?([\w-]{1,64})["']?\]/g, '.$1')
    .replace(/^(?:body|query)\./, '');
  return path !== undefined && fieldPath.test(path) ? path : undefined;
}

function objects(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.slice(0, 20).filter(isObject) : [];
}
