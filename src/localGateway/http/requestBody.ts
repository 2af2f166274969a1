import type { z } from 'zod';
import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { type BodyPieces, countBytes, joinPieces, joinTemporarily, sliceSpan } from '../json/bodyPieces.ts';
import { type EditedFields, editObject, replaceInPieces } from '../json/jsonEdit.ts';
import { type ScannedObject, scanObject } from '../json/jsonFields.ts';
import { invalidRequestError } from './httpError.ts';
import { formatPath, listSchemaProblems } from './schemaProblem.ts';

/** The fields that determine the upstream and its path. The upstream checks all others. */
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

type RoutingField = (typeof routingFields)[number];

/** A JSON object or a form as it was sent. */
export interface RequestBody {
  readonly pieces: BodyPieces;
  /** All pieces joined, which costs memory for a long body. */
  readonly bytes: Uint8Array;
  /** The depth of nested objects and arrays. */
  readonly depth: number;
  /** Reads the value of a field; the last one if it is repeated, as parsers do. Undefined if it is missing. */
  readField(name: RoutingField): unknown;
  /** Whether a field occurs more than once, so that another parser may use another value. */
  isRepeated(name: RoutingField): boolean;
  /**
   * Reads all members, or all fields of a form that are not files.
   *
   * @throws {HttpError} 400 if a name occurs twice, because another parser may use the other value
   */
  readUniqueMembers(): JsonObject;
  /** Replaces the model ID in every occurrence. All other bytes are unchanged. */
  replaceModel(id: string): BodyPieces;
  /** Replaces the value of an existing field in every occurrence. */
  replaceField(name: RoutingField, value: string): RequestBody;
  /** Sets fields and removes their repetitions. Undefined removes a field. All other bytes are unchanged. */
  editFields(fields: EditedFields<RoutingField>): Uint8Array;
}

/**
 * Reads the bytes of a body.
 *
 * @throws {HttpError} 400 if they are not a JSON object
 */
export function readRequestBody(body: Uint8Array | BodyPieces): RequestBody {
  const pieces = body instanceof Uint8Array ? [body] : body;
  if (countBytes(pieces) === 0)
    throw invalidRequestError('The body is empty. Send a JSON object.', 'invalid_json');
  const scannedObject = scanObject(joinTemporarily(pieces), routingFields);
  if (!scannedObject)
    throw invalidRequestError(
      'The body: expected a JSON object in UTF-8. Check quotes, commas, brackets and the encoding.',
      'invalid_json',
    );
  return new JsonBody(pieces, scannedObject);
}

class JsonBody implements RequestBody {
  readonly pieces: BodyPieces;
  readonly depth: number;
  readonly #fields: ScannedObject<RoutingField>['fields'];
  readonly #memberCount: number;
  #bytes: Uint8Array | undefined;

  constructor(pieces: BodyPieces, { fields, depth, memberCount }: ScannedObject<RoutingField>) {
    this.pieces = pieces;
    this.depth = depth;
    this.#memberCount = memberCount;
    this.#fields = fields;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= joinPieces(this.pieces);
    return this.#bytes;
  }

  readField(name: RoutingField): unknown {
    const span = this.#fields.get(name)?.at(-1);
    return span && JSON.parse(joinPieces(sliceSpan(this.pieces, span)).toString());
  }

  isRepeated(name: RoutingField): boolean {
    return (this.#fields.get(name)?.length ?? 0) > 1;
  }

  readUniqueMembers(): JsonObject {
    // Also decodes a byte order mark, which `scanObject` accepts.
    const value = parseJson(new TextDecoder().decode(joinPieces(this.pieces)));
    if (isObject(value) && countMembers(value) === this.#memberCount) return value;
    throw invalidRequestError(
      'The body: an object names a field twice. Send each field once.',
      'repeated_field',
    );
  }

  replaceModel(id: string): BodyPieces {
    return this.#replaceValue('model', id);
  }

  replaceField(name: RoutingField, value: string): RequestBody {
    return readRequestBody(this.#replaceValue(name, value));
  }

  editFields(values: EditedFields<RoutingField>): Uint8Array {
    return editObject(this.bytes, this.#fields, values);
  }

  #replaceValue(name: RoutingField, value: string): BodyPieces {
    return replaceInPieces(this.pieces, this.#fields.get(name) ?? [], value);
  }
}

/** Counts the members of all objects in a value, without recursion, because a body may contain millions of brackets. */
function countMembers(value: unknown): number {
  const pending: unknown[] = [value];
  let count = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members: readonly unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += members.length;
    for (const member of members) if (typeof member === 'object') pending.push(member);
  }
  return count;
}

/**
 * Reads the model ID of a body.
 *
 * @throws {HttpError} 400 if it does not name a model
 */
export function readModelField(body: RequestBody): string {
  const model = body.readField('model');
  if (typeof model === 'string' && model !== '') return model;
  const problem = model === undefined ? 'it is missing' : 'it must be a string that is not empty';
  throw invalidRequestError(`model: expected the id of a model; ${problem}.`, 'invalid_value', 'model');
}

/**
 * Reduces the name of a model to its ID: `models/x` becomes `x`, even if a library repeats the prefix, and
 * `publishers/y/models/x` of cloud platforms becomes `y/x`.
 */
export function normalizeModelId(name = ''): string {
  const id = name.replace(/^(models\/)+/, '');
  const [, publisher, model] = /(?:^|\/)publishers\/([^/]+)\/models\/(.+)$/s.exec(id) ?? [];
  return publisher === undefined || model === undefined ? id : `${publisher}/${model}`;
}

/**
 * Reads a JSON body by its schema.
 *
 * @throws {HttpError} 400 with the field, the expected value and the actual value
 */
export function readBody<S extends z.ZodType>(body: Uint8Array | undefined, schema: S): z.infer<S> {
  const value = parseJsonBody(body);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first = { path: [], problem: 'it is not valid' }] = listSchemaProblems(result.error, value);
  const field = formatPath(first.path);
  throw invalidRequestError(`${field || 'The body'}: ${first.problem}.`, 'invalid_value', field || undefined);
}

function parseJsonBody(body: Uint8Array | undefined): unknown {
  if (!body || body.length === 0)
    throw invalidRequestError('The body is empty. Send a JSON object.', 'invalid_json');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw invalidRequestError(
      'The body is not JSON in UTF-8. Check quotes, commas and the encoding.',
      'invalid_json',
    );
  }
}
