import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { sniffMedia } from '../../../base/mediaType.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';
import type { Attachment, PartRecord } from '../../conversation/conversationRecord.ts';
import { readTime, toWellFormedText } from './fieldValues.ts';

/** Flaws that are counted while a conversation is read, and reported as warnings. */
type Flaw =
  | 'import-attachments-missing'
  | 'import-attachments-damaged'
  | 'import-times-unknown'
  | 'import-parents-missing'
  | 'import-cycles-cut'
  | 'import-ids-repeated'
  | 'import-fields-dropped'
  | 'import-parts-unknown';

const dataUrlPattern = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;
const notBase64Pattern = /[^\w+/=\s-]/;
const mimeTypePattern = /^[a-z]+\/[\w.+-]{1,100}$/i;

/** Collects the attachments and flaws of one conversation during the import. */
export class ConversationReading {
  readonly #flaws = new Map<Flaw, number>();
  readonly #attachments = new Map<string, Attachment>();

  get attachments(): readonly Attachment[] {
    return [...this.#attachments.values()];
  }

  get warnings(): readonly Explanation[] {
    return [...this.#flaws].map(([id, count]) => explain(id, { count }));
  }

  countFlaw(flaw: Flaw, count = 1): void {
    if (count > 0) this.#flaws.set(flaw, (this.#flaws.get(flaw) ?? 0) + count);
  }

  /** Reads a time in milliseconds since 1970; undefined if it is not plausible. */
  readTime(value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined;
    const time = readTime(value);
    if (time === undefined) this.countFlaw('import-times-unknown');
    return time;
  }

  /** Writes a value as JSON text, for example the arguments of a tool call; a string remains unchanged. */
  writeJson(value: unknown): string {
    if (value === undefined) return '';
    if (typeof value === 'string') return value.toWellFormed();
    const { extra } = this.collectExtra({ value }, new Set());
    return JSON.stringify(extra?.value ?? value) ?? '';
  }

  /** Collects the members of an object that are not in `readNames`. Empty members are omitted. */
  collectExtra(object: JsonObject, readNames: ReadonlySet<string>): { readonly extra?: JsonObject } {
    const { extra, dropped } = collectExtraMembers(object, readNames);
    this.countFlaw('import-fields-dropped', dropped);
    return extra ? { extra } : {};
  }

  /** Creates a part of an unknown kind, and counts it as a flaw. */
  createUnknownPart(value: JsonObject): PartRecord {
    this.countFlaw('import-parts-unknown');
    return this.createHiddenPart(value);
  }

  /** Creates a part that is stored, but not shown. */
  createHiddenPart(value: JsonObject): PartRecord {
    return { type: 'other', value: this.collectExtra(value, new Set()).extra ?? {} };
  }

  /** Creates a part for a text in an unknown form; an empty list if the text is empty. */
  createUnreadParts(name: string, value: unknown): readonly PartRecord[] {
    const { extra } = this.collectExtra({ [name]: value }, new Set());
    return extra ? [{ type: 'other', value: extra }] : [];
  }

  /** Stores bytes once, and returns a part that references them. */
  attach(bytes: Uint8Array, file: { readonly mimeType?: unknown; readonly name?: unknown }): PartRecord {
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (!this.#attachments.has(hash)) this.#attachments.set(hash, { hash, bytes });
    const mimeType =
      typeof file.mimeType === 'string' && mimeTypePattern.test(file.mimeType)
        ? file.mimeType.toLowerCase()
        : 'application/octet-stream';
    const name = typeof file.name === 'string' && file.name !== '' ? file.name.toWellFormed() : undefined;
    return { type: mimeType.startsWith('image/') ? 'image' : 'file', mimeType, hash, ...(name && { name }) };
  }

  /** Stores a file that belongs to the conversations; its type is detected from its bytes. */
  attachFile({ bytes, name }: { readonly bytes: Uint8Array; readonly name: string }): PartRecord {
    return this.attach(bytes, { mimeType: sniffMedia(bytes)?.mimeType, name });
  }

  /** Stores an attachment in base64. If it is not base64, stores `fallback`. */
  attachBase64(
    base64: string,
    file: { readonly mimeType?: unknown; readonly name?: unknown },
    fallback: JsonObject,
  ): PartRecord {
    // Node's decoder skips other characters.
    const bytes = notBase64Pattern.test(base64) ? undefined : Buffer.from(base64, 'base64');
    if (bytes !== undefined && bytes.length > 0) return this.attach(bytes, file);
    this.countFlaw('import-attachments-damaged');
    return this.createHiddenPart(fallback);
  }

  /**
   * Stores the attachment of a data URL. For any other address, the attachment is missing, and `fallback` is
   * stored.
   */
  attachUrl(url: unknown, fallback: JsonObject, name?: unknown): PartRecord {
    const match = typeof url === 'string' ? dataUrlPattern.exec(url.slice(0, 1000)) : null;
    if (!match || typeof url !== 'string') return this.createMissingPart(fallback, name);
    const base64 = url.slice(match[0].length);
    return this.attachBase64(base64, { mimeType: match[1], name }, { mimeType: match[1], name });
  }

  /** Creates a part for an attachment that is not in the file. `about` is the file's information about it. */
  createMissingPart(about: JsonObject, name?: unknown): PartRecord {
    this.countFlaw('import-attachments-missing');
    return this.createHiddenPart({ missing: 'attachment', name: toWellFormedText(name), about });
  }
}

/** The maximum nesting depth of stored values of an imported file. */
const maxDepth = 64;

/** The members of an object that an importer does not read. Empty members are omitted. */
interface ExtraMembers {
  /** Undefined if there are no such members. */
  readonly extra: JsonObject | undefined;
  /** The number of values that were dropped because they were nested too deeply. */
  readonly dropped: number;
}

/** Collects the members of an object that are not in `readNames`. */
export function collectExtraMembers(object: JsonObject, readNames: ReadonlySet<string>): ExtraMembers {
  const pruning = { dropped: 0 };
  const members = Object.entries(object)
    .filter(([name, value]) => !readNames.has(name) && !isEmpty(value))
    .map(([name, value]) => [name.toWellFormed(), pruneValue(value, maxDepth, pruning)] as const);
  // `fromEntries` also stores a member named `__proto__`; an assignment would set the prototype.
  const extra = members.length > 0 ? Object.fromEntries(members) : undefined;
  return { extra, dropped: pruning.dropped };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function pruneValue(value: unknown, depth: number, pruning: { dropped: number }): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) {
    const isLost = typeof value === 'number' && !Number.isFinite(value);
    if (isLost) pruning.dropped += 1;
    return isLost ? null : value;
  }
  if (depth === 0) {
    pruning.dropped += 1;
    return null;
  }
  if (Array.isArray(value)) return value.map((each) => pruneValue(each, depth - 1, pruning));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.toWellFormed(), pruneValue(each, depth - 1, pruning)]),
  );
}
