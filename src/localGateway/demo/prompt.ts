import type { JsonObject } from '../../base/json.ts';
import { type AskedRequest, lenient } from '../../wire/apis/format/askedRequest.ts';
import type { ToolFunction } from '../../wire/apis/format/functionTools.ts';
import type { ServedFormat } from '../../wire/apis/servedFormats.ts';
import type { ForeignPart, Message } from '../../wire/message.ts';
import { type HttpError, invalidRequest } from '../http/httpError.ts';

/** The tools of a request, and whether it requires their use. */
export interface ToolOffer {
  /** The tools that may be called. */
  readonly tools: readonly ToolFunction[];
  /** Whether one of them must be called. */
  readonly required: boolean;
  /** Whether several may be called at once. */
  readonly parallel: boolean;
}

/** What a demo model reads from a request of any format. */
export interface Prompt {
  /** The model id of the request. */
  readonly model: string;
  readonly messages: readonly Message<ForeignPart>[];
  /** The number of answers. */
  readonly choices: number;
  /** The most tokens of one answer, with reasoning. */
  readonly maxTokens: number;
  /** Texts at which an answer ends. */
  readonly stop: readonly string[];
  /** Whether the answer must be JSON. */
  readonly json: boolean;
  /** The JSON Schema of the answer, which is JSON then. */
  readonly schema?: JsonObject | undefined;
  /** Whether reasoning is wanted, where the model can reason. */
  readonly thinking: boolean;
  readonly tools: ToolOffer;
  /** Whether the request wants a picture; absent when its format carries none. */
  readonly picture?: boolean;
}

/**
 * Reads a request, without fields that only its format has.
 *
 * @throws {HttpError} 400 when it cannot be read
 */
export function readLeniently(format: ServedFormat, request: object, streamed: boolean): AskedRequest {
  try {
    return format.read(request, lenient, { shared: [], streamed });
  } catch {
    throw invalidRequest(
      'The conversation cannot be read. Check its tool calls, and how deeply they are nested.',
      'invalid_value',
    );
  }
}

/** The error for a field that no demo model supports. */
export function unsupported(param: string, problem: string): HttpError {
  return invalidRequest(`${param}: ${problem}.`, 'unsupported_value', param);
}

/**
 * Refuses fields that need memory between requests, since a demo model has none.
 *
 * @param kept for each such field, what is not kept and what to do instead
 * @throws {HttpError} 400
 */
export function refuseKept(request: object, kept: Readonly<Record<string, string>>): void {
  for (const [field, what] of Object.entries(kept)) {
    if (Reflect.get(request, field)) throw unsupported(field, `a demo model keeps no ${what}`);
  }
}
