import { isObject, type JsonObject } from '../../../base/json.ts';
import type { Encoded, ForeignMessage, ForeignPart } from '../../message.ts';
import type { CommonField, FieldPath, PlacedField, RequestSettings, SettingName } from './requestSettings.ts';

/** The content that an API format allows in a conversation. */
export interface ContentRules {
  /** The id of the format. */
  readonly format: string;
  /** Media types of pictures; absent if only the provider decides. */
  readonly pictureTypes?: ReadonlySet<string>;
  /** Media types of documents; absent if only the provider decides. */
  readonly documentTypes?: ReadonlySet<string>;
  /** Whether a reply in the conversation may contain pictures. */
  readonly allowsPicturesInReplies?: boolean;
  /** Whether a picture's address needs its media type. */
  readonly requiresLinkTypes?: boolean;
  /** Whether signed reasoning is sent back. */
  readonly acceptsReasoning?: boolean;
  /** Whether unsigned reasoning is sent back to a model. */
  readonly acceptsUnsignedReasoning?: (model: string) => boolean;
  /** Whether the signature of a call is sent back. */
  readonly acceptsCallSignatures?: boolean;
  /** Whether the arguments of a call are an object instead of JSON text. */
  readonly parsesArguments?: boolean;
  /** Whether a result names its tool. */
  readonly namesResults?: boolean;
  /** The maximum number of stop sequences, if it is limited. */
  readonly maxStops?: number;
  /** Valid names of tools; absent if any name is valid. */
  readonly toolName?: RegExp;
  /** The maximum length of a call's id, if it is limited. */
  readonly maxCallIdLength?: number;
  /** Whether a request can require that calls match the schemas of the tools exactly. */
  readonly enforcesToolSchemas?: boolean;
  /** Whether efforts are converted to the words that each model accepts. */
  readonly convertsEfforts?: boolean;
  /** Whether a result can report that the tool failed. */
  readonly reportsToolFailure?: boolean;
  /** Whether text that consists only of white space is refused. */
  readonly refusesBlankText?: boolean;
  /** Whether a part may have a cache mark; absent if the format has no marks. */
  readonly acceptsCacheMark?: (part: ForeignPart, role: ForeignMessage['role']) => boolean;
  /** Whether a tool may have a cache mark. */
  readonly acceptsToolMarks?: boolean;
  /** Whether a conversation may contain instructions between messages. */
  readonly allowsInlineInstructions?: boolean;
}

/** A request to write in an API format. */
export interface FormContext {
  readonly model: string;
  readonly messages: readonly ForeignMessage[];
  /** Unset settings are absent. */
  readonly settings: Partial<RequestSettings>;
  readonly isStreamed: boolean;
  /** Fields that are copied unchanged. */
  readonly shared?: JsonObject;
}

/** The settings with fields of their own; the others belong to the response format. */
export type PlacedName = Exclude<SettingName, 'responseSchema' | 'schemaName' | 'strictSchema'>;

/**
 * How a format places a setting: unchanged at a path, in the same way as the form of parameters, or as the fields
 * that a function returns. The function returns undefined for a value that the format cannot express.
 */
type SettingPlacement<Name extends PlacedName> =
  | FieldPath
  | CommonField
  | ((value: RequestSettings[Name], context: FormContext) => readonly PlacedField[] | undefined);

/** How an API format writes a request for a conversation that another program stores. */
export interface RequestForm {
  readonly contentRules: ContentRules;
  encode(messages: readonly ForeignMessage[], model: string): Encoded<object>;
  /** The supported settings. */
  readonly settings: { readonly [Name in PlacedName]?: SettingPlacement<Name> };
  /** The body with the fields that every request of the format requires. */
  complete(body: JsonObject, context: FormContext): JsonObject;
}

/** Returns a function that places a value at a path. */
export function placeAt<Value>(...path: FieldPath): (value: Value) => readonly PlacedField[] {
  return (value) => [{ path, value }];
}

/** The settings in the order in which their fields are written. */
const placedNames: readonly PlacedName[] = [
  'tools',
  'toolChoice',
  'parallelCalls',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'stop',
  'choices',
  'outputLimit',
  'reasoningEffort',
  'thoughts',
  'responseFormat',
  'verbosity',
  'pictures',
  'endMark',
  'cachedContent',
];

/**
 * Writes the body of a request.
 *
 * @param onUnplaced called for each setting that the format does not support
 */
export function writeRequestBody(
  form: RequestForm,
  context: FormContext,
  onUnplaced: (name: PlacedName) => void,
): JsonObject {
  const body: Record<string, unknown> = { ...form.encode(context.messages, context.model).body };
  for (const name of placedNames) {
    if (context.settings[name] === undefined) continue;
    const fields = placeSetting(name, form, context);
    if (fields) for (const field of fields) writeField(field, body);
    else onUnplaced(name);
  }
  return form.complete(body, context);
}

function placeSetting<Name extends PlacedName>(
  name: Name,
  { settings }: RequestForm,
  context: FormContext,
): readonly PlacedField[] | undefined {
  const value: RequestSettings[Name] | undefined = context.settings[name];
  const placement = settings[name];
  if (value === undefined || placement === undefined) return undefined;
  if (typeof placement === 'function') return placement(value, context);
  return 'place' in placement
    ? placement.place(context.settings, context.model)
    : [{ path: placement, value }];
}

function writeField({ path, value }: PlacedField, body: Record<string, unknown>): void {
  const [name = '', ...rest]: FieldPath = path;
  if (rest.length === 0) {
    body[name] = value;
    return;
  }
  const inner: Record<string, unknown> = isObject(body[name]) ? { ...body[name] } : {};
  writeField({ path: rest, value }, inner);
  body[name] = inner;
}
