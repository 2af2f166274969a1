import type { ServedRequest } from '../../protocol/gatewayControl.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { SkippedModel } from '../models/modelFallback.ts';
import type { UsedKey } from '../upstreams/upstream.ts';
import type { ExchangeCost, ReplySize } from './plannedCall.ts';
import { ReplyTokens, type ReportedTokens } from './replyTokens.ts';

/** The longest model ID in a log, in characters. */
const maxModelLength = 200;

/** The data about a request that are reported when its response has ended. */
export interface ServedExchangeRecord extends ServedRequest {
  readonly tokens?: ReportedTokens;
  /** The costs of all its requests that may be billed: an alias may send several. */
  readonly costs?: readonly ExchangeCost[];
  /** The models of the alias that did not reply. */
  readonly skipped?: readonly SkippedModel[];
}

/** Collects the data about a request while it is handled, for logs and metrics. */
export class ExchangeNotes {
  upstream: string | undefined;
  /** The alias that the caller named, if the model was chosen by an alias. */
  alias: string | undefined;
  /** The models of the alias that were tried before. */
  skippedModels: readonly SkippedModel[] = [];
  conversion: string | undefined;
  /** The key that was sent last, if the upstream has several. */
  key: UsedKey | undefined;
  /** The tokens that the upstream's reply reported before it was converted. */
  convertedTokens: ReportedTokens | undefined;
  /** The cost in the headers of the upstream's reply, in US dollars. */
  headerCostUsd: number | undefined;
  /** The bytes of the body that were written. */
  bytes = 0;
  /** When the first byte was written, in milliseconds of `performance.now`. */
  firstByteAt: number | undefined;
  #model: string | undefined;
  #tokens: ReplyTokens | undefined;

  get model(): string | undefined {
    return this.#model;
  }

  /** Callers choose the ID, so it is shortened and cleaned for a log line. */
  set model(id: string) {
    const shortId = id.slice(0, maxModelLength);
    // Most names are plain, and testing each character by Unicode category is slow.
    this.#model = /^[\x20-\x7e]*$/.test(shortId) ? shortId : shortId.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
  }

  /** Reads the properties of the reply that affect its costs. Call it once, at the end of the reply. */
  readReplySize(): Omit<ReplySize, 'isCut'> {
    const reported = this.convertedTokens ?? this.#tokens?.reported;
    const costUsd = Math.max(this.headerCostUsd ?? 0, reported?.costUsd ?? 0);
    const tokens = costUsd > 0 ? { ...reported, costUsd } : reported;
    return { tokens, textLength: this.#tokens?.measureText() };
  }

  /**
   * Call it before the body of a reply that may report tokens.
   *
   * @param format the format of the reply, if its text is measured
   */
  expectTokens(format: TextFormatId | undefined): void {
    this.#tokens = new ReplyTokens(format);
  }

  /** Adds bytes of the body that were written. They must not change afterwards. */
  addBytes(bytes: Uint8Array | string): void {
    this.firstByteAt ??= performance.now();
    this.bytes += typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
    this.#tokens?.add(bytes);
  }
}
