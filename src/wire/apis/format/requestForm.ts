import { isObject, type JsonObject } from '../../../base/json.ts';
import type { Encoded, ForeignMessage } from '../../message.ts';
import type { CommonField, FieldPath, PlacedField, RequestSettings, SettingName } from './requestSettings.ts';

/** What a conversation may hold in an API format. */
export interface Admission {
  /** The id of the format. */
  readonly format: string;
  /** Media types of pictures; absent where the provider judges them. */
  readonly pictureTypes?: ReadonlySet<string>;
  /** Media types of documents; absent where the provider judges them. */
  readonly documentTypes?: ReadonlySet<string>;
  /** Whether an answer may hold pictures. */
  readonly answersHoldPictures?: boolean;
  /** Whether a picture's address needs its media type. */
  readonly linksHaveTypes?: boolean;
  /** Whether signed reasoning goes back. */
  readonly takesReasoning?: boolean;
  /** Whether a model gets back its reasoning that nobody signed. */
  readonly takesUnsignedReasoning?: (model: string) => boolean;
  /** Whether the signature of a call goes back. */
  readonly takesCallSignatures?: boolean;
  /** Whether the arguments of a call are an object, and not its JSON text. */
  readonly parsesArguments?: boolean;
  /** Whether a result names its tool. */
  readonly namesResults?: boolean;
  /** How many stop sequences a request may have, where that is limited. */
  readonly mostStops?: number;
  /** Names that a tool may have; any where it is absent. */
  readonly toolName?: RegExp;
  /** How long the id of a call may be, where that is limited. */
  readonly longestCallId?: number;
  /** Whether a model can be held to the schemas of its tools. */
  readonly holdsToolsToSchemas?: boolean;
  /** Whether the words for an effort are written as each model knows them. */
  readonly knowsEfforts?: boolean;
  /** Whether a result tells that the tool failed. */
  readonly tellsFailure?: boolean;
  /** Whether text of white space alone is refused, as empty text is. */
  readonly refusesBlankText?: boolean;
  /** Whether instructions between messages stay where they are. */
  readonly keepsInstructions?: boolean;
}

/** A request while it is written. */
export interface Writing {
  readonly model: string;
  readonly messages: readonly ForeignMessage[];
  /** What is not set is absent. */
  readonly settings: Partial<RequestSettings>;
  readonly streamed: boolean;
  /** Fields that go along as they are. */
  readonly shared?: JsonObject;
}

/** The settings with fields of their own; the others belong to the response format. */
export type PlacedName = Exclude<SettingName, 'responseSchema' | 'schemaName' | 'strictSchema'>;

/**
 * How a format places a setting: unchanged at a path; as the form of parameters does; or as the fields that a function
 * returns, undefined for a value that the format has no place for.
 */
type PlaceSetting<Name extends PlacedName> =
  | FieldPath
  | CommonField
  | ((value: RequestSettings[Name], writing: Writing) => readonly PlacedField[] | undefined);

/** How an API format asks, for conversations that another program holds. */
export interface RequestForm {
  readonly admission: Admission;
  encode(messages: readonly ForeignMessage[], model: string): Encoded<object>;
  /** The settings that it has. */
  readonly settings: { readonly [Name in PlacedName]?: PlaceSetting<Name> };
  /** The body with what every request of the format needs. */
  complete(body: JsonObject, writing: Writing): JsonObject;
}

/** Places a setting as the form of parameters does; undefined for a value that the form leaves out. */
export function asFarAs(
  { place }: CommonField,
  { settings, model }: Writing,
): readonly PlacedField[] | undefined {
  const placed = place(settings, model);
  return placed.length === 0 ? undefined : placed;
}

export function at<Value>(...path: FieldPath): (value: Value) => readonly PlacedField[] {
  return (value) => [{ path, value }];
}

/** In the order in which they are placed. */
const placedNames: readonly PlacedName[] = [
  ...(['tools', 'toolChoice', 'parallelCalls', 'temperature', 'topP', 'topK', 'presencePenalty'] as const),
  ...(['frequencyPenalty', 'seed', 'stop', 'choices', 'outputLimit', 'reasoningEffort'] as const),
  ...(['thoughts', 'responseFormat', 'verbosity', 'pictures'] as const),
];

/**
 * The body of a request.
 *
 * @param onUnplaced called for each setting that the format has no place for
 */
export function writeForm(
  form: RequestForm,
  writing: Writing,
  onUnplaced: (name: PlacedName) => void,
): JsonObject {
  const body: Record<string, unknown> = { ...form.encode(writing.messages, writing.model).body };
  for (const name of placedNames) {
    if (writing.settings[name] === undefined) continue;
    const placed = placedFields(name, form, writing);
    if (placed) for (const field of placed) place(field, body);
    else onUnplaced(name);
  }
  return form.complete(body, writing);
}

function placedFields<Name extends PlacedName>(
  name: Name,
  { settings }: RequestForm,
  writing: Writing,
): readonly PlacedField[] | undefined {
  const value: RequestSettings[Name] | undefined = writing.settings[name];
  const how = settings[name];
  if (value === undefined || how === undefined) return undefined;
  if (typeof how === 'function') return how(value, writing);
  return 'place' in how ? how.place(writing.settings, writing.model) : [{ path: how, value }];
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
