import { isObject, type JsonObject } from '../../base/json.ts';
import { HttpError } from '../http/httpError.ts';

/** A model that a body names in another place than its own member `model`. */
export interface FurtherModel {
  readonly id: string;
  /** The member that names it. */
  readonly member: string;
}

/**
 * The models that a body names besides its own. An upstream reads these ids as they are, so that they can be checked
 * only where the upstream is known.
 *
 * @param members of the body, without its own model
 * @throws {HttpError} 403 for a member that may choose a model without naming it
 */
export function furtherModels(members: JsonObject): readonly FurtherModel[] {
  const search = new Search();
  for (const [name, value] of Object.entries(members)) {
    if (name === 'tools') for (const tool of [value].flat()) checkTool(tool);
    search.member(name, value, dataOf.get(name) ?? (() => false));
  }
  return search.found;
}

/** A member whose name has one of these words may lead an upstream to another model. */
const leadsElsewhere =
  /model|fallback|engine|deployment|rout(?:e|ing)|provideroption|gatewayoption|extrabody|preset|agent/;

/** Members in which a model is named, below one of those. */
const naming = /^(?:models?|model_?name|fallbacks?|name|id|manual_?mode)$/i;

class Search {
  readonly found: FurtherModel[] = [];

  member(name: string, value: unknown, isData: IsData): void {
    if (leadsElsewhere.test(folded(name))) this.#names(name, value);
    else this.#walk(value, isData, name);
  }

  #walk(value: unknown, isData: IsData, at: string): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#walk(each, isData, at);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value))
        if (!isData(name, value, at)) this.member(name, member, isData);
    }
  }

  /** Reads ids, lists of them and objects with nothing else. Some upstreams take other settings next to an id. */
  #names(member: string, value: unknown): void {
    if (value === null || value === undefined || value === false) return;
    if (typeof value === 'string') {
      this.found.push({ id: value, member });
    } else if (Array.isArray(value)) {
      for (const each of value) this.#names(member, each);
    } else {
      const entries = isObject(value) ? Object.entries(value) : [];
      if (entries.length === 0 || !entries.every(([name]) => naming.test(name))) throw modelRefused(member);
      for (const [, each] of entries) this.#names(member, each);
    }
  }
}

/**
 * Whether upstreams pass the value of a member to models or tools unread.
 *
 * @param at the member that holds the object
 */
type IsData = (name: string, holder: JsonObject, at: string) => boolean;

const declarations = new Set(['function', 'functions', 'functionDeclarations', 'function_declarations']);
const declared = new Set(['input_schema', 'parametersJsonSchema', 'parameters_json_schema']);
const schemas = new Set([
  ...['json_schema', 'schema', 'responseSchema', 'response_schema'],
  ...['responseJsonSchema', 'response_json_schema'],
]);
const calls = new Set(['functionCall', 'function_call']);
const results = new Set(['functionResponse', 'function_response']);
const exchanged = new Set(['input', 'arguments', 'result', 'output', 'content']);

const isDeclaration: IsData = (name, { type }, at) =>
  declared.has(name) ||
  (['parameters', 'response', 'responseJsonSchema'].includes(name) &&
    (declarations.has(at) || type === 'function'));

const isSchema: IsData = (name) => schemas.has(name);

const isExchanged: IsData = (name, { type }, at) => {
  if (name === 'input_schema') return true;
  if (calls.has(at)) return name === 'args';
  if (results.has(at)) return name === 'response';
  return typeof type === 'string' && /_(?:use|call|result|output)$/.test(type) && exchanged.has(name);
};

/** By the member of the body. All others hold no data. */
const dataOf: ReadonlyMap<string, IsData> = new Map([
  ...['tools', 'functions'].map((name) => [name, isDeclaration] as const),
  ...['messages', 'input', 'contents'].map((name) => [name, isExchanged] as const),
  ...[
    'response_format',
    'text',
    'output_config',
    'output_format',
    'generationConfig',
    'generation_config',
  ].map((name) => [name, isSchema] as const),
]);

/** Tools that a router of models runs itself, without another model. Its other tools choose models by themselves. */
const plainRouterTools: ReadonlySet<string> = new Set(['web_search', 'web_fetch', 'datetime']);

function checkTool(tool: unknown): void {
  const type = isObject(tool) ? tool.type : undefined;
  if (typeof type !== 'string') return;
  const [, routed] = type.split(':', 2);
  const isPlain = routed === undefined ? !leadsElsewhere.test(folded(type)) : plainRouterTools.has(routed);
  if (!isPlain) throw modelRefused('tools', type);
}

function folded(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

/** The refusal of a member that may lead to a model that the credential may not use. */
export function modelRefused(member: string, id?: string): HttpError {
  const named = id === undefined ? '' : ` "${id.slice(0, 100)}"`;
  return new HttpError({
    status: 403,
    message: `${member.slice(0, 100)}: this credential may not use the model${named}. GET /v1/models lists those that it may use.`,
    type: 'invalid_request_error',
    param: member.slice(0, 100),
    code: 'model_not_allowed',
    neverSent: true,
  });
}
