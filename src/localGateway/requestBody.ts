import { invalidRequest } from './httpError.ts';
import { type Span, scanObject } from './jsonFields.ts';

/** The fields that the gateway itself looks at, to know who is to answer. All others are the upstream's to judge. */
const routingFields = ['model', 'agent', 'response_format'] as const;

type RoutingField = (typeof routingFields)[number];

/** A body as it was sent: a JSON object, of which nothing else is known. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  /** How deep objects and arrays lie in each other. */
  readonly depth: number;
  /** The value of a field, undefined where it is absent; the last one, as for parsers, where it is written twice. */
  field(name: RoutingField): unknown;
  /** The same bytes with another model's id in the place of the one they name; all else stays as it is. */
  withModel(id: string): Uint8Array;
}

/** Throws a 400 where the bytes are no JSON object. */
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
    withModel: (id) => replaced(bytes, fields.get('model') ?? [], Buffer.from(JSON.stringify(id))),
  };
}

/** The model that a body names. Throws a 400 where it names none. */
export function modelField(body: RequestBody): string {
  const model = body.field('model');
  if (typeof model === 'string' && model !== '') return model;
  const came = model === undefined ? 'it is missing' : 'this is none';
  throw invalidRequest(`model: expected the id of a model; ${came}.`, 'invalid_value', 'model');
}

/** Every place is filled, so that no upstream can take another of them than the gateway took. */
function replaced(bytes: Uint8Array, places: readonly Span[], value: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of places) {
    parts.push(bytes.subarray(from, start), value);
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}
