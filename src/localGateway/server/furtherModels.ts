import { isObject, type JsonObject, parseJson, scalarText } from '../../base/json.ts';
import { HttpError } from '../http/httpError.ts';

/** A model that a body names outside its member `model`. */
export interface FurtherModel {
  readonly id: string;
  /** The member that names it. */
  readonly member: string;
}

/**
 * Finds the models that a body names outside its member `model`. Upstreams read these IDs unchanged, so they can be
 * checked only when the upstream is known.
 *
 * @param members the members of the body, without `model`
 * @throws {HttpError} 403 for a member that may choose a model without naming it
 */
export function findFurtherModels(members: JsonObject): readonly FurtherModel[] {
  const search = new ModelSearch();
  for (const [name, value] of Object.entries(members)) {
    if (name === 'tools') for (const tool of [value].flat()) checkTool(tool);
    search.visit(name, value, dataTestByMember.get(name) ?? (() => false));
  }
  return search.found;
}

/** A member whose name contains one of these words may select another model at an upstream. */
const modelSelectingName =
  /model|fallback|engine|deployment|rout(?:e|ing)|provideroption|gatewayoption|extrabody|preset|agent/;

/** Members inside such a member that name a model. */
const modelNamingMember = /^(?:models?|model_?name|fallbacks?|name|id|manual_?mode)$/i;

class ModelSearch {
  readonly found: FurtherModel[] = [];

  visit(name: string, value: unknown, isData: IsData): void {
    if (modelSelectingName.test(foldName(name))) this.#addIds(name, value);
    else this.#walk(value, isData, name);
  }

  #walk(value: unknown, isData: IsData, parent: string): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#walk(each, isData, parent);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value))
        if (!isData(name, value, parent)) this.visit(name, member, isData);
    }
  }

  /**
   * Adds IDs, also in lists and in objects with only such members. Refuses objects with other members, because some
   * upstreams accept other settings next to an ID.
   */
  #addIds(member: string, value: unknown): void {
    if (value === null || value === undefined || value === false) return;
    if (typeof value === 'string') {
      this.found.push({ id: value, member });
    } else if (Array.isArray(value)) {
      for (const each of value) this.#addIds(member, each);
    } else {
      const entries = isObject(value) ? Object.entries(value) : [];
      if (entries.length === 0 || !entries.every(([name]) => modelNamingMember.test(name)))
        throw modelRefusedError(member);
      for (const [, each] of entries) this.#addIds(member, each);
    }
  }
}

/**
 * Tests whether upstreams pass the value of a member to models or tools without reading it.
 *
 * @param holder the object that contains the member
 * @param parent the member that contains the object
 */
type IsData = (name: string, holder: JsonObject, parent: string) => boolean;

const declarationMembers = new Set([
  'function',
  'functions',
  'functionDeclarations',
  'function_declarations',
]);
const schemaMembers = new Set(['input_schema', 'parametersJsonSchema', 'parameters_json_schema']);
const replySchemaMembers = new Set([
  'json_schema',
  'schema',
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'response_json_schema',
]);
const callMembers = new Set(['functionCall', 'function_call']);
const resultMembers = new Set(['functionResponse', 'function_response']);
const toolDataMembers = new Set(['input', 'arguments', 'result', 'output', 'content']);

const isDeclaration: IsData = (name, { type }, parent) =>
  schemaMembers.has(name) ||
  (['parameters', 'response', 'responseJsonSchema'].includes(name) &&
    (declarationMembers.has(parent) || type === 'function'));

const isSchema: IsData = (name) => replySchemaMembers.has(name);

const isToolData: IsData = (name, { type }, parent) => {
  if (name === 'input_schema') return true;
  if (callMembers.has(parent)) return name === 'args';
  if (resultMembers.has(parent)) return name === 'response';
  return typeof type === 'string' && /_(?:use|call|result|output)$/.test(type) && toolDataMembers.has(name);
};

/** The test for data, by the top-level member of the body. Other members do not contain such data. */
const dataTestByMember: ReadonlyMap<string, IsData> = new Map([
  ...['tools', 'functions'].map((name) => [name, isDeclaration] as const),
  ...['messages', 'input', 'contents'].map((name) => [name, isToolData] as const),
  ...[
    'response_format',
    'text',
    'output_config',
    'output_format',
    'generationConfig',
    'generation_config',
  ].map((name) => [name, isSchema] as const),
]);

/** Tools that a model router runs itself, without another model. Its other tools may choose a model. */
const plainRouterTools: ReadonlySet<string> = new Set(['web_search', 'web_fetch', 'datetime']);

function checkTool(tool: unknown): void {
  const type = isObject(tool) ? tool.type : undefined;
  if (typeof type !== 'string') return;
  const [, routerTool] = type.split(':', 2);
  const isPlain =
    routerTool === undefined ? !modelSelectingName.test(foldName(type)) : plainRouterTools.has(routerTool);
  if (!isPlain) throw modelRefusedError('tools', type);
}

/** Reduces a name to lower-case letters, because upstreams differ in case and separators. */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

/**
 * The error for a member that may select a model that the credential does not allow.
 *
 * @param id the model, if the member names it
 */
export function modelRefusedError(member: string, id?: string): HttpError {
  const modelText = id === undefined ? '' : ` "${id.slice(0, 100)}"`;
  return new HttpError({
    status: 403,
    message: `${member.slice(0, 100)}: this credential may not use the model${modelText}. GET /v1/models lists the models that it may use.`,
    type: 'invalid_request_error',
    param: member.slice(0, 100),
    code: 'model_not_allowed',
    neverSent: true,
  });
}

/** Members that name further models, in the words of OpenRouter, LiteLLM and Azure. Names of a form may have dots. */
const namingMember =
  /^(?:(?:metadata)?models?|modelname|[a-z]*fallbacks?|preset|engine|deployment(?:id|name)?)$/;

/** Objects whose members some upstreams read like members of the request. */
const holder = /^(?:extrabody|routersettingsoverride|provideroptions|gateway)$/;

/** Some gateways pass the metadata of a video on to its provider, as the request. */
const videoHolder = /^(?:extrabody|metadata)$/;

const maxDepth = 6;

/**
 * Finds the models that an upstream may use instead of the requested one, for their prices. An ID is empty if the member
 * does not only name models.
 */
export function findSelectableModels(
  { model: _, ...others }: JsonObject,
  isVideo: boolean,
): readonly FurtherModel[] {
  return searchMembers(others, isVideo ? videoHolder : holder, maxDepth);
}

function searchMembers(members: JsonObject, holders: RegExp, depth: number): readonly FurtherModel[] {
  return Object.entries(members).flatMap(([member, value]) => {
    const name = foldName(member);
    if (namingMember.test(name)) return listIds(value, depth).map((id) => ({ id, member }));
    if (name === 'tools') return listAdvisors(value).map((id) => ({ id, member }));
    if (!holders.test(name)) return [];
    // Forms contain objects as JSON text.
    const inner = typeof value === 'string' ? parseJson(value) : value;
    if (!isObject(inner)) return [];
    return depth > 0 ? searchMembers(inner, holders, depth - 1) : [{ id: '', member }];
  });
}

/** The models of tools that consult another model during the reply. */
function listAdvisors(tools: unknown): readonly string[] {
  const advisors = [tools]
    .flat()
    .filter(isObject)
    .filter(({ type }) => /^advisor/.test(scalarText(type)));
  return advisors.flatMap(({ model }) => listIds(model, 1));
}

/** The IDs in a value: an ID, a list, or an object of LiteLLM, which is a model with its messages or maps models. */
function listIds(value: unknown, depth: number): readonly string[] {
  if (value == null || typeof value === 'boolean' || value === '') return [];
  if (typeof value === 'string') return [value];
  if (depth === 0) return [''];
  if (Array.isArray(value)) return value.flatMap((each) => listIds(each, depth - 1));
  if (!isObject(value)) return [''];
  const { model, messages: _, ...others } = value;
  const isMap = Object.values(others).every(Array.isArray);
  if (!isMap || (model !== undefined && Object.keys(others).length > 0)) return [''];
  return [model, ...Object.values(others)].flatMap((each) => listIds(each, depth - 1));
}
