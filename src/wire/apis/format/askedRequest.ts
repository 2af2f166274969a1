import { isObject, type JsonObject, jsonText } from '../../../base/json.ts';
import type { ForeignPart } from '../../message.ts';
import { imageOf, type PartOf, stringOf } from './encoding.ts';
import type { RequestSettings, SettingName } from './requestSettings.ts';

/** What happens to fields that only the format of a request has. */
export interface RequestNotes {
  /** @param path of a field that only advises, such as `messages[0].name` */
  drop(path: string): void;
  /**
   * Called for a field without which the request would mean something else. If it does not throw, the field is
   * skipped.
   *
   * @param lack ends a sentence after the name of another format, such as `has no audio`
   */
  refuse(path: string, lack: string): void;
}

/** Skips all such fields. */
export const lenient: RequestNotes = { drop() {}, refuse() {} };

/** What a reader knows besides the body. */
export interface ReadOptions {
  /** Fields that the format shares with the one that the request is read for. */
  readonly shared: readonly string[];
  /** Whether the route asks for a stream, in a format whose body does not say so. */
  readonly streamed: boolean;
}

/** A request as one API format asks it, before another one writes it. */
export interface AskedRequest {
  readonly messages: readonly AskedMessage[];
  readonly settings: Settings;
  readonly streamed: boolean;
  /** Hints that the formats of one provider share, by their name in both. */
  readonly shared: JsonObject;
  /** Whether both formats are of one provider, which knows its own words in either. */
  readonly isSameProvider?: boolean;
}

export interface AskedMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly AskedPart[];
  /** Its place in the request, such as `messages[0]`. */
  readonly at: string;
}

/** A part with its place in the request, such as `messages[0].content[1]`. */
export type AskedPart = ForeignPart & { readonly at: string };

/** A value with its place in the request. */
export interface Setting<Value> {
  readonly value: Value;
  readonly at: string;
}

/** The settings of the form of the answer. */
export type FormatSettings = Pick<
  Settings,
  'responseFormat' | 'responseSchema' | 'schemaName' | 'strictSchema'
>;

/** What is asked for beside the conversation. What is not set is absent. */
export type Settings = { readonly [Name in SettingName]?: Setting<RequestSettings[Name]> | undefined };

/** How a reader treats the fields of a request. Unknown ones are refused, since nobody knows what they ask for. */
export interface FieldRules {
  /** Fields that the reader converts, or that change nothing. */
  readonly read: readonly string[];
  /** Fields that only advise. */
  readonly hints: readonly string[];
  /** Fields without which the request would mean something else, each with what other formats lack. */
  readonly constraints: Readonly<Record<string, string>>;
  /** Fields that ask for something by being there, even if nothing is in them. */
  readonly switches?: readonly string[];
}

/** Values that ask for nothing. */
const neutral: ReadonlySet<unknown> = new Set([
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
 * Names the fields that only advise, and refuses those that would be lost.
 *
 * @param base the path of the object, with a dot at its end; empty for the whole body
 */
export function sortFields(body: JsonObject, rules: FieldRules, notes: RequestNotes, base = ''): void {
  const read = new Set(rules.read);
  const hints = new Set(rules.hints);
  const switches = new Set(rules.switches);
  for (const [name, value] of Object.entries(body)) {
    if (read.has(name) || (isNeutral(value) && !(switches.has(name) && isObject(value)))) continue;
    if (hints.has(name)) notes.drop(base + name);
    else {
      const lacks = Object.hasOwn(rules.constraints, name) ? rules.constraints[name] : undefined;
      notes.refuse(base + name, lacks ?? 'may not know this field');
    }
  }
}

function isNeutral(value: unknown): boolean {
  return neutral.has(typeof value === 'object' ? jsonText(value ?? undefined) : value);
}

/** Names members of an object that no other format has. */
export function dropOthers(
  object: JsonObject,
  known: readonly string[],
  at: string,
  notes: RequestNotes,
): void {
  for (const [name, value] of Object.entries(object)) {
    if (value != null && !known.includes(name)) notes.drop(`${at}.${name}`);
  }
}

/** The value with its place; undefined where it is not set. */
export function setting<Value>(value: Value | null | undefined, at: string): Setting<Value> | undefined {
  return value == null ? undefined : { value, at };
}

export function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

const typesByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** The picture at a data URL or an address; anything else is refused. */
export function picturePart(
  url: unknown,
  at: string,
  notes: RequestNotes,
): PartOf<'image' | 'imageLink'> | undefined {
  const inline = imageOf(url);
  if (inline) return inline;
  const link = stringOf(url);
  if (/^(https?|gs):/i.test(link)) return { type: 'imageLink', url: link, ...typeOfLink(link) };
  notes.refuse(at, 'takes pictures as base64 data or by an address that begins with https:');
  return undefined;
}

function typeOfLink(url: string): { readonly mimeType?: string } {
  const [, ending = ''] = /\.([a-z]+)(?:[?#]|$)/i.exec(url) ?? [];
  const mimeType = Object.hasOwn(typesByEnding, ending.toLowerCase())
    ? typesByEnding[ending.toLowerCase()]
    : undefined;
  return mimeType === undefined ? {} : { mimeType };
}

/** A picture or a document by its media type. */
export function dataPart(mimeType: string, data: string, name?: string): ForeignPart {
  if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data };
  return { type: 'document', mimeType, data, ...(name !== undefined && { name }) };
}

/** A file in a data URL; one that lies at the provider is refused. */
export function filePart(
  data: unknown,
  name: string | undefined,
  at: string,
  notes: RequestNotes,
): ForeignPart | undefined {
  const file = imageOf(data);
  if (file) return dataPart(file.mimeType, file.data, name);
  notes.refuse(at, 'cannot be given a file that lies elsewhere; send it as a data URL');
  return undefined;
}

/** The parts with their places, without those that were skipped. */
export function placed(part: ForeignPart | undefined, at: string): readonly AskedPart[] {
  return part ? [{ ...part, at }] : [];
}

/** The result of a tool from the contents that formats send for it: texts and pictures. */
export function resultContent(
  parts: readonly AskedPart[],
  notes: RequestNotes,
): Pick<PartOf<'toolResult'>, 'text' | 'pictures'> {
  const other = parts.find(({ type }) => type !== 'text' && type !== 'image');
  if (other) notes.refuse(other.at, 'has no results of tools but texts and pictures');
  const pictures = parts.filter((part) => part.type === 'image');
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    ...(pictures.length > 0 && { pictures }),
  };
}
