import type { Message } from '../../wire/message.ts';
import { type HttpError, invalidRequest } from '../httpError.ts';
import type { ToolOffer } from './toolCalls.ts';

/** What a demo model takes from a request, whatever its shape. */
export interface Prompt {
  /** The id the caller asked for. */
  readonly model: string;
  readonly messages: readonly Message[];
  /** How many answers to write. */
  readonly choices: number;
  /** Most tokens of one answer, thinking included. */
  readonly mostTokens: number;
  /** Texts at which an answer ends. */
  readonly stop: readonly string[];
  /** Whether the answer must be JSON. */
  readonly json: boolean;
  /** Whether thinking is wanted where the model can. */
  readonly thinking: boolean;
  readonly tools: ToolOffer;
  /** Whether the request wants a picture whatever its words say; absent where the shape carries none. */
  readonly picture?: boolean;
}

/** The number of answers a request asks for. Throws when it is more than a demo model writes. */
export function choicesOf(wanted: number | null | undefined, field: string): number {
  const most = 8;
  if ((wanted ?? 1) > most) throw unsupported(field, `a demo model writes at most ${most} answers at once`);
  return wanted ?? 1;
}

/** Reads a conversation. Throws a 400 where its own decoder cannot take what a caller may send. */
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

/** For what a request may hold and no demo model does. */
export function unsupported(param: string, problem: string): HttpError {
  return invalidRequest(`${param}: ${problem}.`, 'unsupported_value', param);
}

/** Throws when an answer is to follow a schema. */
export function refuseSchema(wanted: boolean, field: string, instead: string): void {
  if (wanted) throw unsupported(field, `a demo model follows no JSON schema; ${instead}`);
}

/**
 * Throws where a request leans on what would have to be kept between requests: a demo model keeps nothing.
 *
 * @param kept for each such field what is not kept, and what to do instead
 */
export function refuseKept<Request extends object>(
  request: Request,
  kept: Readonly<Partial<Record<keyof Request & string, string>>>,
): void {
  for (const [field, what] of Object.entries(kept)) {
    if (Reflect.get(request, field)) throw unsupported(field, `a demo model keeps no ${what}`);
  }
}
