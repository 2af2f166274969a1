import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../base/json.ts';
import { sniffMedia } from '../../../base/mediaType.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';
import type { PartRecord } from '../../conversation/record.ts';
import { textOf, timeOf } from './fields.ts';
import { keptValues } from './keptValues.ts';
import type { Attachment } from './portableConversation.ts';

/** What is counted while a conversation is read, and told as a warning. */
type Flaw =
  | 'import-attachments-missing'
  | 'import-attachments-damaged'
  | 'import-times-unknown'
  | 'import-parents-missing'
  | 'import-cycles-cut'
  | 'import-ids-repeated'
  | 'import-fields-dropped'
  | 'import-parts-unknown';

const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;
const mimeTypePattern = /^[a-z]+\/[\w.+-]{1,100}$/i;

/** The reading of one conversation: its attachments, and what is wrong in it. */
export class ConversationReading {
  readonly #flaws = new Map<Flaw, number>();
  readonly #attachments = new Map<string, Attachment>();

  get attachments(): readonly Attachment[] {
    return [...this.#attachments.values()];
  }

  get warnings(): readonly Explanation[] {
    return [...this.#flaws].map(([id, count]) => explain(id, { count }));
  }

  note(flaw: Flaw, count = 1): void {
    if (count > 0) this.#flaws.set(flaw, (this.#flaws.get(flaw) ?? 0) + count);
  }

  /** A time in milliseconds since 1970; undefined where there is none that makes sense. */
  time(value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined;
    const time = timeOf(value);
    if (time === undefined) this.note('import-times-unknown');
    return time;
  }

  /** JSON text of a value that a program wrote, as the arguments of a tool call are kept; of a string, itself. */
  json(value: unknown): string {
    if (value === undefined) return '';
    if (typeof value === 'string') return value.toWellFormed();
    const { extra } = this.extra({ value }, new Set());
    return JSON.stringify(extra?.value ?? value) ?? '';
  }

  /** The members of an object that `read` does not name, as `extra`. */
  extra(object: JsonObject, read: ReadonlySet<string>): { readonly extra?: JsonObject } {
    const { extra, dropped } = keptValues(object, read);
    this.note('import-fields-dropped', dropped);
    return extra ? { extra } : {};
  }

  /** A part of a kind that is not known here, which is kept and told of. */
  other(value: JsonObject): PartRecord {
    this.note('import-parts-unknown');
    return this.unshown(value);
  }

  /** A part that is kept, and of which there is nothing to show. */
  unshown(value: JsonObject): PartRecord {
    return { type: 'other', value: this.extra(value, new Set()).extra ?? {} };
  }

  /** Words that are told in no form that is known here, kept as they are; nothing where there are none. */
  unread(name: string, value: unknown): readonly PartRecord[] {
    const { extra } = this.extra({ [name]: value }, new Set());
    return extra ? [{ type: 'other', value: extra }] : [];
  }

  /** Keeps bytes, once, and names them in a part. */
  attach(bytes: Uint8Array, about: { readonly mimeType?: unknown; readonly name?: unknown }): PartRecord {
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (!this.#attachments.has(hash)) this.#attachments.set(hash, { hash, bytes });
    const mimeType =
      typeof about.mimeType === 'string' && mimeTypePattern.test(about.mimeType)
        ? about.mimeType.toLowerCase()
        : 'application/octet-stream';
    const name = typeof about.name === 'string' && about.name !== '' ? about.name.toWellFormed() : undefined;
    return { type: mimeType.startsWith('image/') ? 'image' : 'file', mimeType, hash, ...(name && { name }) };
  }

  /** Keeps a file that came with the conversations; what it is, its own bytes tell. */
  attachFile({ bytes, name }: { readonly bytes: Uint8Array; readonly name: string }): PartRecord {
    return this.attach(bytes, { mimeType: sniffMedia(bytes)?.mimeType, name });
  }

  /** An attachment in base64. What is no base64 is kept as it is told in `instead`. */
  attachBase64(
    base64: string,
    about: { readonly mimeType?: unknown; readonly name?: unknown },
    instead: JsonObject,
  ): PartRecord {
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length > 0) return this.attach(bytes, about);
    this.note('import-attachments-damaged');
    return this.unshown(instead);
  }

  /**
   * An attachment by its address: with a data URL its bytes are there, otherwise it is missing. `instead` is kept of
   * a missing one.
   */
  attachUrl(url: unknown, instead: JsonObject, name?: unknown): PartRecord {
    const match = typeof url === 'string' ? dataUrl.exec(url.slice(0, 1000)) : null;
    if (!match || typeof url !== 'string') return this.missing(instead, name);
    const base64 = url.slice(match[0].length);
    return this.attachBase64(base64, { mimeType: match[1], name }, { mimeType: match[1], name });
  }

  /** What is known of an attachment that is not in the file: its name, and what the file tells `about` it. */
  missing(about: JsonObject, name?: unknown): PartRecord {
    this.note('import-attachments-missing');
    return this.unshown({ missing: 'attachment', name: textOf(name), about });
  }
}
