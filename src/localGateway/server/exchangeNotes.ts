import { ReplyTokens } from './replyTokens.ts';

/** The longest id of a model that is told, in characters. */
const maxModelLength = 200;

/** What is learnt about a request while it is answered, for logs and metrics. */
export class ExchangeNotes {
  upstream: string | undefined;
  /** The alias that the caller named, where the model is one of its models. */
  alias: string | undefined;
  /** The models of the alias that were asked before, and why they did not answer. */
  passedOver: readonly string[] | undefined;
  conversion: string | undefined;
  /** The bytes of the body that were written. */
  bytes = 0;
  /** When the first of them was, in milliseconds of `performance.now`. */
  firstByteAt: number | undefined;
  #model: string | undefined;
  #tokens: ReplyTokens | undefined;

  get model(): string | undefined {
    return this.#model;
  }

  /** Callers choose the id, so it is made fit for a line of a log. */
  set model(id: string) {
    const told = id.slice(0, maxModelLength);
    // Names are plain, and looking up what each character is costs.
    this.#model = /^[\x20-\x7e]*$/.test(told) ? told : told.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
  }

  get tokens() {
    return this.#tokens?.reported;
  }

  /** From now on the bytes are those of a reply that may report tokens. */
  expectTokens(): void {
    this.#tokens = new ReplyTokens();
  }

  /** Bytes of the body that are written. They must not change afterwards. */
  wrote(bytes: Uint8Array | string): void {
    this.firstByteAt ??= performance.now();
    this.bytes += bytes.length;
    this.#tokens?.add(bytes);
  }
}
