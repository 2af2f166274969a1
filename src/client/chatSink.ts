import { performance } from 'node:perf_hooks';
import type { ChatEvent, FinishReason, Outcome, Usage } from '../wire/chatEvent.ts';
import type { GatewayError } from '../wire/failures/gatewayError.ts';
import type { FailureDetails } from '../wire/failures/replyFailure.ts';
import { readHeaderCost } from '../wire/reportedCost.ts';
import { EchoFilter } from '../wire/secrets/echoFilter.ts';
import type { Conclusion, FormatDecoder } from '../wire/stream/decodedReply.ts';
import { ReplyDecoder } from '../wire/stream/replyDecoder.ts';
import { measureReplyText } from '../wire/stream/textLength.ts';
import type { ThinkTags } from '../wire/stream/thinkTags.ts';
import type { Progress, ReplyHead, ReplySink } from './replySink.ts';
import type { PaidReply } from './types.ts';

/** Reports a reply as events, one batch for each write, and collects facts about the whole reply. */
export class ChatSink implements ReplySink {
  readonly #format: FormatDecoder;
  readonly #decoder: ReplyDecoder;
  readonly #onEvents: (events: readonly ChatEvent[]) => void;
  #echoes = new EchoFilter([]);
  #conclusion: Conclusion | undefined;
  #hasEvents = false;
  #batchAt: number | undefined;

  readonly #costs = new CostCollector();
  #usage: Usage | undefined;
  #mediaCount = 0;

  id: string | undefined;
  model: string | undefined;
  /** The cost that the gateway reports, in US dollars. */
  costUsd: number | undefined;
  serviceTier: string | undefined;
  endReason: FinishReason | undefined;
  finishReason: string | undefined;
  /** When the first text or reasoning arrived, by `performance.now()`. */
  firstTokenAt: number | undefined;
  #reasoning: { readonly from: number; to: number; isOver: boolean } | undefined;

  constructor(
    format: FormatDecoder,
    onEvents: (events: readonly ChatEvent[]) => void,
    thinkTags?: ThinkTags,
  ) {
    this.#format = format;
    this.#decoder = new ReplyDecoder(format, thinkTags);
    this.#onEvents = onEvents;
  }

  hideSecrets(secrets: readonly string[]): void {
    this.#echoes = new EchoFilter(secrets);
    this.#format.hideSecrets?.(secrets);
  }

  begin({ headers }: ReplyHead): void {
    this.costUsd = readHeaderCost(headers);
    if (this.costUsd !== undefined) this.#costs.add({ type: 'cost', usd: this.costUsd });
  }

  write(bytes: Uint8Array): Progress {
    const decoder = this.#decoder;
    const payloads = decoder.payloads;
    this.#report(decoder.write(bytes));
    if (decoder.isDone) return 'done';
    return decoder.payloads > payloads ? 'data' : 'alive';
  }

  end(cut?: FailureDetails): FailureDetails | undefined {
    this.#report(this.#decoder.flush());
    this.#conclusion = this.#decoder.conclude();
    if (!('failure' in this.#conclusion)) return undefined;
    return this.#decoder.isDone ? this.#conclusion.failure : (cut ?? this.#conclusion.failure);
  }

  /**
   * Reports the text that is still buffered to detect secrets. Call this at the end of each call, even a failed one.
   */
  release(): void {
    this.#emit(this.#echoes.flush());
  }

  /**
   * Returns how the call ended.
   *
   * @param error the failure of the call, if any
   */
  outcome(error: GatewayError | undefined): Outcome {
    if (error?.kind === 'cancelled') return { kind: 'cancelled' };
    if (error) return { kind: this.#wasInterrupted ? 'interrupted' : 'failed', error };
    if (this.#decoder.isPending) return { kind: 'pending' };
    return { kind: this.#conclusion?.kind === 'truncated' ? 'truncated' : 'complete' };
  }

  /**
   * From the first reasoning to the first text after it, in whole milliseconds; undefined if this is 0 or without
   * reasoning.
   */
  get reasoningMs(): number | undefined {
    const { from, to } = this.#reasoning ?? { from: 0, to: 0 };
    return Math.round(to - from) || undefined;
  }

  get paid(): PaidReply {
    return this.#costs.reply;
  }

  /** Includes the number of received media if the gateway does not report them separately. */
  get usage(): Usage | undefined {
    if (!this.#usage || this.#mediaCount === 0) return this.#usage;
    return { otherUnits: this.#mediaCount, ...this.#usage };
  }

  get #wasInterrupted(): boolean {
    return this.#hasEvents && this.#conclusion?.kind === 'interrupted';
  }

  #report(events: readonly ChatEvent[]): void {
    if (events.length === 0) return;
    this.#hasEvents = true;
    for (const event of events) this.#costs.add(event);
    this.#emit(this.#echoes.hide(events));
  }

  #emit(events: readonly ChatEvent[]): void {
    if (events.length === 0) return;
    this.#batchAt = undefined;
    for (const event of events) this.#collect(event);
    this.#onEvents(events);
  }

  /** Returns when the batch arrived. Most batches do not need the time, so the clock is read only on demand. */
  #readBatchTime(): number {
    this.#batchAt ??= performance.now();
    return this.#batchAt;
  }

  #recordTimes(type: 'text' | 'reasoning'): void {
    this.firstTokenAt ??= this.#readBatchTime();
    if (type === 'reasoning')
      this.#reasoning ??= { from: this.#readBatchTime(), to: this.#readBatchTime(), isOver: false };
    if (!this.#reasoning || this.#reasoning.isOver) return;
    this.#reasoning.to = this.#readBatchTime();
    this.#reasoning.isOver = type === 'text';
  }

  #collect(event: ChatEvent): void {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        this.#recordTimes(event.type);
        break;
      case 'start':
        this.id = event.id;
        this.model = event.model;
        break;
      case 'media':
      case 'mediaLink':
        this.#mediaCount++;
        break;
      case 'usage':
        this.#usage = event.usage;
        break;
      case 'cost':
        this.costUsd = event.usd;
        break;
      case 'serviceTier':
        this.serviceTier = event.name;
        break;
      case 'finish':
        // The first choice may report its reason more than once; the last one counts.
        if (event.choice === 0 || this.finishReason === undefined) {
          this.endReason = event.reason;
          this.finishReason = event.raw;
        }
        break;
    }
  }
}

/**
 * Collects the costs that a reply reports. If values are reported repeatedly, the largest counts, because a smaller
 * later report must not hide costs.
 */
class CostCollector {
  #model: string | undefined;
  #usage: Usage | undefined;
  #mediaCount = 0;
  #costUsd: number | undefined;
  #serviceTier: string | undefined;
  #textLength = 0;
  #hasEnded = false;

  add(event: ChatEvent): void {
    this.#textLength += measureReplyText(event);
    switch (event.type) {
      case 'media':
      case 'mediaLink':
        this.#mediaCount += 1;
        break;
      case 'start':
        this.#model = event.model;
        break;
      case 'usage':
        this.#usage = mergeLargestCounts(this.#usage, event.usage);
        break;
      case 'cost':
        this.#costUsd = Math.max(this.#costUsd ?? 0, event.usd);
        break;
      case 'serviceTier':
        this.#serviceTier = event.name;
        break;
      case 'finish':
        this.#hasEnded = true;
        break;
    }
  }

  get reply(): PaidReply {
    const usage =
      this.#usage && this.#mediaCount > 0 ? { otherUnits: this.#mediaCount, ...this.#usage } : this.#usage;
    return {
      ...(this.#model !== undefined && { model: this.#model }),
      ...(usage && { usage }),
      ...(this.#costUsd !== undefined && { costUsd: this.#costUsd }),
      ...(this.#serviceTier !== undefined && { serviceTier: this.#serviceTier }),
      ...(this.#hasEnded && { hasEnded: true }),
      textLength: this.#textLength,
    };
  }
}

function mergeLargestCounts(before: Usage | undefined, reported: Usage): Usage {
  if (!before) return reported;
  const largest: { -readonly [Name in keyof Usage]: Usage[Name] } = { ...before };
  for (const [name, count] of Object.entries(reported) as [keyof Usage, number][])
    largest[name] = Math.max(count, before[name] ?? 0);
  return largest;
}
