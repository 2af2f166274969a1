import type { JsonObject } from '../../base/json.ts';
import type { ServedFormat } from '../../wire/apis/servedFormats.ts';
import type { ToolFunction } from '../../wire/apis/shared/functionTools.ts';
import { lenientNotes, type ReceivedRequest } from '../../wire/apis/shared/receivedRequest.ts';
import type { ForeignPart, Message } from '../../wire/message.ts';
import { invalidRequestError, unsupportedError } from '../http/httpError.ts';

/** The tools of a request, and whether it requires their use. */
export interface ToolOffer {
  /** The tools that may be called. */
  readonly tools: readonly ToolFunction[];
  /** Whether at least one of them must be called. */
  readonly isRequired: boolean;
  /** Whether several may be called at once. */
  readonly isParallel: boolean;
}

/** The details that a demo model reads from a request of any format. */
export interface DemoPrompt {
  /** The model ID of the request. */
  readonly model: string;
  readonly messages: readonly Message<ForeignPart>[];
  /** The number of choices. */
  readonly choices: number;
  /** The most tokens of one choice, including reasoning. */
  readonly maxTokens: number;
  /** Texts that end a reply. */
  readonly stop: readonly string[];
  /** Whether the reply must be JSON. */
  readonly requiresJson: boolean;
  /** The JSON Schema of the reply, which is then JSON. */
  readonly schema?: JsonObject | undefined;
  /** Whether the request enables reasoning, if the model can reason. */
  readonly enablesReasoning: boolean;
  readonly tools: ToolOffer;
  /** Whether the request is for a picture; absent if replies in its format cannot contain one. */
  readonly requestsPicture?: boolean;
}

/**
 * Reads a request, ignoring fields that only its format has.
 *
 * @throws {HttpError} 400 if it cannot be read
 */
export function readLeniently(format: ServedFormat, request: object, isStreamed: boolean): ReceivedRequest {
  try {
    return format.read(request, lenientNotes, { shared: [], isStreamed });
  } catch {
    throw invalidRequestError(
      'The conversation cannot be read. Check its tool calls, and how deeply they are nested.',
      'invalid_value',
    );
  }
}

/**
 * Refuses fields that need stored data of earlier requests, because demo models store none.
 *
 * @param statefulFields for each such field, the missing data and an alternative
 * @throws {HttpError} 400
 */
export function refuseStatefulFields(
  request: object,
  statefulFields: Readonly<Record<string, string>>,
): void {
  for (const [field, missing] of Object.entries(statefulFields)) {
    if (Reflect.get(request, field)) throw unsupportedError(field, `a demo model does not store ${missing}`);
  }
}
