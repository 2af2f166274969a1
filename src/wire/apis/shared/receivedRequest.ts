import { isObject, type JsonObject, jsonText, nonEmptyString } from '../../../base/json.ts';
import type { CacheMark, CacheMember, ForeignPart } from '../../message.ts';
import { type PartOf, readDataUrl, stringOrEmpty } from './messageParts.ts';
import type { RequestSettings, SettingName } from './requestSettings.ts';

/** Receives the fields of a request that other formats do not support. */
export interface RequestNotes {
  /** @param path the path of an optional hint, such as `messages[0].name` */
  drop(path: string): void;
  /**
   * Called for a field that changes the meaning of the request. If it does not throw, the field is skipped.
   *
   * @param lack completes a sentence that begins with the name of another format, such as `has no audio`
   */
  refuse(path: string, lack: string): void;
}

/** Ignores all these fields. */
export const lenientNotes: RequestNotes = { drop() {}, refuse() {} };

/** The input of a reader in addition to the body. */
export interface ReadOptions {
  /** Names of fields that the target format also has. */
  readonly shared: readonly string[];
  /** Whether the route requests a stream. Used for formats that have no `stream` field in the body. */
  readonly isStreamed: boolean;
}

/** A request that was read from one API format and is not written in another format yet. */
export interface ReceivedRequest {
  readonly messages: readonly ReceivedMessage[];
  readonly settings: Settings;
  readonly isStreamed: boolean;
  /** Hints that both formats have, by their names. */
  readonly shared: JsonObject;
  /** Whether both formats belong to one provider, which accepts its own words in both. */
  readonly isSameProvider?: boolean;
}

export interface ReceivedMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly ReceivedPart[];
  /** Its path in the request, such as `messages[0]`. */
  readonly path: string;
}

/** A part with its path in the request, such as `messages[0].content[1]`. */
export type ReceivedPart = ForeignPart & { readonly path: string };

/** A setting with its path in the request. */
export interface Setting<Value> {
  readonly value: Value;
  readonly path: string;
}

/** The settings of the response format. */
export type FormatSettings = Pick<
  Settings,
  'responseFormat' | 'responseSchema' | 'schemaName' | 'strictSchema'
>;

/** The settings of a request besides its conversation. Unset settings are absent. */
export type Settings = { readonly [Name in SettingName]?: Setting<RequestSettings[Name]> | undefined };

/** The rules for the fields of a request. Unknown fields are refused because their effect is unknown. */
export interface FieldRules {
  /** Fields that the reader converts, and fields without effect. */
  readonly read: readonly string[];
  /** Optional hints. */
  readonly hints: readonly string[];
  /** Fields that change the meaning of the request, each with the feature that other formats lack. */
  readonly constraints: Readonly<Record<string, string>>;
  /** Fields that are active as soon as they are present, even if they are empty. */
  readonly switches?: readonly string[];
}

/** Values without effect. */
const neutralValues: ReadonlySet<unknown> = new Set([
  null,
  undefined,
  false,
  0,
  '',
  'disabled',
  '[]',
  '{}',
  '["text"]',
]);

/**
 * Reports optional hints as dropped, and refuses fields that the other format cannot express.
 *
 * @param base the path of the object, with a dot at its end; empty for the whole body
 */
export function checkFields(body: JsonObject, rules: FieldRules, notes: RequestNotes, base = ''): void {
  const read = new Set(rules.read);
  const hints = new Set(rules.hints);
  const switches = new Set(rules.switches);
  for (const [name, value] of Object.entries(body)) {
    if (read.has(name) || (isNeutral(value) && !(switches.has(name) && isObject(value)))) continue;
    if (hints.has(name)) notes.drop(base + name);
    else {
      const lack = Object.hasOwn(rules.constraints, name) ? rules.constraints[name] : undefined;
      notes.refuse(base + name, lack ?? 'may not support this field');
    }
  }
}

function isNeutral(value: unknown): boolean {
  return neutralValues.has(typeof value === 'object' ? jsonText(value ?? undefined) : value);
}

/** Reports the members of an object as dropped, except for the known ones. */
export function dropUnknownMembers(
  object: JsonObject,
  knownMembers: readonly string[],
  path: string,
  notes: RequestNotes,
): void {
  for (const [name, value] of Object.entries(object)) {
    if (value != null && !knownMembers.includes(name)) notes.drop(`${path}.${name}`);
  }
}

/** The value with its path; undefined if it is not set. */
export function toSetting<Value>(value: Value | null | undefined, path: string): Setting<Value> | undefined {
  return value == null ? undefined : { value, path };
}

const typesByExtension: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);

/** The picture in a data URL or at an address. Other values are refused. */
export function readPicture(
  url: unknown,
  path: string,
  notes: RequestNotes,
): PartOf<'image' | 'imageLink'> | undefined {
  const inline = readDataUrl(url);
  if (inline) return inline;
  const link = stringOrEmpty(url);
  if (/^(https?|gs):/i.test(link)) return { type: 'imageLink', url: link, ...readLinkType(link) };
  notes.refuse(path, 'accepts pictures only as base64 data or as an address that begins with https:');
  return undefined;
}

function readLinkType(url: string): { readonly mimeType?: string } {
  const [, extension = ''] = /\.([a-z]+)(?:[?#]|$)/i.exec(url) ?? [];
  const mimeType = typesByExtension.get(extension.toLowerCase());
  return mimeType === undefined ? {} : { mimeType };
}

/** A picture or a document by its media type. */
export function createDataPart(mimeType: string, data: string, name?: string): ForeignPart {
  if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data };
  return { type: 'document', mimeType, data, ...(name !== undefined && { name }) };
}

/** A file in a data URL. A reference to a file that the provider stores is refused. */
export function readFile(
  data: unknown,
  name: string | undefined,
  path: string,
  notes: RequestNotes,
): ForeignPart | undefined {
  const file = readDataUrl(data);
  if (file) return createDataPart(file.mimeType, file.data, name);
  notes.refuse(path, 'does not accept references to files; send the file as a data URL');
  return undefined;
}

/** The part with its path and its cache mark, as a list; empty if the part was skipped. */
export function addPath(
  part: ForeignPart | undefined,
  path: string,
  cacheMark = part?.cacheMark,
): readonly ReceivedPart[] {
  return part ? [{ ...part, path, ...(cacheMark && { cacheMark }) }] : [];
}

/** The members of parts and tools that contain a cache mark. */
export const cacheMembers: readonly CacheMember[] = ['cache_control', 'prompt_cache_breakpoint'];

/**
 * The cache mark of a part, a tool or a request.
 *
 * @param base the path of the object, with a dot at its end; empty for the whole body
 */
export function readCacheMark(object: JsonObject, base: string, notes: RequestNotes): CacheMark | undefined {
  const member = cacheMembers.find((name) => isObject(object[name]));
  const value = member && object[member];
  if (member === undefined || !isObject(value)) return undefined;
  const path = base + member;
  dropUnknownMembers(value, ['type', 'mode', 'ttl'], path, notes);
  const ttl = nonEmptyString(value.ttl);
  return { member, path, ...(ttl !== undefined && { ttl }) };
}

/** The last cache mark of the content of a tool result. Only the result itself has a mark in every format. */
export function readResultMark(parts: readonly ReceivedPart[]): Pick<ForeignPart, 'cacheMark'> {
  const { cacheMark } = parts.findLast((part) => part.cacheMark) ?? {};
  return cacheMark ? { cacheMark } : {};
}

/** The content of a tool result: texts and pictures. Other parts are refused. */
export function readResultContent(
  parts: readonly ReceivedPart[],
  notes: RequestNotes,
): Pick<PartOf<'toolResult'>, 'text' | 'pictures'> {
  const other = parts.find(({ type }) => type !== 'text' && type !== 'image');
  if (other) notes.refuse(other.path, 'supports only text and pictures in tool results');
  // The result itself has the mark.
  const pictures = parts
    .filter((part) => part.type === 'image')
    .map(({ cacheMark: _, ...picture }) => picture);
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    ...(pictures.length > 0 && { pictures }),
  };
}
