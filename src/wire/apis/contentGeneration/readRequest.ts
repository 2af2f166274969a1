import { isObject, type JsonObject, jsonText, nonEmptyString } from '../../../base/json.ts';
import type { ForeignPart } from '../../message.ts';
import {
  type AskedMessage,
  type AskedPart,
  type AskedRequest,
  dataPart,
  dropOthers,
  type FieldRules,
  type FormatSettings,
  objectsIn,
  picturePart,
  type ReadOptions,
  type RequestNotes,
  type Settings,
  setting,
  sortFields,
} from '../format/askedRequest.ts';
import { otherTool, toolOf, toolsAsked } from '../format/askedTools.ts';
import { stringOf } from '../format/encoding.ts';
import type { RequestTool } from '../format/functionTools.ts';
import type { ToolChoice } from '../format/requestSettings.ts';
import type { Content, ContentGenerationRequest, Part } from './request.ts';
import { jsonSchemaOf } from './spelling.ts';

const rules: FieldRules = {
  read: [
    'model',
    'contents',
    'systemInstruction',
    'tools',
    'toolConfig',
    'safetySettings',
    'generationConfig',
  ],
  hints: ['labels', 'serviceTier', 'store'],
  constraints: { cachedContent: 'stores no beginning of a conversation here; send all of it in contents' },
};

const configRules: FieldRules = {
  read: [
    ...['temperature', 'topP', 'topK', 'maxOutputTokens', 'candidateCount', 'stopSequences', 'seed'],
    ...['presencePenalty', 'frequencyPenalty', 'responseMimeType', 'responseSchema', 'responseJsonSchema'],
    ...['responseModalities', 'responseFormat', 'thinkingConfig'],
  ],
  hints: ['mediaResolution', 'modelSelectionConfig', 'enableEnhancedCivicAnswers'],
  constraints: {
    responseLogprobs: 'cannot tell log probabilities here',
    logprobs: 'cannot tell log probabilities here',
    imageConfig: 'cannot be told how to draw here',
    speechConfig: 'cannot answer with sound here',
  },
};

/** Reads a request of content generation. */
export function readContentGeneration(
  request: ContentGenerationRequest,
  notes: RequestNotes,
  { streamed }: ReadOptions,
): AskedRequest {
  sortFields(request, rules, notes);
  sortFields(request.generationConfig ?? {}, configRules, notes, 'generationConfig.');
  checkSafety(request.safetySettings, notes);
  return {
    messages: [...readInstructions(request.systemInstruction, notes), ...readTurns(request.contents, notes)],
    settings: settingsOf(request, notes),
    streamed,
    shared: {},
  };
}

/** Thresholds by which nothing is blocked. Other providers block as they do by themselves. */
const permissive: ReadonlySet<string> = new Set([
  ...['BLOCK_NONE', 'OFF', 'HARM_BLOCK_THRESHOLD_UNSPECIFIED'],
]);

function checkSafety(settings: ContentGenerationRequest['safetySettings'], notes: RequestNotes): void {
  if (!settings?.length) return;
  if (settings.every(({ threshold }) => permissive.has(threshold))) notes.drop('safetySettings');
  else notes.refuse('safetySettings', 'has no thresholds of harm');
}

function settingsOf(request: ContentGenerationRequest, notes: RequestNotes): Settings {
  const config = request.generationConfig ?? {};
  const at = (name: string) => `generationConfig.${name}`;
  const calling = request.toolConfig?.functionCallingConfig;
  dropOthers(request.toolConfig ?? {}, ['functionCallingConfig'], 'toolConfig', notes);
  const choice = 'toolConfig.functionCallingConfig';
  dropOthers(calling ?? {}, ['mode', 'allowedFunctionNames'], choice, notes);
  return {
    temperature: setting(config.temperature, at('temperature')),
    topP: setting(config.topP, at('topP')),
    topK: setting(config.topK, at('topK')),
    presencePenalty: setting(config.presencePenalty, at('presencePenalty')),
    frequencyPenalty: setting(config.frequencyPenalty, at('frequencyPenalty')),
    seed: setting(config.seed, at('seed')),
    stop: setting(config.stopSequences?.length ? config.stopSequences : undefined, at('stopSequences')),
    outputLimit: setting(config.maxOutputTokens, at('maxOutputTokens')),
    choices: setting(config.candidateCount, at('candidateCount')),
    reasoningEffort: effortOf(config.thinkingConfig, notes),
    thoughts: thoughtsOf(config.thinkingConfig),
    tools: toolsAsked(toolsOf(request.tools, notes)),
    toolChoice: setting(choiceOf(calling, notes), choice),
    ...formatOf(config, notes),
    pictures: setting(picturesWanted(config.responseModalities, notes), at('responseModalities')),
  };
}

type GenerationConfig = NonNullable<ContentGenerationRequest['generationConfig']>;

function effortOf(
  thinking: GenerationConfig['thinkingConfig'],
  notes: RequestNotes,
): Settings['reasoningEffort'] {
  const { thinkingLevel: level, thinkingBudget: budget } = thinking ?? {};
  const at = 'generationConfig.thinkingConfig';
  if (level !== undefined && level !== 'THINKING_LEVEL_UNSPECIFIED')
    return { value: level.toLowerCase(), at: `${at}.thinkingLevel` };
  // Few models of other providers can be told not to think, and those that cannot refuse the word.
  if (budget === 0) notes.drop(`${at}.thinkingBudget`);
  if (budget === undefined || budget === 0) return undefined;
  return { value: budget < 0 ? 'adaptive' : budget, at: `${at}.thinkingBudget` };
}

function thoughtsOf(thinking: GenerationConfig['thinkingConfig']): Settings['thoughts'] {
  const { includeThoughts: value, thinkingBudget } = thinking ?? {};
  return setting(thinkingBudget === 0 ? false : value, 'generationConfig.thinkingConfig.includeThoughts');
}

function picturesWanted(modalities: GenerationConfig['responseModalities'], notes: RequestNotes) {
  const wanted = (modalities ?? []).map((each) => each.toUpperCase()).filter((each) => each !== 'TEXT');
  if (wanted.some((each) => each !== 'IMAGE'))
    notes.refuse('generationConfig.responseModalities', 'answers with text and pictures at most');
  return wanted.includes('IMAGE') || undefined;
}

function formatOf(config: GenerationConfig, notes: RequestNotes): FormatSettings {
  if (config.responseFormat != null) return laterFormatOf(config.responseFormat, notes);
  const { responseMimeType: type, responseSchema, responseJsonSchema } = config;
  const schema =
    plainSchema(responseJsonSchema, 'generationConfig.responseJsonSchema', notes) ??
    plainSchema(responseSchema, 'generationConfig.responseSchema', notes);
  if (type == null || type === 'text/plain')
    return { responseSchema: setting(schema, 'generationConfig.responseMimeType') };
  if (type !== 'application/json')
    notes.refuse('generationConfig.responseMimeType', 'answers with text or JSON only');
  return jsonFormat(schema);
}

/** The form as later versions of the format ask for it, which names a kind of output in each element. */
function laterFormatOf(formats: unknown, notes: RequestNotes): FormatSettings {
  const at = 'generationConfig.responseFormat';
  const texts = objectsIn([formats].flat()).flatMap((told): readonly JsonObject[] => {
    if (Object.keys(told).some((kind) => kind !== 'text') || !isObject(told.text))
      notes.refuse(at, 'cannot be told the form of such an answer');
    return isObject(told.text) ? [told.text] : [];
  });
  const { mimeType, schema } = texts[0] ?? {};
  const type = stringOf(mimeType).toLowerCase().replace('_', '/');
  if (type !== '' && type !== 'text/plain' && type !== 'application/json')
    notes.refuse(at, 'answers with text or JSON only');
  const plain = plainSchema(schema, `${at}.text.schema`, notes);
  return plain || type === 'application/json' ? jsonFormat(plain) : {};
}

function jsonFormat(schema: JsonObject | undefined): FormatSettings {
  const at = 'generationConfig.responseMimeType';
  return {
    responseFormat: { value: schema ? 'json_schema' : 'json', at },
    responseSchema: setting(schema, at),
  };
}

function toolsOf(tools: ContentGenerationRequest['tools'], notes: RequestNotes): readonly RequestTool[] {
  return (tools ?? []).flatMap((tool, nth) => {
    const { functionDeclarations = [], ...others } = tool;
    const [other] = Object.entries(others).filter(([, value]) => value != null);
    if (other) otherTool({ type: other[0] }, `tools[${nth}].${other[0]}`, notes);
    return functionDeclarations.flatMap((told, at) => {
      const place = `tools[${nth}].functionDeclarations[${at}]`;
      dropOthers(told, ['name', 'description', 'parameters', 'parametersJsonSchema'], place, notes);
      const { parameters, parametersJsonSchema } = told;
      const schema =
        plainSchema(parametersJsonSchema, `${place}.parametersJsonSchema`, notes) ??
        plainSchema(parameters, `${place}.parameters`, notes);
      return toolOf(told, schema, place, notes) ?? [];
    });
  });
}

/** JSON Schemas, too, may have members that only this format knows. */
function plainSchema(schema: unknown, at: string, notes: RequestNotes): JsonObject | undefined {
  return isObject(schema) ? jsonSchemaOf(schema, (member) => notes.drop(`${at}.${member}`)) : undefined;
}

function choiceOf(
  calling: NonNullable<ContentGenerationRequest['toolConfig']>['functionCallingConfig'],
  notes: RequestNotes,
): ToolChoice | undefined {
  const { mode = 'AUTO', allowedFunctionNames } = calling ?? {};
  const only = allowedFunctionNames?.length ? { names: allowedFunctionNames } : {};
  const place = 'toolConfig.functionCallingConfig.mode';
  switch (mode.toUpperCase()) {
    case 'MODE_UNSPECIFIED':
    case 'AUTO':
      return calling && { mode: 'auto', ...only };
    case 'VALIDATED':
      notes.drop(place);
      return { mode: 'auto', ...only };
    case 'ANY':
      return { mode: 'required', ...only };
    case 'NONE':
      return { mode: 'none' };
    default:
      notes.refuse(place, 'has no choice of this kind');
      return undefined;
  }
}

function readInstructions(
  instruction: ContentGenerationRequest['systemInstruction'],
  notes: RequestNotes,
): readonly AskedMessage[] {
  if (instruction == null) return [];
  const at = 'systemInstruction';
  if (typeof instruction === 'string')
    return [{ role: 'system', parts: [{ type: 'text', text: instruction, at }], at }];
  const parts = [instruction.parts].flat();
  return [{ role: 'system', parts: readParts(parts, `${at}.parts`, new TurnCalls(), notes), at }];
}

/** Joins the contents of one speaker in a row: client libraries keep each chunk of a streamed reply as one. */
function readTurns(contents: readonly Content[], notes: RequestNotes): readonly AskedMessage[] {
  const calls = new TurnCalls();
  const turns: { readonly role: AskedMessage['role']; readonly parts: AskedPart[]; readonly at: string }[] =
    [];
  contents.forEach(({ role: speaker, parts }, nth) => {
    const at = `contents[${nth}]`;
    const role = speaker === 'model' ? 'assistant' : 'user';
    if (turns.at(-1)?.role !== role) turns.push({ role, parts: [], at });
    const turn = turns.at(-1)?.parts;
    for (const part of readParts(parts, `${at}.parts`, calls, notes)) addPart(part, role, turn ?? []);
  });
  return turns;
}

/** Joins the texts of a reply, and the texts of a thought with the signature at its end. */
function addPart(part: AskedPart, role: AskedMessage['role'], turn: AskedPart[]): void {
  const last = turn.at(-1);
  const isThought = part.type === 'reasoning' && last?.type === 'reasoning' && !last.signature;
  const isText = role === 'assistant' && part.type === 'text' && last?.type === 'text';
  if (isThought || isText) turn[turn.length - 1] = { ...last, ...part, text: last.text + part.text };
  else turn.push(part);
}

function readParts(
  parts: readonly Part[],
  at: string,
  calls: TurnCalls,
  notes: RequestNotes,
): readonly AskedPart[] {
  return parts.flatMap((part, nth) => {
    const place = `${at}[${nth}]`;
    return readPart(part, place, calls, notes).map((each) => ({ ...each, at: place }));
  });
}

const members = [
  ...['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse'],
];

/** Members of a part that only advise. */
const advice: ReadonlySet<string> = new Set(['mediaResolution', 'partMetadata']);

function readPart(part: Part, at: string, calls: TurnCalls, notes: RequestNotes): readonly ForeignPart[] {
  const { text, inlineData, fileData, functionCall, functionResponse, thoughtSignature } = part;
  const others = Object.entries(part).filter(([name, value]) => value != null && !members.includes(name));
  for (const other of others) {
    if (advice.has(other[0])) notes.drop(`${at}.${other[0]}`);
    else notes.refuse(`${at}.${other[0]}`, 'cannot be sent such content');
  }
  const signature = thoughtSignature === undefined ? {} : { signature: thoughtSignature };
  if (functionCall) {
    const { id, name = '', args } = functionCall;
    const json = jsonText(args ?? {}) ?? '';
    return [{ type: 'toolCall', id: calls.call(id, name), name, arguments: json, ...signature }];
  }
  if (part.thought) return [{ type: 'reasoning', text: text ?? '', ...signature }];
  return [
    ...(text ? [{ type: 'text', text } as const] : []),
    ...(inlineData ? readData(inlineData, at, notes) : []),
    ...(fileData ? readFile(fileData, `${at}.fileData`, notes) : []),
    ...(functionResponse ? [readResult(functionResponse, at, calls, notes)] : []),
    ...(thoughtSignature === undefined ? [] : [{ type: 'reasoning', text: '', ...signature } as const]),
  ];
}

function readData(
  { mimeType = '', data, displayName }: NonNullable<Part['inlineData']>,
  at: string,
  notes: RequestNotes,
): readonly ForeignPart[] {
  const isPlayed = /^(audio|video)\//.test(mimeType);
  if (isPlayed) notes.refuse(`${at}.inlineData`, 'cannot be sent sound or films');
  return isPlayed ? [] : [dataPart(mimeType, data, nonEmptyString(displayName))];
}

function readFile(
  { mimeType, fileUri }: NonNullable<Part['fileData']>,
  at: string,
  notes: RequestNotes,
): readonly ForeignPart[] {
  const isPicture = mimeType === undefined || mimeType.startsWith('image/');
  const isOwn = /^https:\/\/generativelanguage\.|^gs:/i.test(fileUri);
  if (!isPicture || isOwn) {
    notes.refuse(at, 'cannot be given this file by its address; send its data');
    return [];
  }
  const picture = picturePart(fileUri, `${at}.fileUri`, notes);
  return picture ? [{ ...picture, ...(mimeType !== undefined && { mimeType }) }] : [];
}

function readResult(
  told: NonNullable<Part['functionResponse']>,
  at: string,
  calls: TurnCalls,
  notes: RequestNotes,
): ForeignPart {
  const { id, name = '', response } = told;
  const place = `${at}.functionResponse`;
  dropOthers(told, ['id', 'name', 'response', 'parts'], place, notes);
  const parts = readParts(Array.isArray(told.parts) ? told.parts : [], `${place}.parts`, calls, notes);
  const other = parts.find(({ type }) => type !== 'image');
  if (other) notes.refuse(other.at, 'has no results of tools but texts and pictures');
  const pictures = parts.filter((part) => part.type === 'image');
  return {
    type: 'toolResult',
    id: calls.result(id, name),
    name,
    ...answerOf(response ?? {}),
    ...(pictures.length > 0 && { pictures }),
  };
}

/** A result that is one text is that text; any other is JSON. */
function answerOf(response: JsonObject): { readonly text: string; readonly failed?: boolean } {
  const { output, error, ...rest } = response;
  const isPlain = Object.keys(rest).length === 0;
  if (isPlain && typeof output === 'string' && error === undefined) return { text: output };
  if (isPlain && typeof error === 'string' && output === undefined) return { text: error, failed: true };
  return { text: jsonText(response) ?? '', ...(error !== undefined && { failed: true }) };
}

/** The calls of a tool that no result answered yet: those behind `answered`. */
interface WaitingCalls {
  readonly ids: string[];
  answered: number;
}

/**
 * The ids of tool calls in a format where they may have none: then the results follow in the order of the calls
 * of the same name.
 */
class TurnCalls {
  readonly #waiting = new Map<string, WaitingCalls>();
  #count = 0;

  /** @returns the id of a call */
  call(id: string | undefined, name: string): string {
    const given = id || `call_${this.#count}`;
    this.#count++;
    if (id) return given;
    const waiting = this.#waiting.get(name);
    if (waiting) waiting.ids.push(given);
    else this.#waiting.set(name, { ids: [given], answered: 0 });
    return given;
  }

  /** @returns the id of the call that a result answers */
  result(id: string | undefined, name: string): string {
    if (id) return id;
    const waiting = this.#waiting.get(name);
    return waiting?.ids[waiting.answered++] ?? `call_of_${name}`;
  }
}
