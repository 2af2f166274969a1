import { invalidRequest } from './httpError.ts';
import { replaceSpans } from './jsonEdit.ts';
import type { Span } from './jsonFields.ts';

import type { RequestBody } from './requestBody.ts';

/** A form (multipart/form-data) as it was sent. */
export interface FormBody extends RequestBody {
  /** The text of a field that holds no file. */
  text(name: string): string | undefined;
}

export function isForm(contentType: string | undefined): boolean {
  return /^multipart\/form-data *;/i.test(contentType ?? '');
}

/**
 * Reads the bytes of a form.
 *
 * @throws {HttpError} 400 when they are none
 */
export function readFormBody(bytes: Uint8Array, contentType: string): FormBody {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = fieldsIn(body, boundaryIn(contentType));
  const text = (name: string) => {
    const span = fields.get(name)?.at(-1);
    return span && body.subarray(span.start, span.end).toString();
  };
  return {
    pieces: [bytes],
    bytes,
    depth: 0,
    text,
    field: text,
    isRepeated: (name) => (fields.get(name)?.length ?? 0) > 1,
    withModel: (id) => [replaceSpans(bytes, fields.get('model') ?? [], Buffer.from(id))],
    replaced: (name, value) =>
      readFormBody(replaceSpans(bytes, fields.get(name) ?? [], Buffer.from(value)), contentType),
    edited: () => bytes,
  };
}

/** @throws {HttpError} 400 where the type of a form names none */
export function boundaryIn(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw invalidForm('its header Content-Type names no boundary');
  return boundary;
}

const maxParts = 100;

/** The places of the values of all fields that are no files. */
function fieldsIn(body: Buffer, boundary: string): ReadonlyMap<string, readonly Span[]> {
  const fields = new Map<string, Span[]>();
  const line = `--${boundary}`;
  let at = body.indexOf(line);
  for (let parts = 0; at >= 0; parts += 1) {
    // What is not read here is read by the upstream.
    if (parts > maxParts) throw invalidForm(`it has more than ${maxParts} parts`);
    const headEnd = body.indexOf('\r\n\r\n', at);
    const next = body.indexOf(`\r\n${line}`, at + line.length);
    if (headEnd < 0 || next < headEnd) break;
    const head = body.subarray(at + line.length, headEnd).toString('latin1');
    const [, quoted, plain] = /^content-disposition:.*?;\s*name=(?:"([^"]*)"|([^\s;"]+))/im.exec(head) ?? [];
    const name = quoted ?? plain;
    const isFile = /^content-disposition:.*?;\s*filename\*?=/im.test(head);
    if (name !== undefined && !isFile)
      fields.set(name, [...(fields.get(name) ?? []), { start: headEnd + 4, end: next }]);
    at = next + 2;
  }
  if (fields.size === 0) throw invalidForm('it has no fields');
  return fields;
}

function invalidForm(problem: string) {
  return invalidRequest(`The body is no form that can be read: ${problem}.`, 'invalid_form');
}
