import { invalidRequest } from './httpError.ts';
import { type EditedFields, editObject, replaceValues } from './jsonEdit.ts';
import { scanObject } from './jsonFields.ts';

/** The fields that choose the upstream and its path. The upstream judges all others. */
const routingFields = [
  'model',
  'agent',
  'response_format',
  'stream',
  'background',
  'anthropic_version',
  'vendor_version',
  'previous_response_id',
  'previous_interaction_id',
] as const;

export type RoutingField = (typeof routingFields)[number];

/** A JSON object as it was sent. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  /** The depth of nested objects and arrays. */
  readonly depth: number;
  /** The value of a field, or undefined. Of a repeated field the last value counts, as for parsers. */
  field(name: RoutingField): unknown;
  /** The same bytes with another model id. */
  withModel(id: string): Uint8Array;
  /** The same body with another value of a field that it has. */
  replaced(name: RoutingField, value: string): RequestBody;
  /** The same bytes with other values of some fields, each once; without those that are undefined. */
  edited(fields: EditedFields<RoutingField>): Uint8Array;
}

/**
 * Reads the bytes of a body.
 *
 * @throws {HttpError} 400 when they are no JSON object
 */
export function readRequestBody(bytes: Uint8Array | undefined): RequestBody {
  if (!bytes || bytes.length === 0)
    throw invalidRequest('The body is empty. Send a JSON object.', 'invalid_json');
  const scanned = scanObject(bytes, routingFields);
  if (!scanned)
    throw invalidRequest(
      'The body: expected a JSON object in UTF-8. Check quotes, commas, brackets and the encoding.',
      'invalid_json',
    );
  const { fields, depth } = scanned;
  return {
    bytes,
    depth,
    field(name) {
      const span = fields.get(name)?.at(-1);
      return span && JSON.parse(Buffer.from(bytes.subarray(span.start, span.end)).toString());
    },
    withModel: (id) => replaceValues(bytes, fields.get('model') ?? [], id),
    replaced: (name, value) => readRequestBody(replaceValues(bytes, fields.get(name) ?? [], value)),
    edited: (values) => editObject(bytes, fields, values),
  };
}

/**
 * The model id of a body.
 *
 * @throws {HttpError} 400 when it names none
 */
export function modelField(body: RequestBody): string {
  const model = body.field('model');
  if (typeof model === 'string' && model !== '') return model;
  const came = model === undefined ? 'it is missing' : 'this is none';
  throw invalidRequest(`model: expected the id of a model; ${came}.`, 'invalid_value', 'model');
}
