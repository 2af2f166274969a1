import { isObject, type JsonObject } from '../../../base/json.ts';
import type { FieldPath, PlacedField } from '../../../wire/apis/commonParameters.ts';
import type { ConversionNotes } from '../notes.ts';
import { admittedMessages } from './admittedMessages.ts';
import type { AskedRequest, SettingName, Settings } from './askedRequest.ts';
import type { RequestForm, Writing } from './requestForm.ts';

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
  const messages = admittedMessages(request.messages, form.admission, notes);
  const asked = { ...request, messages, settings: withFewerTools(request.settings) };
  const writing = { asked, model };
  const body: Record<string, unknown> = { ...form.encode(messages).body };
  for (const name of settingNames) {
    for (const field of placedFields(name, form, writing, notes)) place(field, body);
  }
  return form.complete(body, writing);
}

/** In their order, and what a format without such a setting lacks; null for what only advises. */
const lacks: Readonly<Record<SettingName, string | null>> = {
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
  effort: null,
  responseFormat: 'answers in JSON only by a schema',
  verbosity: null,
  pictures: 'cannot answer with pictures',
};

const settingNames = Object.keys(lacks) as SettingName[];

/** Values that change nothing, which need no place. */
const idle: Readonly<Partial<Record<SettingName, unknown>>> = {
  parallelCalls: true,
  presencePenalty: 0,
  frequencyPenalty: 0,
  choices: 1,
  effort: 'none',
  verbosity: 'medium',
};

function placedFields<Name extends SettingName>(
  name: Name,
  { settings }: RequestForm,
  writing: Writing,
  notes: ConversionNotes,
): readonly PlacedField[] {
  const asked: Settings[Name] = writing.asked.settings[name];
  if (!asked) return [];
  const placed = settings[name]?.(asked.value, writing);
  if (placed) return placed;
  const lack = lacks[name];
  if (idle[name] === asked.value) return [];
  if (lack !== null) throw notes.refusal(asked.at, lack);
  notes.drop(asked.at);
  return [];
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
  return { ...settings, tools: { ...tools, value: offered }, toolChoice: { ...toolChoice, value: { mode } } };
}

function place({ path, value }: PlacedField, body: Record<string, unknown>): void {
  const [name = '', ...within]: FieldPath = path;
  if (within.length === 0) {
    body[name] = value;
    return;
  }
  const inner: Record<string, unknown> = isObject(body[name]) ? { ...body[name] } : {};
  place({ path: within, value }, inner);
  body[name] = inner;
}
