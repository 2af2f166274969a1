import type { JsonObject } from '../../base/json.ts';
import { shortenName } from '../../wire/apis/shared/functionTools.ts';
import type {
  ReceivedMessage,
  ReceivedPart,
  ReceivedRequest,
  Setting,
  Settings,
} from '../../wire/apis/shared/receivedRequest.ts';
import {
  type ContentRules,
  type PlacedName,
  type RequestForm,
  writeRequestBody,
} from '../../wire/apis/shared/requestForm.ts';
import { type RequestSettings, toPlainEffort } from '../../wire/apis/shared/requestSettings.ts';
import { invalidRequestError } from '../http/httpError.ts';
import { admitMessages } from './admittedMessages.ts';
import type { ConversionNotes } from './conversionNotes.ts';

/**
 * Writes the body of a request in another API format.
 *
 * @throws {HttpError} for a request that would lose content or a constraint
 */
export function writeConvertedRequest(
  request: ReceivedRequest,
  model: string,
  form: RequestForm,
  notes: ConversionNotes,
): JsonObject {
  const withShortIds = shortenCallIds(request.messages, form.contentRules.maxCallIdLength);
  const messages = admitMessages(withShortIds, model, form.contentRules, notes);
  const { isStreamed, shared, isSameProvider } = request;
  const requestedSettings = selectCallableTools(request.settings);
  const values = readValues(requestedSettings);
  const isStrict = values.tools?.some(({ strict }) => strict) === true;
  // If the format does not enforce schemas, the arguments of a call may not match them.
  if (isStrict && !form.contentRules.enforcesToolSchemas) notes.drop('tools[].strict');
  const acceptsEffortWords = isSameProvider || form.contentRules.convertsEfforts;
  const effort = acceptsEffortWords ? {} : convertEffort(requestedSettings.reasoningEffort, notes);
  const settings = { ...values, ...effort, ...limitStops(requestedSettings.stop, form, notes) };
  const writing = { model, messages: ensureUserMessage(messages, form, notes), settings, isStreamed, shared };
  return writeRequestBody(form, writing, (name) => dropOrRefuse(name, requestedSettings[name], form, notes));
}

/** Why a format cannot express a setting, as the end of a sentence; null if the setting may be dropped. */
const missingFeatures: Readonly<Record<PlacedName, string | null>> = {
  tools: 'has no tools',
  toolChoice: 'has no tool choice',
  parallelCalls: null,
  temperature: 'accepts only temperatures from 0 to 1',
  topP: null,
  topK: null,
  presencePenalty: null,
  frequencyPenalty: null,
  seed: 'has no seed',
  stop: 'has no stop sequences',
  choices: 'returns only one choice',
  outputLimit: 'has no output limit',
  reasoningEffort: null,
  thoughts: null,
  responseFormat: 'supports JSON output only with a schema',
  verbosity: null,
  pictures: 'cannot return pictures',
  endMark: null,
  cachedContent: 'does not store parts of a conversation; send all of it',
};

/** Values that have the same effect as no value. They are omitted. */
const neutralValues: Readonly<Partial<Record<PlacedName, unknown>>> = {
  parallelCalls: true,
  presencePenalty: 0,
  frequencyPenalty: 0,
  choices: 1,
  reasoningEffort: 'none',
  verbosity: 'medium',
};

function readValues(settings: Settings): Partial<RequestSettings> {
  const entries = Object.entries(settings).filter(([, setting]) => setting !== undefined);
  const values: Partial<RequestSettings> = Object.fromEntries(
    entries.map(([name, setting]) => [name, setting?.value]),
  );
  const { thoughts, ...others } = values;
  const isSchemaMissing = values.responseFormat === 'json_schema' && !values.responseSchema;
  return {
    ...others,
    // All formats omit thoughts by default.
    ...(thoughts && { thoughts }),
    ...(isSchemaMissing && { responseFormat: 'json' }),
  };
}

/** Replaces the name of an effort that only one provider or some models accept. */
function convertEffort(
  effort: Settings['reasoningEffort'],
  notes: ConversionNotes,
): Partial<RequestSettings> {
  if (typeof effort?.value !== 'string') return {};
  const plain = toPlainEffort(effort.value);
  if (plain !== effort.value) notes.drop(effort.path);
  return { reasoningEffort: plain };
}

/** Shortens the list of stop sequences, because providers refuse a longer one. */
function limitStops(
  stop: Settings['stop'],
  { contentRules: { maxStops = Infinity } }: RequestForm,
  notes: ConversionNotes,
): Partial<RequestSettings> {
  if (!stop || stop.value.length <= maxStops) return {};
  notes.drop(stop.path);
  return { stop: stop.value.slice(0, maxStops) };
}

/**
 * Makes the last instruction a message of the user if there are only instructions, and the format has a separate field
 * for them.
 *
 * @throws {HttpError} 400 for a conversation without content
 */
function ensureUserMessage(
  messages: readonly ReceivedMessage[],
  { contentRules: rules }: RequestForm,
  notes: ConversionNotes,
): readonly ReceivedMessage[] {
  const nonEmptyMessages = messages.filter(({ parts }) => parts.some((part) => hasContent(part, rules)));
  const last = nonEmptyMessages.at(-1);
  if (!last) throw emptyConversationError(messages.at(-1)?.path);
  if (rules.allowsInlineInstructions || nonEmptyMessages.some(({ role }) => role !== 'system'))
    return messages;
  notes.drop(last.path);
  return nonEmptyMessages.with(-1, { ...last, role: 'user' });
}

/** Whether a part is sent. Providers refuse empty text, and some of them blank text. */
function hasContent(part: ReceivedPart, { refusesBlankText }: ContentRules): boolean {
  if (part.type !== 'text') return true;
  return (refusesBlankText ? part.text.trim() : part.text) !== '';
}

function emptyConversationError(at: string | undefined) {
  const message = `${at === undefined ? '' : `${at}: `}The conversation is empty. Send a message with text or with a file.`;
  return invalidRequestError(message, 'invalid_value', at);
}

/**
 * Whether a setting is a temperature that the format allows but the model does not. It can be dropped, so that the
 * model uses its default.
 */
function isDroppableTemperature(
  name: PlacedName,
  value: unknown,
  { contentRules: rules }: RequestForm,
): boolean {
  const max = rules.format === 'messages' ? 1 : 2;
  return name === 'temperature' && typeof value === 'number' && value >= 0 && value <= max;
}

/**
 * Drops a setting that the format cannot express.
 *
 * @throws {HttpError} 400 if it must not be dropped
 */
function dropOrRefuse(
  name: PlacedName,
  setting: Setting<unknown> | undefined,
  form: RequestForm,
  notes: ConversionNotes,
): void {
  if (!setting || neutralValues[name] === setting.value) return;
  const lack = isDroppableTemperature(name, setting.value, form) ? null : missingFeatures[name];
  if (lack !== null) throw notes.refusalError(setting.path, lack);
  notes.drop(setting.path);
}

/**
 * Removes tools that the tool choice does not allow, because not every format can express a choice among several
 * tools. A choice of exactly one tool is not changed. Without tools, the settings of tool calls are dropped.
 */
function selectCallableTools(settings: Settings): Settings {
  const { tools, toolChoice, parallelCalls: _, ...others } = settings;
  if (!tools) return others;
  const { mode, names } = toolChoice?.value ?? {};
  if (!toolChoice || !mode || !names || (mode === 'required' && names.length === 1)) return settings;
  const offeredTools = tools.value.filter(({ name }) => names.includes(name));
  if (offeredTools.length === 0) return others;
  return {
    ...settings,
    tools: { ...tools, value: offeredTools },
    toolChoice: { ...toolChoice, value: { mode } },
  };
}

/** Shortens the IDs of calls to the maximum length. Different IDs stay different. */
function shortenCallIds(
  messages: readonly ReceivedMessage[],
  maxLength: number | undefined,
): readonly ReceivedMessage[] {
  if (maxLength === undefined) return messages;
  return messages.map((message) => {
    const parts = message.parts.map((part) =>
      (part.type === 'toolCall' || part.type === 'toolResult') && part.id.length > maxLength
        ? { ...part, id: shortenName(part.id, part.id, maxLength) }
        : part,
    );
    return { ...message, parts };
  });
}
