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
import type { FailureDetails } from '../../wire/failures/failureOfReply.ts';
import type { FailureKind } from '../../wire/failures/gatewayError.ts';
import { ReplyDecoder } from '../../wire/stream/replyDecoder.ts';
import { LateFragmentError } from '../../wire/stream/sections.ts';
import type { HttpError } from '../http/httpError.ts';
import { replyCutError } from '../upstreams/unreadableReply.ts';
import { invalidReplyError } from '../upstreams/upstreamFailure.ts';
import { sealSignature } from './admittedMessages.ts';
import { AssembledReply, type ExpectedReply } from './assembledReply.ts';

/**
 * The body of a reply that is not streamed, in the caller's format.
 *
 * @param format the upstream's format
 * @throws {HttpError} if the upstream's reply is an error, is cut, or contains something that the format cannot
 * express
 */
export function convertedReply(
  bytes: Uint8Array,
  format: TextFormatId,
  form: ReplyForm,
  expected: ExpectedReply,
): object {
  const decoder = decoderFor(format, expected);
  const events = [...decoder.write(bytes), ...decoder.flush()];
  const conclusion = decoder.conclude();
  if (conclusion.kind === 'failed') throw failedReply(conclusion.failure, form);
  if (conclusion.kind === 'interrupted')
    throw invalidReplyError('The reply of the upstream was cut off.', 'upstream_reply_cut');
  const assembled = new AssembledReply(expected, events[0]);
  try {
    for (const event of events) assembled.read(eventForCaller(event, format, expected));
    assembled.end(conclusion.kind === 'truncated');
    return form.writeBody(assembled.facts, assembled.choices);
  } catch (error) {
    throw unwritableReply(error);
  }
}

/**
 * Converts one streamed reply while it arrives. The text does not depend on the chunk borders. An error inside the
 * reply becomes one of the caller's format, and ends it.
 */
export class ConvertedStream {
  readonly contentType: string;
  readonly #format: TextFormatId;
  readonly #decoder: ReplyDecoder;
  readonly #form: ReplyForm;
  readonly #expected: ExpectedReply;
  #body: AssembledReply | undefined;
  #writer: StreamWriter | undefined;
  #isOver = false;
  #isCut = false;
  /** Whether a part of the reply was written. */
  #hasBegun = false;

  /** @param format the upstream's format */
  constructor(format: TextFormatId, form: ReplyForm, expected: ExpectedReply) {
    this.#format = format;
    this.#decoder = decoderFor(format, expected);
    this.#form = form;
    this.#expected = expected;
    const { facts } = new AssembledReply(expected, undefined);
    this.contentType = form.createWriter(facts, expected.choices).contentType;
  }

  /** Whether the reply is complete, or ended with an error. Further bytes are ignored. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Whether the upstream's reply ended too early. Then the caller's connection has to end without an end mark,
   * too.
   */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** @returns the events that these bytes add to the reply */
  write(bytes: Uint8Array): string {
    if (this.#isOver) return '';
    const text = this.#writeEvents(this.#decoder.write(bytes));
    return this.#decoder.isDone && !this.#isOver ? text + this.#writeConclusion() : text;
  }

  /** @returns the rest of the reply. Call it after the last byte, then check `isCut`. */
  end(): string {
    if (this.#isOver) return '';
    const text = this.#writeEvents(this.#decoder.flush());
    return this.#isOver ? text : text + this.#writeConclusion();
  }

  /**
   * @returns the last events after the connection to the upstream broke. The caller's connection has to break,
   * too.
   */
  cut(): string {
    this.#isOver = true;
    this.#isCut = true;
    // Client libraries retry a stream that ends before its first text, unless it contains the reason.
    return this.#hasBegun ? '' : this.#writeError(replyCutError());
  }

  #writeEvents(events: readonly ChatEvent[]): string {
    let text = '';
    for (const event of events) {
      try {
        text += this.#eventText(eventForCaller(event, this.#format, this.#expected));
      } catch (error) {
        return text + this.#writeError(unwritableReply(error));
      }
    }
    return text;
  }

  #eventText(event: ChatEvent): string {
    const opening = this.#begin(event);
    const changed = this.#body?.read(event);
    const steps = changed?.steps.map((step) => this.#writer?.writeStep(step, changed.choice) ?? '') ?? [];
    const text = steps.join('');
    this.#hasBegun ||= text !== '';
    return opening + text;
  }

  #begin(event: ChatEvent | undefined): string {
    if (this.#writer) return '';
    this.#body = new AssembledReply(this.#expected, event);
    if (event?.type === 'usage') this.#body.read(event);
    this.#writer = this.#form.createWriter(this.#body.facts, this.#expected.choices);
    return this.#writer.open();
  }

  #writeConclusion(): string {
    const conclusion = this.#decoder.conclude();
    switch (conclusion.kind) {
      case 'interrupted':
        return this.cut();
      case 'failed':
        return this.#writeError(failedReply(conclusion.failure, this.#form));
      default:
        return this.#writeEnding(conclusion.kind === 'truncated');
    }
  }

  #writeEnding(truncated: boolean): string {
    let text = this.#begin(undefined);
    try {
      for (const { choice, steps } of this.#body?.end(truncated) ?? [])
        for (const step of steps) text += this.#writer?.writeStep(step, choice) ?? '';
    } catch (error) {
      return text + this.#writeError(unwritableReply(error));
    }
    this.#isOver = true;
    return text + (this.#writer?.end(this.#body?.finishes ?? []) ?? '');
  }

  #writeError(error: HttpError): string {
    const opening = this.#begin(undefined);
    this.#isOver = true;
    return opening + (this.#writer?.fail(error) ?? '');
  }
}

function decoderFor(format: TextFormatId, { thinkTags }: ExpectedReply): ReplyDecoder {
  return new ReplyDecoder(textFormat(format).createDecoder(parseForWriting), thinkTags);
}

/** The event with a sealed signature and the caller's name of the tool. */
function eventForCaller(
  event: ChatEvent,
  format: TextFormatId,
  { toolName }: Pick<ExpectedReply, 'toolName'>,
): ChatEvent {
  if (event.type !== 'reasoning' && event.type !== 'toolCall') return event;
  const isCall = event.type === 'toolCall';
  const { signature } = event;
  return {
    ...event,
    ...(signature !== undefined && {
      signature: sealSignature(format, signature, isCall ? 'call' : 'reasoning'),
    }),
    ...(isCall && event.name !== undefined && { name: toolName(event.name) }),
  };
}

/** The error for a failure inside a reply with a success status. */
function failedReply(
  { kind, reason, gatewayMessage, explanation }: FailureDetails,
  { blockedCode }: Pick<ReplyForm, 'blockedCode'>,
): HttpError {
  const blocked = reason === 'content-filter' ? blockedCode : undefined;
  const code = blocked ?? codes[kind] ?? (reason ?? kind).replaceAll('-', '_');
  return invalidReplyError(gatewayMessage ?? inEnglish(explanation), code, statuses[kind]);
}

/**
 * Codes that differ from the kind's name: a caller would suspect its own credential, and AI SDK retries
 * `rate_limited`.
 */
const codes: Readonly<Partial<Record<FailureKind, string>>> = {
  authentication: 'upstream_credential',
  'rate-limited': 'upstream_busy',
};

/** Statuses of failures that client libraries do not retry. */
const statuses: Readonly<Partial<Record<FailureKind, 400 | 402 | 404>>> = {
  'model-unavailable': 404,
  'invalid-parameters': 400,
  quota: 402,
};

/** The error for a reply that cannot be written in the caller's format. Rethrows any other error. */
function unwritableReply(error: unknown): HttpError {
  if (error instanceof UnconvertibleReplyError)
    return invalidReplyError(error.message, 'unconvertible_reply');
  if (error instanceof EmptyReplyError) return invalidReplyError(error.message, 'wordless_reply');
  if (error instanceof LateFragmentError)
    return invalidReplyError(
      'The model continued a tool call that had ended. Use the API format of the upstream.',
      'unconvertible_reply',
    );
  throw error;
}
