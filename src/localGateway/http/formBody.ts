import { randomUUID } from 'node:crypto';
import { replaceSpans } from '../json/jsonEdit.ts';
import type { Span } from '../json/jsonFields.ts';
import { invalidRequestError } from './httpError.ts';
import type { RequestBody } from './requestBody.ts';

/** A form (multipart/form-data) as it was sent. */
export interface FormBody extends RequestBody {
  /** Reads a field that is not a file; the last one of several with the same name. */
  readText(name: string): string | undefined;
}

export function isForm(contentType: string | undefined): boolean {
  return /^multipart\/form-data *;/i.test(contentType ?? '');
}

/**
 * Reads the bytes of a form.
 *
 * @throws {HttpError} 400 if they are not a form
 */
export function readFormBody(bytes: Uint8Array, contentType: string): FormBody {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = findFields(body, readBoundary(contentType));
  const readText = (name: string) => {
    const span = fields.get(name)?.at(-1);
    return span && body.subarray(span.start, span.end).toString();
  };
  const replaceValue = (name: string, value: string) => {
    const spans = fields.get(name) ?? [];
    // Without a line for the value, the new value would become part of the head.
    if (spans.some(({ start }) => body.toString('latin1', start - 4, start) !== '\r\n\r\n'))
      throw invalidFormError(`the part “${name}” has no line for its value`);
    return replaceSpans(bytes, spans, Buffer.from(value));
  };
  return {
    pieces: [bytes],
    bytes,
    depth: 0,
    readText,
    readField: readText,
    isRepeated: (name) => (fields.get(name)?.length ?? 0) > 1,
    readUniqueMembers() {
      const parts = readFormParts(bytes, contentType).filter(({ file }) => !file);
      return Object.fromEntries(parts.map(({ name, value }) => [name, Buffer.from(value).toString()]));
    },
    replaceModel: (id) => [replaceValue('model', id)],
    replaceField: (name, value) => readFormBody(replaceValue(name, value), contentType),
    editFields: () => bytes,
  };
}

/**
 * Reads the boundary of a form, of at most 70 characters.
 *
 * @throws {HttpError} 400 if the content type has no valid boundary, or several, because another reader could use
 * another one
 */
export function readBoundary(contentType: string): string {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || contentType.match(/\bboundary[\s*]*=/gi)?.length !== 1)
    throw invalidFormError('its header Content-Type must name one boundary of at most 70 characters');
  return boundary;
}

const maxParts = 100;

/** Finds the positions of the values of all fields that are not files. */
function findFields(body: Buffer, boundary: string): ReadonlyMap<string, readonly Span[]> {
  const fields = new Map<string, Span[]>();
  const delimiter = `--${boundary}`;
  let index = body.indexOf(delimiter);
  for (let parts = 0; index >= 0; parts += 1) {
    // Refuse the form instead of ignoring further parts, because the upstream might read them.
    if (parts > maxParts) throw invalidFormError(`it has more than ${maxParts} parts`);
    const start = index + delimiter.length;
    const mark = body.toString('latin1', start, start + 2);
    if (mark === '--') break;
    const headEnd = body.indexOf('\r\n\r\n', start);
    const next = body.indexOf(`\r\n${delimiter}`, start);
    // Readers disagree about such parts, so the upstream might find other fields.
    if (mark !== '\r\n' || headEnd < 0 || next < headEnd)
      throw invalidFormError('a part has no head or no end');
    const head = body.subarray(start, headEnd).toString('latin1');
    const [, quoted, plain] = /^content-disposition:.*?;\s*name=(?:"([^"]*)"|([^\s;"]+))/im.exec(head) ?? [];
    const name = quoted ?? plain;
    const isFile = /^content-disposition:.*?;\s*filename\*?=/im.test(head);
    if (name !== undefined && !isFile)
      fields.set(name, [...(fields.get(name) ?? []), { start: Math.min(headEnd + 4, next), end: next }]);
    index = next + 2;
  }
  if (fields.size === 0) throw invalidFormError('it has no fields');
  return fields;
}

/** One part of a form. */
interface FormPart {
  readonly name: string;
  /** Present if the part is a file. */
  readonly file?: { readonly name: string; readonly type: string };
  readonly value: Uint8Array;
}

/**
 * Reads the parts of a form. Accepts only the syntax that common client libraries write, and no repeated field that is
 * not a file, so that other readers cannot interpret it differently.
 *
 * @throws {HttpError} 400 for any other form
 */
export function readFormParts(bytes: Uint8Array, contentType: string): readonly FormPart[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const delimiter = `--${readBoundary(contentType)}`;
  const parts: FormPart[] = [];
  const names = new Set<string>();
  let index = 0;
  if (body.indexOf(`${delimiter}\r\n`) !== 0) throw invalidFormError('it does not begin with its boundary');
  for (;;) {
    const start = index + delimiter.length;
    const isLast = body.subarray(start, start + 2).equals(Buffer.from('--'));
    const afterDashes = body.subarray(start + 2).toString('latin1', 0, 4);
    if (isLast && (afterDashes === '' || afterDashes === '\r\n')) return parts;
    if (parts.length >= maxParts) throw invalidFormError(`it has more than ${maxParts} parts`);
    const headEnd = body.indexOf('\r\n\r\n', start);
    const end = body.indexOf(`\r\n${delimiter}`, headEnd);
    if (headEnd < 0 || end < headEnd + 2 || body.subarray(start, start + 2).toString() !== '\r\n')
      throw invalidFormError('a part has no end');
    const head = body.subarray(start + 2, headEnd).toString();
    // A delimiter directly after the head, without a line break of its own, ends an empty value.
    const partHead = parsePartHead(head);
    const { name, file } = partHead;
    if (!file && names.has(name))
      throw invalidRequestError(`${name}: this field occurs twice.`, 'invalid_form', name);
    names.add(name);
    parts.push({ ...partHead, value: body.subarray(Math.min(headEnd + 4, end), end) });
    index = end + 2;
  }
}

function parsePartHead(head: string): Omit<FormPart, 'value'> {
  let disposition: { readonly name: string; readonly fileName: string | undefined } | undefined;
  let type: string | undefined;
  for (const line of head.split('\r\n')) {
    const [, field = '', value = ''] = /^([\w-]+):(.*)$/.exec(line) ?? [];
    const text = value.replace(/^ +/, '');
    const [, name, fileName] = /^form-data; name="([^"\\]*)"(?:; filename="([^"\r\n]*)")?$/.exec(text) ?? [];
    if (/^content-disposition$/i.test(field) && name !== undefined && !disposition)
      disposition = { name, fileName };
    else if (/^content-type$/i.test(field) && type === undefined) type = text;
    else if (!/^content-length$/i.test(field))
      throw invalidFormError('a part has an unknown, repeated or malformed header');
  }
  if (!disposition) throw invalidFormError('a part has no name');
  const { name, fileName } = disposition;
  if (fileName === undefined) return { name };
  const mediaType =
    type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
  // Some readers interpret a backslash as an escape of the following quote.
  return { name, file: { name: fileName.replaceAll('\\', '_'), type: mediaType } };
}

/** Writes a form, with a boundary that does not occur in a value. */
export function writeMultipartForm(parts: readonly FormPart[]): {
  readonly bytes: Buffer;
  readonly type: string;
} {
  const boundary = `form-${randomUUID()}`;
  const pieces = parts.flatMap(({ name, file, value }) => {
    const fileName = file ? `; filename="${file.name}"\r\nContent-Type: ${file.type}` : '';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName}\r\n\r\n`;
    return [Buffer.from(head), value, Buffer.from('\r\n')];
  });
  const bytes = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { bytes, type: `multipart/form-data; boundary=${boundary}` };
}

function invalidFormError(problem: string) {
  return invalidRequestError(`The body is not a valid form: ${problem}.`, 'invalid_form');
}
