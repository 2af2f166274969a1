import type { JsonObject } from '../../base/json.ts';
import type {
  AskedMessage,
  AskedPart,
  AskedRequest,
  Setting,
  Settings,
} from '../../wire/apis/format/askedRequest.ts';
import { shortened } from '../../wire/apis/format/functionTools.ts';
import {
  type Admission,
  type PlacedName,
  type RequestForm,
  writeForm,
} from '../../wire/apis/format/requestForm.ts';
import type { RequestSettings } from '../../wire/apis/format/requestSettings.ts';
import { plainEffort } from '../../wire/apis/format/requestSettings.ts';
import { invalidRequest } from '../http/httpError.ts';
import { admittedMessages } from './admittedMessages.ts';
import type { ConversionNotes } from './notes.ts';

/**
 * The body of a request in another API format.
 *
 * @throws {HttpError} for what would lose content or a constraint
 */
export function writeRequest(
  request: AskedRequest,
  model: string,
  form: RequestForm,
  notes: ConversionNotes,
): JsonObject {
  const said = withShortCallIds(request.messages, form.admission.longestCallId);
  const messages = admittedMessages(said, model, form.admission, notes);
  const { streamed, shared, isSameProvider } = request;
  const asked = withFewerTools(request.settings);
  const values = valuesOf(asked);
  const isStrict = values.tools?.some(({ strict }) => strict) === true;
  // What a tool is called with may differ from its schema then.
  if (isStrict && !form.admission.holdsToolsToSchemas) notes.drop('tools[].strict');
  const knowsEfforts = isSameProvider || form.admission.knowsEfforts;
  const effort = knowsEfforts ? {} : plainEffortOf(asked.reasoningEffort, notes);
  const settings = { ...values, ...effort, ...fewerStops(asked.stop, form, notes) };
  const writing = { model, messages: withUser(messages, form, notes), settings, streamed, shared };
  return writeForm(form, writing, (name) => noteUnplaced(name, asked[name], form, notes));
}

/** What a format without such a setting lacks; null for what only advises. */
const lacks: Readonly<Record<PlacedName, string | null>> = {
  tools: 'has no tools',
  toolChoice: 'has no choice of tools',
  parallelCalls: null,
  temperature: 'takes temperatures from 0 to 1 only',
  topP: null,
  topK: null,
  presencePenalty: null,
  frequencyPenalty: null,
  seed: 'has no seed',
  stop: 'has no stop sequences',
  choices: 'writes one answer only',
  outputLimit: 'has no limit of output',
  reasoningEffort: null,
  thoughts: null,
  responseFormat: 'answers in JSON only by a schema',
  verbosity: null,
  pictures: 'cannot answer with pictures',
};

/** Values that change nothing, which need no place. */
const idle: Readonly<Partial<Record<PlacedName, unknown>>> = {
  parallelCalls: true,
  presencePenalty: 0,
  frequencyPenalty: 0,
  choices: 1,
  reasoningEffort: 'none',
  verbosity: 'medium',
};

function valuesOf(settings: Settings): Partial<RequestSettings> {
  const told = Object.entries(settings).filter(([, setting]) => setting !== undefined);
  const values: Partial<RequestSettings> = Object.fromEntries(
    told.map(([name, setting]) => [name, setting?.value]),
  );
  const { thoughts, ...others } = values;
  const lacksSchema = values.responseFormat === 'json_schema' && !values.responseSchema;
  return {
    ...others,
    // Formats show no thoughts unless they are asked to.
    ...(thoughts && { thoughts }),
    ...(lacksSchema && { responseFormat: 'json' }),
  };
}

/** Words that are one provider's, or of some models, are refused by others. */
function plainEffortOf(
  effort: Settings['reasoningEffort'],
  notes: ConversionNotes,
): Partial<RequestSettings> {
  if (typeof effort?.value !== 'string') return {};
  const word = plainEffort(effort.value);
  if (word !== effort.value) notes.drop(effort.at);
  return { reasoningEffort: word };
}

/** Providers refuse a request with more. */
function fewerStops(
  stop: Settings['stop'],
  { admission: { mostStops = Infinity } }: RequestForm,
  notes: ConversionNotes,
): Partial<RequestSettings> {
  if (!stop || stop.value.length <= mostStops) return {};
  notes.drop(stop.at);
  return { stop: stop.value.slice(0, mostStops) };
}

/** Instructions alone are the user's message in a format that has a field of their own for them. */
function withUser(
  messages: readonly AskedMessage[],
  { admission }: RequestForm,
  notes: ConversionNotes,
): readonly AskedMessage[] {
  const said = messages.filter(({ parts }) => parts.some((part) => hasContent(part, admission)));
  const last = said.at(-1);
  if (!last) throw emptyConversation(messages.at(-1)?.at);
  if (admission.keepsInstructions || said.some(({ role }) => role !== 'system')) return messages;
  notes.drop(last.at);
  return said.with(-1, { ...last, role: 'user' });
}

/** Whether a part is sent: providers refuse empty text, and some of them blank text. */
function hasContent(part: AskedPart, { refusesBlankText }: Admission): boolean {
  if (part.type !== 'text') return true;
  return (refusesBlankText ? part.text.trim() : part.text) !== '';
}

function emptyConversation(at: string | undefined) {
  const message = `${at === undefined ? '' : `${at}: `}The conversation is empty. Send a message with text or with a file.`;
  return invalidRequest(message, 'invalid_value', at);
}

/** A temperature that the format has, and the model has not: it samples as it does by itself. */
function isAdvice(name: PlacedName, value: unknown, { admission }: RequestForm): boolean {
  const most = admission.format === 'messages' ? 1 : 2;
  return name === 'temperature' && typeof value === 'number' && value >= 0 && value <= most;
}

/** Throws an HttpError for what must not be left out. */
function noteUnplaced(
  name: PlacedName,
  setting: Setting<unknown> | undefined,
  form: RequestForm,
  notes: ConversionNotes,
): void {
  if (!setting || idle[name] === setting.value) return;
  const lack = isAdvice(name, setting.value, form) ? null : lacks[name];
  if (lack !== null) throw notes.refusal(setting.at, lack);
  notes.drop(setting.at);
}

/**
 * Where several tools may be called and others not, only those are offered, which every format can say. Without
 * tools nothing is to be chosen.
 */
function withFewerTools(settings: Settings): Settings {
  const { tools, toolChoice, parallelCalls: _, ...others } = settings;
  if (!tools) return others;
  const { mode, names } = toolChoice?.value ?? {};
  if (!toolChoice || !mode || !names || (mode === 'required' && names.length === 1)) return settings;
  const offered = tools.value.filter(({ name }) => names.includes(name));
  if (offered.length === 0) return others;
  return { ...settings, tools: { ...tools, value: offered }, toolChoice: { ...toolChoice, value: { mode } } };
}

/** The conversation with ids of calls that are no longer than `most`. Different ids stay different. */
function withShortCallIds(
  messages: readonly AskedMessage[],
  most: number | undefined,
): readonly AskedMessage[] {
  if (most === undefined) return messages;
  return messages.map((message) => {
    const parts = message.parts.map((part) =>
      (part.type === 'toolCall' || part.type === 'toolResult') && part.id.length > most
        ? { ...part, id: shortened(part.id, part.id, most) }
        : part,
    );
    return { ...message, parts };
  });
}
