import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import type { PaidReply, PaidRequest, SpendingReservation } from '../../client/types.ts';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import type { LimitUse, PlannedSpending, SpendingLimit } from '../../storage/spending/spendingLimit.ts';
import type { RefusedSpending, SpendingStore } from '../../storage/spending/spendingStore.ts';
import { readDurationAndCost } from '../../wire/apis/taskRecord/durationAndCost.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import { type Explanation, explain } from '../../wire/explanations/explanation.ts';
import { type FailureReason, GatewayError } from '../../wire/failures/gatewayError.ts';
import { buildMemoryKey } from '../connection/configuredGateway.ts';
import type { Gateway } from '../connection/gateways.ts';
import type { Log } from '../kit/display/log.ts';
import { notify } from '../kit/display/notify.ts';
import { errorText } from '../kit/display/storageNotice.ts';
import { describeExplanation } from '../kit/explanationWords.ts';
import { runCommand } from '../kit/manifest/contributions.ts';
import { getActionLabel, runAction } from '../kit/noticeActions.ts';
import { plannedSpending, type SpendingSources } from './plannedSpending.ts';
import { decideUnpriced, isUnpricedUndecided, type ReadLimits } from './spendingLimits.ts';
import { amountWords, resetWords, usedWords } from './spendingWords.ts';

interface SpendingCounterOptions {
  readonly openStore: () => Promise<SpendingStore>;
  readonly limits: () => ReadLimits;
  readonly sources: (gateway: Gateway) => SpendingSources;
  readonly log: Log;
}

/** Counts all requests of the extension that may cost money, and refuses a request that exceeds a limit. */
export class SpendingCounter {
  readonly #options: SpendingCounterOptions;
  readonly #pending = new Set<Promise<void>>();
  /** The requests in progress, by their ids. */
  readonly #reserved = new Map<string, PlannedSpending>();
  #store: Promise<SpendingStore> | undefined;
  /** Whether the user is being prompted about requests without a price. */
  #isPromptOpen = false;

  constructor(options: SpendingCounterOptions) {
    this.#options = options;
  }

  /** Why all requests are refused, if the setting is invalid; otherwise undefined. */
  get problem(): string | undefined {
    const read = this.#options.limits();
    return 'problem' in read ? describeExplanation(read.problem) : undefined;
  }

  /** The current use of the limits. */
  async uses(): Promise<readonly LimitUse[]> {
    const read = this.#options.limits();
    if ('problem' in read || read.limits.length === 0) return [];
    return this.#inStore((store) => store.readUses(read.limits));
  }

  /** Increases a limit for the rest of today. */
  async increase(limit: SpendingLimit, by: number): Promise<void> {
    await this.#inStore((store) => store.increase(limit, by));
  }

  /**
   * Counts a request with the maximum that it may spend.
   *
   * @throws {GatewayError} if a limit refuses it
   */
  async reserve(gateway: Gateway, request: PaidRequest): Promise<SpendingReservation> {
    const { limits: readLimits, sources, log } = this.#options;
    const read = readLimits();
    if ('problem' in read) throw refusalError(request, read.problem, 'not-counted');
    const { limits } = read;
    const spending = plannedSpending(request, sources(gateway));
    const initiator = request.kind === 'task' ? 'videos' : (request.initiator ?? 'chats');
    const planned = {
      // Without the address, so that a new address of the gateway does not reset its limits.
      gateway: buildMemoryKey(gateway),
      initiator,
      least: spending.minimum,
      most: spending.maximum,
    };
    const id = randomUUID();
    const task = request.kind === 'task' ? { id: request.requestId } : undefined;
    let refused: RefusedSpending | undefined;
    try {
      refused = await this.#inStore((store) => store.reserve(id, planned, limits, task));
    } catch (error) {
      log.error('http', `could not count a request: ${errorMessage(error)}`);
      if (limits.length === 0) return { settle() {} };
      throw refusalError(
        request,
        explain('spending-not-counted', { cause: errorText(error) }),
        'not-counted',
      );
    }
    if (refused) throw this.#refuse(request, planned, refused);
    this.#reserved.set(id, planned);
    return {
      settle: (reply?: PaidReply) => {
        if (!this.#reserved.delete(id)) return;
        const spent = reply && spending.reported(reply);
        this.#track(this.#count((store) => store.settle(id, spent, planned)));
      },
    };
  }

  /**
   * Counts the end of a task in the background. A failed task may not be billed.
   *
   * @param requestId X-Request-Id of the request that created it
   */
  taskEnded(requestId: string, { status, raw }: TaskSnapshot): void {
    const { costUsd } = readDurationAndCost(raw);
    const ended = { isFailed: status === 'failed', ...(costUsd !== undefined && { costUsd }) };
    this.#track(this.#count((store) => store.settleTask(requestId, ended)));
  }

  /** Resolves when all ended requests are counted. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Counts the maximum of the requests in progress, so that other windows do not wait for them. Closes the store. */
  async close(): Promise<void> {
    for (const [id, planned] of this.#reserved)
      this.#track(this.#count((store) => store.settle(id, planned.most, planned)));
    this.#reserved.clear();
    await this.settled();
    (await this.#store)?.close();
  }

  async #inStore<Result>(useStore: (store: SpendingStore) => Result): Promise<Result> {
    this.#store ??= this.#options.openStore();
    const store = await this.#store;
    return retryWhileBusy(() => useStore(store));
  }

  #track(counted: Promise<void>): void {
    this.#pending.add(counted);
    void counted.finally(() => this.#pending.delete(counted));
  }

  /** Stores the end of a request or task, and notifies the user of limits that are almost reached. Never rejects. */
  async #count(change: (store: SpendingStore) => void): Promise<void> {
    const { limits, log } = this.#options;
    try {
      await this.#inStore(change);
      const read = limits();
      if ('problem' in read || read.limits.length === 0) return;
      const nearLimits = await this.#inStore((store) => store.takeNotices(read.limits));
      for (const use of nearLimits) void this.#notifyNearLimit(use);
    } catch (error) {
      // The maximum of the request still counts.
      log.error('http', `could not count a reply: ${errorMessage(error)}`);
    }
  }

  async #notifyNearLimit(use: LimitUse): Promise<void> {
    const { limit, used, allowed } = use;
    const facts = [limit.name, usedWords(use), amountWords(limit, allowed), resetWords(use)];
    const text =
      used < allowed
        ? vscode.l10n.t(
            'The spending limit “{0}” is almost reached: {1} of {2} is used. It resets on {3}.',
            ...facts,
          )
        : vscode.l10n.t(
            'The spending limit “{0}” is reached: {1} of {2} is used. It resets on {3}.',
            ...facts,
          );
    const [raise, open] = [getActionLabel('raise-limit'), getActionLabel('open-limits')];
    const chosen = await notify('warning', text, raise, open);
    if (chosen === raise) await runCommand('raiseSpendingLimit', limit);
    else if (chosen === open) await runAction('open-limits');
  }

  #refuse(request: PaidRequest, planned: PlannedSpending, { use, reason }: RefusedSpending): GatewayError {
    if (reason === 'unpriced') {
      void this.#promptForUnpriced(request.model, use.limit);
      return refusalError(
        request,
        explain('spending-price-unknown', { limit: use.limit.name }),
        'unknown-price',
      );
    }
    const { limit, allowed } = use;
    const unit = limit.currency === undefined ? 'tokens' : 'amount';
    const { least, most } = planned;
    const needed = amountWords(limit, (reason === 'reserved' ? most[unit] : least[unit]) ?? 0);
    const facts = {
      limit: limit.name,
      used: usedWords(use),
      allowed: amountWords(limit, allowed),
      resets: resetWords(use),
    };
    switch (reason) {
      case 'reached':
        return refusalError(request, explain('spending-limit-reached', facts));
      case 'reserved':
        return refusalError(request, explain('spending-limit-reserved', { ...facts, needed }));
      case 'too-large':
        return refusalError(request, explain('spending-limit-too-small', { ...facts, needed }));
    }
  }

  /** Lets the user decide once about requests without a price. Until then, they are refused. Never rejects. */
  async #promptForUnpriced(model: string | undefined, { name }: SpendingLimit): Promise<void> {
    if (this.#isPromptOpen || !isUnpricedUndecided()) return;
    this.#isPromptOpen = true;
    const text = vscode.l10n.t(
      'The price of {0} is unknown, so the spending limit “{1}” cannot count its requests in money. Allow requests without a price? Their tokens are counted, and the limit then shows “at least”.',
      model ?? vscode.l10n.t('the model'),
      name,
    );
    const [allow, refuse] = [vscode.l10n.t('Allow'), vscode.l10n.t('Refuse')];
    try {
      const chosen = await notify('warning', text, allow, refuse);
      if (chosen !== undefined) await decideUnpriced(chosen === allow ? 'allow' : 'refuse');
    } catch (error) {
      this.#options.log.error('http', `could not store the decision: ${errorMessage(error)}`);
    } finally {
      this.#isPromptOpen = false;
    }
  }
}

/** The failure of a request that was not sent. */
function refusalError(
  { requestId, requestedAt }: PaidRequest,
  explanation: Explanation,
  reason?: FailureReason,
): GatewayError {
  return new GatewayError({
    kind: 'spending-limit',
    explanation,
    requestId,
    requestedAt,
    wasSent: false,
    ...(reason && { reason }),
  });
}
