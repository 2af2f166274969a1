import { isObject, parseJson } from '../base/json.ts';
import { readErrorBody } from '../wire/errorBody.ts';
import {
  emptyReply,
  type FailureDetails,
  failureOfInnerError,
  malformedReply,
  tooLargeReply,
  webPage,
  wordsForReply,
} from '../wire/errorMapping.ts';
import { explain } from '../wire/explanations/explanation.ts';
import type { ReplyHeaders } from '../wire/retryHint.ts';
import { sniff } from '../wire/stream/sniff.ts';

/** What a write brought: only keep-alive bytes, data, or the end of what matters. */
export type Progress = 'alive' | 'data' | 'done';

/** Status and headers of a reply. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: ReplyHeaders;
}

/** Facts about a reply whose body is complete. */
export interface BodyHead extends ReplyHead {
  /** Values that must not be kept from the reply. */
  readonly secrets: readonly string[];
}

/** Receives the body of a reply piece by piece. */
export interface ReplySink {
  /** Called before the request is sent, with values that must not be kept from the reply. */
  hide?(secrets: readonly string[]): void;
  /** Called before the first write. */
  head?(head: ReplyHead): void;
  write(bytes: Uint8Array): Progress;
  /** A promise while the sink cannot take more; it resolves when it can, and never rejects. */
  backlog?(): Promise<void> | undefined;
  /**
   * Called when the reply is over.
   *
   * @param cut why the reply did not come to its own end
   * @returns what went wrong, if anything
   */
  end(cut?: FailureDetails): FailureDetails | undefined;
}

const maxErrorBodyBytes = 64 * 1024;
const maxDocumentBytes = 32 * 1024 * 1024;

/** Keeps the beginning of an error's body. A truncated body is good enough for a message. */
export class ErrorSink implements ReplySink {
  readonly #failureOf: (body: string) => FailureDetails;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(failureOf: (body: string) => FailureDetails) {
    this.#failureOf = failureOf;
  }

  write(bytes: Uint8Array): Progress {
    const piece = bytes.subarray(0, maxErrorBodyBytes - this.#length);
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this.#length < maxErrorBodyBytes ? 'data' : 'done';
  }

  end(): FailureDetails {
    return this.#failureOf(Buffer.concat(this.#pieces).toString());
  }
}

/** Collects a whole body as text. `read` says what is wrong with it. */
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

  hide(secrets: readonly string[]): void {
    this.#secrets = secrets;
  }

  head(head: ReplyHead): void {
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
    const failure = cut ?? this.#wrongWith(text);
    return failure && { body: text.slice(0, maxErrorBodyBytes), ...failure };
  }

  #wrongWith(text: string): FailureDetails | undefined {
    if (this.#length > this.#maxBytes) return tooLargeReply(explain('reply-too-large'));
    return this.#read(text, { ...this.#head, secrets: this.#secrets });
  }
}

/** Collects one JSON document. `accept` says what is wrong with its value. */
export class DocumentSink extends BodySink {
  constructor(
    accept: (value: unknown, head: BodyHead) => FailureDetails | undefined,
    maxBytes = maxDocumentBytes,
  ) {
    super((text, head) => readDocument(text, (value) => accept(value, head)), maxBytes);
  }
}

function readDocument(
  text: string,
  accept: (value: unknown) => FailureDetails | undefined,
): FailureDetails | undefined {
  const kind = sniff(text);
  if (kind === undefined) return emptyReply();
  if (kind === 'html') return webPage(text.slice(0, maxErrorBodyBytes));
  const value = parseJson(text);
  if (value === undefined) return kind === 'lines' ? spoken(text) : malformedReply(explain('reply-not-json'));
  if (isObject(value) && value.error) return failureOfInnerError(value);
  return accept(value);
}

function spoken(text: string): FailureDetails {
  const { message: gatewayMessage } = readErrorBody(text);
  return { ...(gatewayMessage !== undefined && { gatewayMessage }), ...wordsForReply(text) };
}
