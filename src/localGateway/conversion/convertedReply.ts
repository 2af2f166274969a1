import { parseForWriting } from '../../base/json.ts';
import {
  EmptyReplyError,
  type ReplyForm,
  type StreamWriter,
  UnconvertibleReplyError,
} from '../../wire/apis/shared/replyForm.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import { inEnglish } from '../../wire/explanations/explanation.ts';
import type { FailureKind } from '../../wire/failures/gatewayError.ts';
import type { FailureDetails } from '../../wire/failures/replyFailure.ts';
import { ReplyDecoder } from '../../wire/stream/replyDecoder.ts';
import { LateFragmentError } from '../../wire/stream/sections.ts';
import type { HttpError } from '../http/httpError.ts';
import { replyCutError } from '../upstreams/unreadableReply.ts';
import { invalidReplyError } from '../upstreams/upstreamFailure.ts';
import { sealSignature } from './admittedMessages.ts';
import { AssembledReply, type ExpectedReply } from './assembledReply.ts';

/**
 * Converts the body of a reply that is not streamed into the caller's format.
 *
 * @param format the upstream's format
 * @throws {HttpError} if the upstream's reply is an error, is cut, or contains something that the format cannot
 * express
 */
export function convertReply(
  bytes: Uint8Array,
  format: TextFormatId,
  form: ReplyForm,
  expected: ExpectedReply,
): object {
  const decoder = createDecoder(format, expected);
  const events = [...decoder.write(bytes), ...decoder.flush()];
  const conclusion = decoder.conclude();
  if (conclusion.kind === 'failed') throw failedReplyError(conclusion.failure, form);
  if (conclusion.kind === 'interrupted')
    throw invalidReplyError('The reply of the upstream was cut off.', 'upstream_reply_cut');
  const reply = new AssembledReply(expected, events[0]);
  try {
    for (const event of events) reply.read(convertEvent(event, format, expected));
    reply.end(conclusion.kind === 'truncated');
    return form.writeBody(reply.facts, reply.choices);
  } catch (error) {
    throw unwritableReplyError(error);
  }
}

/**
 * Converts one streamed reply while it arrives. The text does not depend on the chunk borders. An error inside the
 * reply becomes an error of the caller's format, which ends the reply.
 */
export class ConvertedStream {
  readonly contentType: string;
  readonly #format: TextFormatId;
  readonly #decoder: ReplyDecoder;
  readonly #form: ReplyForm;
  readonly #expected: ExpectedReply;
  #reply: AssembledReply | undefined;
  #writer: StreamWriter | undefined;
  #hasEnded = false;
  #isCut = false;
  /** Whether a part of the reply was written. */
  #hasBegun = false;

  /** @param format the upstream's format */
  constructor(format: TextFormatId, form: ReplyForm, expected: ExpectedReply) {
    this.#format = format;
    this.#decoder = createDecoder(format, expected);
    this.#form = form;
    this.#expected = expected;
    const { facts } = new AssembledReply(expected, undefined);
    this.contentType = form.createWriter(facts, expected.choices).contentType;
  }

  /** Whether the reply is complete, or ended with an error. Further bytes are ignored. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Whether the upstream's reply ended too early. If it did, the caller's reply must also end without an end mark.
   */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** @returns the events that these bytes add to the reply */
  write(bytes: Uint8Array): string {
    if (this.#hasEnded) return '';
    const text = this.#writeEvents(this.#decoder.write(bytes));
    return this.#decoder.isDone && !this.#hasEnded ? text + this.#writeConclusion() : text;
  }

  /** @returns the rest of the reply. Call it after the last byte, then check `isCut`. */
  end(): string {
    if (this.#hasEnded) return '';
    const text = this.#writeEvents(this.#decoder.flush());
    return this.#hasEnded ? text : text + this.#writeConclusion();
  }

  /**
   * Call it after the connection to the upstream broke.
   *
   * @returns the last events, after which the caller's connection must also break
   */
  cut(): string {
    this.#hasEnded = true;
    this.#isCut = true;
    // Client libraries retry a stream that ends before its first text, unless it contains the reason.
    return this.#hasBegun ? '' : this.#writeError(replyCutError());
  }

  #writeEvents(events: readonly ChatEvent[]): string {
    let text = '';
    for (const event of events) {
      try {
        text += this.#writeEvent(convertEvent(event, this.#format, this.#expected));
      } catch (error) {
        return text + this.#writeError(unwritableReplyError(error));
      }
    }
    return text;
  }

  #writeEvent(event: ChatEvent): string {
    const opening = this.#writeOpening(event);
    const result = this.#reply?.read(event);
    const steps = result?.steps.map((step) => this.#writer?.writeStep(step, result.choice) ?? '') ?? [];
    const text = steps.join('');
    this.#hasBegun ||= text !== '';
    return opening + text;
  }

  #writeOpening(event: ChatEvent | undefined): string {
    if (this.#writer) return '';
    this.#reply = new AssembledReply(this.#expected, event);
    if (event?.type === 'usage') this.#reply.read(event);
    this.#writer = this.#form.createWriter(this.#reply.facts, this.#expected.choices);
    return this.#writer.open();
  }

  #writeConclusion(): string {
    const conclusion = this.#decoder.conclude();
    switch (conclusion.kind) {
      case 'interrupted':
        return this.cut();
      case 'failed':
        return this.#writeError(failedReplyError(conclusion.failure, this.#form));
      default:
        return this.#writeEnding(conclusion.kind === 'truncated');
    }
  }

  #writeEnding(isTruncated: boolean): string {
    let text = this.#writeOpening(undefined);
    try {
      for (const { choice, steps } of this.#reply?.end(isTruncated) ?? [])
        for (const step of steps) text += this.#writer?.writeStep(step, choice) ?? '';
    } catch (error) {
      return text + this.#writeError(unwritableReplyError(error));
    }
    this.#hasEnded = true;
    return text + (this.#writer?.end(this.#reply?.finishes ?? []) ?? '');
  }

  #writeError(error: HttpError): string {
    const opening = this.#writeOpening(undefined);
    this.#hasEnded = true;
    return opening + (this.#writer?.fail(error) ?? '');
  }
}

function createDecoder(format: TextFormatId, { thinkTags }: ExpectedReply): ReplyDecoder {
  return new ReplyDecoder(textFormat(format).createDecoder(parseForWriting), thinkTags);
}

/** Seals the signature of an event, and restores the caller's name of the tool. */
function convertEvent(
  event: ChatEvent,
  format: TextFormatId,
  { restoreToolName }: Pick<ExpectedReply, 'restoreToolName'>,
): ChatEvent {
  if (event.type !== 'reasoning' && event.type !== 'toolCall') return event;
  const isCall = event.type === 'toolCall';
  const { signature } = event;
  return {
    ...event,
    ...(signature !== undefined && {
      signature: sealSignature(format, signature, isCall ? 'call' : 'reasoning'),
    }),
    ...(isCall && event.name !== undefined && { name: restoreToolName(event.name) }),
  };
}

/** The error for a failure inside a reply with a success status. */
function failedReplyError(
  { kind, reason, gatewayMessage, explanation }: FailureDetails,
  { blockedCode }: Pick<ReplyForm, 'blockedCode'>,
): HttpError {
  const blocked = reason === 'content-filter' ? blockedCode : undefined;
  const code = blocked ?? specialCodes[kind] ?? (reason ?? kind).replaceAll('-', '_');
  return invalidReplyError(gatewayMessage ?? inEnglish(explanation), code, failureStatuses[kind]);
}

/**
 * Codes that differ from the name of the kind. After `authentication`, a caller would replace its own credential.
 * After `rate_limited`, AI SDK retries.
 */
const specialCodes: Readonly<Partial<Record<FailureKind, string>>> = {
  authentication: 'upstream_credential',
  'rate-limited': 'upstream_busy',
};

/** Statuses of failures that client libraries do not retry. */
const failureStatuses: Readonly<Partial<Record<FailureKind, 400 | 402 | 404>>> = {
  'model-unavailable': 404,
  'invalid-parameters': 400,
  quota: 402,
};

/** The error for a reply that cannot be written in the caller's format. Rethrows any other error. */
function unwritableReplyError(error: unknown): HttpError {
  if (error instanceof UnconvertibleReplyError)
    return invalidReplyError(error.message, 'unconvertible_reply');
  if (error instanceof EmptyReplyError) return invalidReplyError(error.message, 'empty_reply');
  if (error instanceof LateFragmentError)
    return invalidReplyError(
      'The model continued a tool call that had ended. Use the API format of the upstream.',
      'unconvertible_reply',
    );
  throw error;
}
