import { isObject, type JsonObject } from '../../base/json.ts';
import type { Message } from '../../wire/message.ts';
import { type HttpError, invalidRequest } from '../http/httpError.ts';

export interface OfferedTool {
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly schema: JsonObject;
}

/** The tools of a request, and whether it requires their use. */
export interface ToolOffer {
  /** The tools that may be called. */
  readonly tools: readonly OfferedTool[];
  /** Whether one of them must be called. */
  readonly required: boolean;
  /** Whether several may be called at once. */
  readonly parallel: boolean;
}

/** What a demo model reads from a request of any format. */
export interface Prompt {
  /** The model id of the request. */
  readonly model: string;
  readonly messages: readonly Message[];
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
 * The number of answers that a request asks for.
 *
 * @throws {HttpError} 400 when a demo model writes fewer
 */
export function choicesOf(wanted: number | null | undefined, field: string): number {
  const maxChoices = 8;
  if ((wanted ?? 1) > maxChoices)
    throw unsupported(field, `a demo model writes at most ${maxChoices} answers at once`);
  return wanted ?? 1;
}

/**
 * Decodes a conversation.
 *
 * @throws {HttpError} 400 when it cannot be decoded
 */
export function messagesOf(decode: () => readonly Message[]): readonly Message[] {
  try {
    return decode();
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
 * The schema that an answer has to follow.
 *
 * @param wanted whether the request says that there is one
 * @throws {HttpError} 400 when it is missing
 */
export function schemaOf(wanted: boolean, schema: unknown, field: string): JsonObject | undefined {
  if (wanted && !isObject(schema)) throw unsupported(field, 'it needs a JSON schema, which is missing');
  return isObject(schema) ? schema : undefined;
}

/**
 * Refuses fields that need memory between requests, since a demo model has none.
 *
 * @param kept for each such field, what is not kept and what to do instead
 * @throws {HttpError} 400
 */
export function refuseKept<Request extends object>(
  request: Request,
  kept: Readonly<Partial<Record<keyof Request & string, string>>>,
): void {
  for (const [field, what] of Object.entries(kept)) {
    if (Reflect.get(request, field)) throw unsupported(field, `a demo model keeps no ${what}`);
  }
}
