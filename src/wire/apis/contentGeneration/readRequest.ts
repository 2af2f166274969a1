import { isObject, type JsonObject, jsonText, nonEmptyString, objectsIn } from '../../../base/json.ts';
import type { ForeignPart } from '../../message.ts';
import type { RequestTool } from '../shared/functionTools.ts';
import { stringOrEmpty } from '../shared/messageParts.ts';
import {
  addPath,
  checkFields,
  createDataPart,
  dropUnknownMembers,
  type FieldRules,
  type FormatSettings,
  type ReadOptions,
  type ReceivedMessage,
  type ReceivedPart,
  type ReceivedRequest,
  type RequestNotes,
  readPicture,
  type Settings,
  toSetting,
} from '../shared/receivedRequest.ts';
import { readTool, refuseTool, toToolsSetting } from '../shared/receivedTools.ts';
import type { ToolChoice } from '../shared/requestSettings.ts';
import { toJsonSchema } from './requestSpelling.ts';
import type { Content, ContentGenerationRequest, Part } from './schema.ts';

const rules: FieldRules = {
  read: 'model contents systemInstruction tools toolConfig safetySettings generationConfig'.split(' '),
  hints: ['labels', 'serviceTier', 'store'],
  constraints: { cachedContent: 'does not store parts of a conversation here; send all of it in contents' },
};

const configRules: FieldRules = {
  read: [
    'temperature topP topK maxOutputTokens candidateCount stopSequences seed presencePenalty frequencyPenalty',
    'responseMimeType responseSchema responseJsonSchema responseModalities responseFormat thinkingConfig',
  ].flatMap((names) => names.split(' ')),
  hints: ['mediaResolution', 'modelSelectionConfig', 'enableEnhancedCivicAnswers'],
  constraints: {
    responseLogprobs: 'cannot return log probabilities here',
    logprobs: 'cannot return log probabilities here',
    imageConfig: 'has no image settings here',
    speechConfig: 'cannot return audio here',
  },
};

export function readContentGeneration(
  request: ContentGenerationRequest,
  notes: RequestNotes,
  { isStreamed }: ReadOptions,
): ReceivedRequest {
  checkFields(request, rules, notes);
  checkFields(request.generationConfig ?? {}, configRules, notes, 'generationConfig.');
  checkSafety(request.safetySettings, notes);
  return {
    messages: [...readInstructions(request.systemInstruction, notes), ...readTurns(request.contents, notes)],
    settings: readSettings(request, notes),
    isStreamed,
    shared: {},
  };
}

/** Thresholds that block nothing, so they can be dropped: other providers use their default filters. */
const permissiveThresholds: ReadonlySet<string> = new Set([
  'BLOCK_NONE',
  'OFF',
  'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
]);

function checkSafety(settings: ContentGenerationRequest['safetySettings'], notes: RequestNotes): void {
  if (!settings?.length) return;
  if (settings.every(({ threshold }) => permissiveThresholds.has(threshold))) notes.drop('safetySettings');
  else notes.refuse('safetySettings', 'has no safety thresholds');
}

function readSettings(request: ContentGenerationRequest, notes: RequestNotes): Settings {
  const config = request.generationConfig ?? {};
  const configPath = (name: string) => `generationConfig.${name}`;
  const calling = request.toolConfig?.functionCallingConfig;
  dropUnknownMembers(request.toolConfig ?? {}, ['functionCallingConfig'], 'toolConfig', notes);
  const choicePath = 'toolConfig.functionCallingConfig';
  dropUnknownMembers(calling ?? {}, ['mode', 'allowedFunctionNames'], choicePath, notes);
  return {
    temperature: toSetting(config.temperature, configPath('temperature')),
    topP: toSetting(config.topP, configPath('topP')),
    topK: toSetting(config.topK, configPath('topK')),
    presencePenalty: toSetting(config.presencePenalty, configPath('presencePenalty')),
    frequencyPenalty: toSetting(config.frequencyPenalty, configPath('frequencyPenalty')),
    seed: toSetting(config.seed, configPath('seed')),
    stop: toSetting(
      config.stopSequences?.length ? config.stopSequences : undefined,
      configPath('stopSequences'),
    ),
    outputLimit: toSetting(config.maxOutputTokens, configPath('maxOutputTokens')),
    choices: toSetting(config.candidateCount, configPath('candidateCount')),
    reasoningEffort: readEffort(config.thinkingConfig, notes),
    thoughts: readThoughts(config.thinkingConfig),
    tools: toToolsSetting(readTools(request.tools, notes)),
    toolChoice: toSetting(readChoice(calling, notes), choicePath),
    ...readFormat(config, notes),
    pictures: toSetting(requestsPictures(config.responseModalities, notes), configPath('responseModalities')),
  };
}

type GenerationConfig = NonNullable<ContentGenerationRequest['generationConfig']>;

function readEffort(
  thinking: GenerationConfig['thinkingConfig'],
  notes: RequestNotes,
): Settings['reasoningEffort'] {
  const { thinkingLevel: level, thinkingBudget: budget } = thinking ?? {};
  const path = 'generationConfig.thinkingConfig';
  if (level !== undefined && level !== 'THINKING_LEVEL_UNSPECIFIED')
    return { value: level.toLowerCase(), path: `${path}.thinkingLevel` };
  // Few models of other providers can disable thinking, and the rest refuse the setting.
  if (budget === 0) notes.drop(`${path}.thinkingBudget`);
  if (budget === undefined || budget === 0) return undefined;
  return { value: budget < 0 ? 'adaptive' : budget, path: `${path}.thinkingBudget` };
}

function readThoughts(thinking: GenerationConfig['thinkingConfig']): Settings['thoughts'] {
  const { includeThoughts: value, thinkingBudget } = thinking ?? {};
  return toSetting(thinkingBudget === 0 ? false : value, 'generationConfig.thinkingConfig.includeThoughts');
}

function requestsPictures(modalities: GenerationConfig['responseModalities'], notes: RequestNotes) {
  const words = (modalities ?? []).map((modality) => modality.toUpperCase());
  if (words.some((word) => word !== 'TEXT' && word !== 'IMAGE'))
    notes.refuse('generationConfig.responseModalities', 'can return only text and pictures');
  return words.includes('IMAGE') || undefined;
}

function readFormat(config: GenerationConfig, notes: RequestNotes): FormatSettings {
  if (config.responseFormat != null) return readListedFormat(config.responseFormat, notes);
  const { responseMimeType: type, responseSchema, responseJsonSchema } = config;
  const schema =
    convertSchema(responseJsonSchema, 'generationConfig.responseJsonSchema', notes) ??
    convertSchema(responseSchema, 'generationConfig.responseSchema', notes);
  if (type == null || type === 'text/plain')
    return { responseSchema: toSetting(schema, 'generationConfig.responseMimeType') };
  if (type !== 'application/json')
    notes.refuse('generationConfig.responseMimeType', 'can return only text or JSON');
  return createJsonFormat(schema);
}

/** The response format in the form of later API versions: a list with one element for each kind of output. */
function readListedFormat(formats: unknown, notes: RequestNotes): FormatSettings {
  const path = 'generationConfig.responseFormat';
  const texts = objectsIn([formats].flat()).flatMap((format): readonly JsonObject[] => {
    if (Object.keys(format).some((kind) => kind !== 'text') || !isObject(format.text))
      notes.refuse(path, 'has no format setting for such output');
    return isObject(format.text) ? [format.text] : [];
  });
  const { mimeType, schema } = texts[0] ?? {};
  const type = stringOrEmpty(mimeType).toLowerCase().replace('_', '/');
  if (type !== '' && type !== 'text/plain' && type !== 'application/json')
    notes.refuse(path, 'can return only text or JSON');
  const plain = convertSchema(schema, `${path}.text.schema`, notes);
  return plain || type === 'application/json' ? createJsonFormat(plain) : {};
}

function createJsonFormat(schema: JsonObject | undefined): FormatSettings {
  const path = 'generationConfig.responseMimeType';
  return {
    responseFormat: { value: schema ? 'json_schema' : 'json', path },
    responseSchema: toSetting(schema, path),
  };
}

function readTools(tools: ContentGenerationRequest['tools'], notes: RequestNotes): readonly RequestTool[] {
  return (tools ?? []).flatMap((tool, index) => {
    const { functionDeclarations = [], ...others } = tool;
    const [other] = Object.entries(others).filter(([, value]) => value != null);
    if (other) refuseTool({ type: other[0] }, `tools[${index}].${other[0]}`, notes);
    return functionDeclarations.flatMap((declaration, position) => {
      const declarationPath = `tools[${index}].functionDeclarations[${position}]`;
      dropUnknownMembers(
        declaration,
        ['name', 'description', 'parameters', 'parametersJsonSchema'],
        declarationPath,
        notes,
      );
      const { parameters, parametersJsonSchema } = declaration;
      const schema =
        convertSchema(parametersJsonSchema, `${declarationPath}.parametersJsonSchema`, notes) ??
        convertSchema(parameters, `${declarationPath}.parameters`, notes);
      return readTool(declaration, schema, declarationPath, notes) ?? [];
    });
  });
}

/** Also converts JSON Schemas, which may have members that only this format supports. */
function convertSchema(schema: unknown, path: string, notes: RequestNotes): JsonObject | undefined {
  return isObject(schema) ? toJsonSchema(schema, (member) => notes.drop(`${path}.${member}`)) : undefined;
}

function readChoice(
  calling: NonNullable<ContentGenerationRequest['toolConfig']>['functionCallingConfig'],
  notes: RequestNotes,
): ToolChoice | undefined {
  const { mode = 'AUTO', allowedFunctionNames } = calling ?? {};
  const allowed = allowedFunctionNames?.length ? { names: allowedFunctionNames } : {};
  const modePath = 'toolConfig.functionCallingConfig.mode';
  switch (mode.toUpperCase()) {
    case 'MODE_UNSPECIFIED':
    case 'AUTO':
      return calling && { mode: 'auto', ...allowed };
    case 'VALIDATED':
      notes.drop(modePath);
      return { mode: 'auto', ...allowed };
    case 'ANY':
      return { mode: 'required', ...allowed };
    case 'NONE':
      return { mode: 'none' };
    default:
      notes.refuse(modePath, 'does not support this tool choice');
      return undefined;
  }
}

function readInstructions(
  instruction: ContentGenerationRequest['systemInstruction'],
  notes: RequestNotes,
): readonly ReceivedMessage[] {
  if (instruction == null) return [];
  const path = 'systemInstruction';
  if (typeof instruction === 'string')
    return [{ role: 'system', parts: [{ type: 'text', text: instruction, path }], path }];
  const parts = [instruction.parts].flat();
  return [{ role: 'system', parts: readParts(parts, `${path}.parts`, new CallIds(), notes), path }];
}

/**
 * Joins consecutive contents of one role: client libraries store each chunk of a streamed reply as one content.
 */
function readTurns(contents: readonly Content[], notes: RequestNotes): readonly ReceivedMessage[] {
  const calls = new CallIds();
  const turns: (ReceivedMessage & { readonly parts: ReceivedPart[] })[] = [];
  contents.forEach((content, index) => {
    const path = `contents[${index}]`;
    const role = content.role === 'model' ? 'assistant' : 'user';
    if (turns.at(-1)?.role !== role) turns.push({ role, parts: [], path });
    const turn = turns.at(-1)?.parts;
    for (const part of readParts(content.parts, `${path}.parts`, calls, notes))
      addPart(part, role, turn ?? []);
  });
  return turns;
}

/** Adds a part to a turn. Joins the texts of a reply, and the texts of a thought with the signature at its end. */
function addPart(part: ReceivedPart, role: ReceivedMessage['role'], turn: ReceivedPart[]): void {
  const last = turn.at(-1);
  const isThought = part.type === 'reasoning' && last?.type === 'reasoning' && !last.signature;
  const isText = role === 'assistant' && part.type === 'text' && last?.type === 'text';
  if (isThought || isText) turn[turn.length - 1] = { ...last, ...part, text: last.text + part.text };
  else turn.push(part);
}

function readParts(
  parts: readonly Part[],
  path: string,
  calls: CallIds,
  notes: RequestNotes,
): readonly ReceivedPart[] {
  return parts.flatMap((part, index) => {
    const partPath = `${path}[${index}]`;
    return readPart(part, partPath, calls, notes).flatMap((each) => addPath(each, partPath));
  });
}

const partMembers = [
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
];

/** Members of a part that are optional hints. */
const hintMembers: ReadonlySet<string> = new Set(['mediaResolution', 'partMetadata']);

function readPart(part: Part, path: string, calls: CallIds, notes: RequestNotes): readonly ForeignPart[] {
  const { text, inlineData, fileData, functionCall, functionResponse, thoughtSignature } = part;
  const others = Object.entries(part).filter(([name, value]) => value != null && !partMembers.includes(name));
  for (const [name] of others) {
    if (hintMembers.has(name)) notes.drop(`${path}.${name}`);
    else notes.refuse(`${path}.${name}`, 'does not accept such content');
  }
  const signature = thoughtSignature === undefined ? {} : { signature: thoughtSignature };
  if (functionCall) {
    const { id, name = '', args } = functionCall;
    const json = jsonText(args ?? {}) ?? '';
    return [{ type: 'toolCall', id: calls.assignCallId(id, name), name, arguments: json, ...signature }];
  }
  if (part.thought) return [{ type: 'reasoning', text: text ?? '', ...signature }];
  return [
    ...(text ? [{ type: 'text', text } as const] : []),
    ...(inlineData ? readData(inlineData, path, notes) : []),
    ...(fileData ? readFile(fileData, `${path}.fileData`, notes) : []),
    ...(functionResponse ? [readResult(functionResponse, path, calls, notes)] : []),
    ...(thoughtSignature === undefined ? [] : [{ type: 'reasoning', text: '', ...signature } as const]),
  ];
}

function readData(
  { mimeType = '', data, displayName }: NonNullable<Part['inlineData']>,
  path: string,
  notes: RequestNotes,
): readonly ForeignPart[] {
  const isAudioOrVideo = /^(audio|video)\//.test(mimeType);
  if (isAudioOrVideo) notes.refuse(`${path}.inlineData`, 'does not accept audio or video');
  return isAudioOrVideo ? [] : [createDataPart(mimeType, data, nonEmptyString(displayName))];
}

function readFile(
  { mimeType, fileUri }: NonNullable<Part['fileData']>,
  path: string,
  notes: RequestNotes,
): readonly ForeignPart[] {
  const isPicture = mimeType === undefined || mimeType.startsWith('image/');
  const isStored = /^https:\/\/generativelanguage\.|^gs:/i.test(fileUri);
  if (!isPicture || isStored) {
    notes.refuse(path, 'does not accept the address of this file; send its data');
    return [];
  }
  const picture = readPicture(fileUri, `${path}.fileUri`, notes);
  return picture ? [{ ...picture, ...(mimeType !== undefined && { mimeType }) }] : [];
}

function readResult(
  functionResponse: NonNullable<Part['functionResponse']>,
  path: string,
  calls: CallIds,
  notes: RequestNotes,
): ForeignPart {
  const { id, name = '', response } = functionResponse;
  const responsePath = `${path}.functionResponse`;
  dropUnknownMembers(functionResponse, ['id', 'name', 'response', 'parts'], responsePath, notes);
  const parts = readParts(
    Array.isArray(functionResponse.parts) ? functionResponse.parts : [],
    `${responsePath}.parts`,
    calls,
    notes,
  );
  const other = parts.find(({ type }) => type !== 'image');
  if (other) notes.refuse(other.path, 'supports only text and pictures in tool results');
  const pictures = parts.filter((part) => part.type === 'image');
  return {
    type: 'toolResult',
    id: calls.findCallId(id, name),
    name,
    ...readOutput(response ?? {}),
    ...(pictures.length > 0 && { pictures }),
  };
}

/** The text of a result if the result is a single text; otherwise its JSON text. */
function readOutput(response: JsonObject): { readonly text: string; readonly hasFailed?: boolean } {
  const { output, error, ...rest } = response;
  const isPlain = Object.keys(rest).length === 0;
  if (isPlain && typeof output === 'string' && error === undefined) return { text: output };
  if (isPlain && typeof error === 'string' && output === undefined) return { text: error, hasFailed: true };
  return { text: jsonText(response) ?? '', ...(error !== undefined && { hasFailed: true }) };
}

/** The calls of one tool that have no id in the request. The first `resultCount` of them have a result. */
interface CallsWithoutId {
  readonly ids: string[];
  resultCount: number;
}

/** Assigns ids to calls without ids. Results without ids follow the order of the calls of the same tool. */
class CallIds {
  readonly #byTool = new Map<string, CallsWithoutId>();
  #count = 0;

  /** @returns the id of a call */
  assignCallId(id: string | undefined, name: string): string {
    const newId = `call_${this.#count++}`;
    if (id) return id;
    const calls = this.#byTool.get(name);
    if (calls) calls.ids.push(newId);
    else this.#byTool.set(name, { ids: [newId], resultCount: 0 });
    return newId;
  }

  /** @returns the id of the call that a result belongs to */
  findCallId(id: string | undefined, name: string): string {
    if (id) return id;
    const calls = this.#byTool.get(name);
    return calls?.ids[calls.resultCount++] ?? `call_of_${name}`;
  }
}
