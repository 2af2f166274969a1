import { type EditedFields, editObject, replaceInPieces } from '../json/jsonEdit.ts';
import { type ScannedObject, scanObject } from '../json/jsonFields.ts';
import { joined, joinedForNow, lengthOf, type Pieces, slice } from '../json/pieces.ts';
import { invalidRequest } from './httpError.ts';

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
  readonly pieces: Pieces;
  /** All pieces in one, which costs memory for a long body. */
  readonly bytes: Uint8Array;
  /** The depth of nested objects and arrays. */
  readonly depth: number;
  /** The value of a field, or undefined. Of a repeated field the last value counts, as for parsers. */
  field(name: RoutingField): unknown;
  /** Whether a field is there more than once, so that another parser may take another value. */
  isRepeated(name: RoutingField): boolean;
  /** The same bytes with another model id. */
  withModel(id: string): Pieces;
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
export function readRequestBody(body: Uint8Array | Pieces): RequestBody {
  const pieces = body instanceof Uint8Array ? [body] : body;
  if (lengthOf(pieces) === 0) throw invalidRequest('The body is empty. Send a JSON object.', 'invalid_json');
  const scanned = scanObject(joinedForNow(pieces), routingFields);
  if (!scanned)
    throw invalidRequest(
      'The body: expected a JSON object in UTF-8. Check quotes, commas, brackets and the encoding.',
      'invalid_json',
    );
  return new JsonBody(pieces, scanned);
}

class JsonBody implements RequestBody {
  readonly pieces: Pieces;
  readonly depth: number;
  readonly #fields: ScannedObject<RoutingField>['fields'];
  #bytes: Uint8Array | undefined;

  constructor(pieces: Pieces, { fields, depth }: ScannedObject<RoutingField>) {
    this.pieces = pieces;
    this.depth = depth;
    this.#fields = fields;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= joined(this.pieces);
    return this.#bytes;
  }

  field(name: RoutingField): unknown {
    const span = this.#fields.get(name)?.at(-1);
    return span && JSON.parse(joined(slice(this.pieces, span)).toString());
  }

  isRepeated(name: RoutingField): boolean {
    return (this.#fields.get(name)?.length ?? 0) > 1;
  }

  withModel(id: string): Pieces {
    return this.#replaced('model', id);
  }

  replaced(name: RoutingField, value: string): RequestBody {
    return readRequestBody(this.#replaced(name, value));
  }

  edited(values: EditedFields<RoutingField>): Uint8Array {
    return editObject(this.bytes, this.#fields, values);
  }

  #replaced(name: RoutingField, value: string): Pieces {
    return replaceInPieces(this.pieces, this.#fields.get(name) ?? [], value);
  }
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

/**
 * Reduces the names of a model to its id: `models/x` is x, also with the prefix repeated by a library, and
 * `publishers/y/models/x` of cloud platforms is y/x.
 */
export function modelId(name = ''): string {
  const id = name.replace(/^(models\/)+/, '');
  const [, publisher, model] = /(?:^|\/)publishers\/([^/]+)\/models\/(.+)$/s.exec(id) ?? [];
  return publisher === undefined || model === undefined ? id : `${publisher}/${model}`;
}
