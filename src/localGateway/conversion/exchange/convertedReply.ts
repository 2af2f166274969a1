import { parseForWriting } from '../../../base/json.ts';
import {
  type ReplyForm,
  type StreamWriter,
  UnconvertibleReply,
  WordlessReply,
} from '../../../wire/apis/format/replyForm.ts';
import { type TextFormatId, textFormat } from '../../../wire/apis/textFormats.ts';
import type { ChatEvent } from '../../../wire/chatEvent.ts';
import type { FailureDetails } from '../../../wire/errorMapping.ts';
import { inEnglish } from '../../../wire/explanations/explanation.ts';
import type { FailureKind } from '../../../wire/failure.ts';
import { ReplyDecoder } from '../../../wire/stream/replyDecoder.ts';
import { LateFragment } from '../../../wire/stream/sections.ts';
import type { HttpError } from '../../http/httpError.ts';
import { replyCut } from '../../upstreams/unreadableReply.ts';
import { invalidReply } from '../../upstreams/upstreamFailure.ts';
import { sealed } from '../seal.ts';
import { type ExpectedReply, ReplyBody } from './replyBody.ts';

/**
 * The body of a reply that is not streamed, in the caller's format.
 *
 * @param format of the upstream
 * @throws {HttpError} when the upstream's reply is an error, is cut, or holds what the format has no place for
 */
export function convertedReply(
  bytes: Uint8Array,
  format: TextFormatId,
  form: ReplyForm,
  expected: ExpectedReply,
): object {
  const decoder = new ReplyDecoder(textFormat(format).createDecoder(parseForWriting));
  const events = [...decoder.write(bytes), ...decoder.flush()];
  const conclusion = decoder.conclude();
  if (conclusion.kind === 'failed') throw failedReply(conclusion.failure, form);
  if (conclusion.kind === 'interrupted')
    throw invalidReply('The upstream’s reply ended before it was whole.', 'upstream_reply_cut');
  const body = new ReplyBody(expected, events[0]);
  try {
    for (const event of events) body.read(marked(event, format, expected));
    body.end(conclusion.kind === 'truncated');
    return form.whole(body.facts, body.choices);
  } catch (error) {
    throw unwritableReply(error);
  }
}

/**
 * Converts one streamed reply while it comes. Whatever pieces the bytes come in, the text is the same. An error
 * inside the reply becomes one of the caller's format, and ends it.
 */
export class ConvertedStream {
  readonly contentType: string;
  readonly #format: TextFormatId;
  readonly #decoder: ReplyDecoder;
  readonly #form: ReplyForm;
  readonly #expected: ExpectedReply;
  #body: ReplyBody | undefined;
  #writer: StreamWriter | undefined;
  #isOver = false;
  #isCut = false;
  /** Whether a part of the answer was written. */
  #hasBegun = false;

  /** @param format of the upstream */
  constructor(format: TextFormatId, form: ReplyForm, expected: ExpectedReply) {
    this.#format = format;
    this.#decoder = new ReplyDecoder(textFormat(format).createDecoder(parseForWriting));
    this.#form = form;
    this.#expected = expected;
    const { facts } = new ReplyBody(expected, undefined);
    this.contentType = form.stream(facts, expected.choices).contentType;
  }

  /** Whether the reply is told to its end, or to its error. What follows is ignored. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the upstream's reply ended too early. Then the caller's connection has to end too, without an end mark. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** @returns what these bytes add to the reply, as whole events */
  write(bytes: Uint8Array): string {
    if (this.#isOver) return '';
    const text = this.#told(this.#decoder.write(bytes));
    return this.#decoder.done && !this.#isOver ? text + this.#concluded() : text;
  }

  /** @returns the rest of the reply. Call it after the last byte, then look at `isCut`. */
  end(): string {
    if (this.#isOver) return '';
    const text = this.#told(this.#decoder.flush());
    return this.#isOver ? text : text + this.#concluded();
  }

  /** @returns what is left to say when the connection to the upstream broke. The caller's has to break, too. */
  cut(): string {
    this.#isOver = true;
    this.#isCut = true;
    // Client libraries retry a stream that ends before its first text, unless it says why.
    return this.#hasBegun ? '' : this.#brokenOff(replyCut());
  }

  #told(events: readonly ChatEvent[]): string {
    let text = '';
    for (const event of events) {
      try {
        text += this.#eventText(marked(event, this.#format, this.#expected));
      } catch (error) {
        return text + this.#brokenOff(unwritableReply(error));
      }
    }
    return text;
  }

  #eventText(event: ChatEvent): string {
    const opening = this.#begin(event);
    const changed = this.#body?.read(event);
    const steps = changed?.steps.map((step) => this.#writer?.step(step, changed.choice) ?? '') ?? [];
    const text = steps.join('');
    this.#hasBegun ||= text !== '';
    return opening + text;
  }

  #begin(event: ChatEvent | undefined): string {
    if (this.#writer) return '';
    this.#body = new ReplyBody(this.#expected, event);
    if (event?.type === 'usage') this.#body.read(event);
    this.#writer = this.#form.stream(this.#body.facts, this.#expected.choices);
    return this.#writer.opening();
  }

  #concluded(): string {
    const conclusion = this.#decoder.conclude();
    switch (conclusion.kind) {
      case 'interrupted':
        return this.cut();
      case 'failed':
        return this.#brokenOff(failedReply(conclusion.failure, this.#form));
      default:
        return this.#ending(conclusion.kind === 'truncated');
    }
  }

  #ending(truncated: boolean): string {
    let text = this.#begin(undefined);
    try {
      for (const { choice, steps } of this.#body?.end(truncated) ?? [])
        for (const step of steps) text += this.#writer?.step(step, choice) ?? '';
    } catch (error) {
      return text + this.#brokenOff(unwritableReply(error));
    }
    this.#isOver = true;
    return text + (this.#writer?.ending(this.#body?.finishes ?? []) ?? '');
  }

  #brokenOff(error: HttpError): string {
    const opening = this.#begin(undefined);
    this.#isOver = true;
    return opening + (this.#writer?.brokenOff(error) ?? '');
  }
}

/** The event with its signature marked by its format, and with the caller's name of a tool. */
function marked(
  event: ChatEvent,
  format: TextFormatId,
  { toolName }: Pick<ExpectedReply, 'toolName'>,
): ChatEvent {
  if (event.type !== 'reasoning' && event.type !== 'toolCall') return event;
  const isCall = event.type === 'toolCall';
  const { signature } = event;
  return {
    ...event,
    ...(signature !== undefined && { signature: sealed(format, signature, isCall ? 'call' : 'reasoning') }),
    ...(isCall && event.name !== undefined && { name: toolName(event.name) }),
  };
}

/** An error inside a reply with a good status. */
function failedReply(
  { kind, reason, gatewayMessage, explanation }: FailureDetails,
  { blockedCode }: Pick<ReplyForm, 'blockedCode'>,
): HttpError {
  const blocked = reason === 'content-filter' ? blockedCode : undefined;
  const code = blocked ?? codes[kind] ?? (reason ?? kind).replaceAll('-', '_');
  return invalidReply(gatewayMessage ?? inEnglish(explanation), code, statuses[kind]);
}

/** Codes other than the kind's name: a caller would suspect its own credential, and AI SDK retries `rate_limited`. */
const codes: Readonly<Partial<Record<FailureKind, string>>> = {
  authentication: 'upstream_credential',
  'rate-limited': 'upstream_busy',
};

/** The statuses of failures that no client library retries. */
const statuses: Readonly<Partial<Record<FailureKind, 400 | 402 | 404>>> = {
  'model-unavailable': 404,
  'invalid-parameters': 400,
  quota: 402,
};

/** The error for a reply that cannot be written in the caller's format. Throws any other error again. */
function unwritableReply(error: unknown): HttpError {
  if (error instanceof UnconvertibleReply) return invalidReply(error.message, 'unconvertible_reply');
  if (error instanceof WordlessReply) return invalidReply(error.message, 'wordless_reply');
  if (error instanceof LateFragment)
    return invalidReply(
      'The model went on with a tool call that it had ended. Ask in the API format of the upstream.',
      'unconvertible_reply',
    );
  throw error;
}
