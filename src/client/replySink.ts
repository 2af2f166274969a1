import { isObject, parseJson } from '../base/json.ts';
import type { ReplyHeaders } from '../base/replyHeaders.ts';
import { explain } from '../wire/explanations/explanation.ts';
import { readErrorBody } from '../wire/failures/errorBody.ts';
import {
  createEmptyReplyFailure,
  createMalformedReplyFailure,
  createPlainTextFailure,
  createTooLargeReplyFailure,
  createWebPageFailure,
  type FailureDetails,
  readInnerFailure,
} from '../wire/failures/replyFailure.ts';
import { detectBodyKind } from '../wire/stream/replyDecoder.ts';
import type { PaidReply } from './types.ts';

/** The content of a write: only keep-alive bytes, data, or the end of the relevant data. */
export type Progress = 'alive' | 'data' | 'done';

/** Status and headers of a reply. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: ReplyHeaders;
}

/** The status and headers of a complete reply, and the secrets of its request. */
export interface BodyHead extends ReplyHead {
  /** Values that must not be stored, even if the reply contains them. */
  readonly secrets: readonly string[];
}

/** Receives the body of a reply piece by piece. */
export interface ReplySink {
  /** Called before the request is sent, with values that must not be stored, even if the reply contains them. */
  hideSecrets?(secrets: readonly string[]): void;
  /** Called before the first write. */
  begin?(head: ReplyHead): void;
  write(bytes: Uint8Array): Progress;
  /** Returns a promise while the sink is full. It resolves when the sink can accept more, and never rejects. */
  backlog?(): Promise<void> | undefined;
  /**
   * Called when the reply has ended.
   *
   * @param cut why the reply is incomplete, if it is
   * @returns the failure, if any
   */
  end(cut?: FailureDetails): FailureDetails | undefined;
  /** The costs that the reply has reported so far. */
  readonly paid?: PaidReply;
}

const maxErrorBodyBytes = 64 * 1024;
const maxDocumentBytes = 32 * 1024 * 1024;

/** Collects the beginning of an error's body. A truncated body is good enough for a message. */
export class ErrorSink implements ReplySink {
  readonly #toFailure: (body: string) => FailureDetails;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(toFailure: (body: string) => FailureDetails) {
    this.#toFailure = toFailure;
  }

  write(bytes: Uint8Array): Progress {
    const piece = bytes.subarray(0, maxErrorBodyBytes - this.#length);
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this.#length < maxErrorBodyBytes ? 'data' : 'done';
  }

  end(): FailureDetails {
    return this.#toFailure(Buffer.concat(this.#pieces).toString());
  }
}

/** Collects a whole body as text. `read` returns a failure if the text is invalid. */
export class BodySink implements ReplySink {
  readonly #read: (text: string, head: BodyHead) => FailureDetails | undefined;
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #head: ReplyHead = { status: 200, headers: {} };
  #secrets: readonly string[] = [];
  #length = 0;

  constructor(
    read: (text: string, head: BodyHead) => FailureDetails | undefined,
    maxBytes = maxDocumentBytes,
  ) {
    this.#read = read;
    this.#maxBytes = maxBytes;
  }

  hideSecrets(secrets: readonly string[]): void {
    this.#secrets = secrets;
  }

  begin(head: ReplyHead): void {
    this.#head = head;
  }

  write(bytes: Uint8Array): Progress {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    return this.#length <= this.#maxBytes ? 'data' : 'done';
  }

  end(cut?: FailureDetails): FailureDetails | undefined {
    const text = Buffer.concat(this.#pieces)
      .toString()
      .replace(/^\uFEFF/, '');
    const failure = cut ?? this.#readText(text);
    return failure && { body: text.slice(0, maxErrorBodyBytes), ...failure };
  }

  #readText(text: string): FailureDetails | undefined {
    if (this.#length > this.#maxBytes) return createTooLargeReplyFailure(explain('reply-too-large'));
    return this.#read(text, { ...this.#head, secrets: this.#secrets });
  }
}

/** Collects one JSON document. `read` returns a failure if the value is invalid. */
export class DocumentSink extends BodySink {
  constructor(
    read: (value: unknown, head: BodyHead) => FailureDetails | undefined,
    maxBytes = maxDocumentBytes,
  ) {
    super((text, head) => readDocument(text, (value) => read(value, head)), maxBytes);
  }
}

function readDocument(
  text: string,
  read: (value: unknown) => FailureDetails | undefined,
): FailureDetails | undefined {
  const kind = detectBodyKind(text);
  if (kind === undefined) return createEmptyReplyFailure();
  if (kind === 'html') return createWebPageFailure(text.slice(0, maxErrorBodyBytes));
  const value = parseJson(text);
  if (value === undefined)
    return kind === 'lines'
      ? readPlainTextFailure(text)
      : createMalformedReplyFailure(explain('reply-not-json'));
  if (isObject(value) && value.error) return readInnerFailure(value);
  return read(value);
}

function readPlainTextFailure(text: string): FailureDetails {
  const { message: gatewayMessage } = readErrorBody(text);
  return { ...(gatewayMessage !== undefined && { gatewayMessage }), ...createPlainTextFailure(text) };
}
