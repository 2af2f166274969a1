import type { JsonObject } from '../../../base/json.ts';
import { plainEffort } from '../../../wire/apis/effort.ts';
import { type RequestForm, writeForm } from '../../../wire/apis/requestForm.ts';
import type { RequestSettings, SettingName } from '../../../wire/apis/requestSettings.ts';
import type { ConversionNotes } from '../notes.ts';
import { admittedMessages } from './admittedMessages.ts';
import type { AskedRequest, Setting, Settings } from './askedRequest.ts';

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
  const messages = admittedMessages(request.messages, model, form.admission, notes);
  const { streamed, shared, isSameProvider } = request;
  const asked = withFewerTools(request.settings);
  const values = valuesOf(asked);
  const isStrict = values.tools?.some(({ strict }) => strict) === true;
  // What a tool is called with may differ from its schema then.
  if (isStrict && !form.admission.holdsToolsToSchemas) notes.drop('tools[].strict');
  const settings = isSameProvider || form.admission.knowsEfforts ? values : withPlainEffort(values);
  const writing = { model, messages, settings, streamed, shared };
  return writeForm(form, writing, (name) => noteUnplaced(name, asked[name], form, notes));
}

/** What a format without such a setting lacks; null for what only advises. */
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

/** Values that change nothing, which need no place. */
const idle: Readonly<Partial<Record<SettingName, unknown>>> = {
  parallelCalls: true,
  presencePenalty: 0,
  frequencyPenalty: 0,
  choices: 1,
  effort: 'none',
  verbosity: 'medium',
};

function valuesOf(settings: Settings): Partial<RequestSettings> {
  const told = Object.entries(settings).filter(([, setting]) => setting !== undefined);
  return Object.fromEntries(told.map(([name, setting]) => [name, setting?.value]));
}

/** Words that are one provider's, or of some models, are refused by others. */
function withPlainEffort(values: Partial<RequestSettings>): Partial<RequestSettings> {
  const { effort } = values;
  return typeof effort === 'string' ? { ...values, effort: plainEffort(effort) } : values;
}

/** A temperature that the format has, and the model has not: it samples as it does by itself. */
function isAdvice(name: SettingName, value: unknown, { admission }: RequestForm): boolean {
  const most = admission.format === 'messages' ? 1 : 2;
  return name === 'temperature' && typeof value === 'number' && value >= 0 && value <= most;
}

/** Throws an HttpError for what must not be left out. */
function noteUnplaced(
  name: SettingName,
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
  return { ...settings, tools: { ...tools, value: offered }, toolChoice: { ...toolChoice, value: { mode } } };
}
