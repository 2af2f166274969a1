import type { SpentAmount } from '../../storage/spending/spendingLimit.ts';
import type { CallReservation, RequestSpending, SpendingCall } from '../upstreams/upstream.ts';
import type { GatewaySpending, PlannedCall, ReplySize } from './gatewaySpending.ts';

/** The cost of an exchange in US dollars; undefined if it is unknown. */
export interface ExchangeCost {
  readonly usd: number | undefined;
}

interface SentCall {
  readonly id: string | undefined;
  readonly planned: PlannedCall;
  state: 'sent' | 'replied' | 'settled';
}

/** Counts the requests of one exchange. An alias may send several requests. */
export class ExchangeSpending implements RequestSpending {
  readonly #spending: GatewaySpending;
  readonly #credential: string;
  #sent: readonly SentCall[] = [];
  #hasEnded = false;

  /** @param credential the name of the caller's credential; empty for the user's own */
  constructor(spending: GatewaySpending, credential: string) {
    this.#spending = spending;
    this.#credential = credential;
  }

  get isLimited(): boolean {
    return this.#spending.isLimited;
  }

  reserve(call: SpendingCall): CallReservation | Promise<CallReservation> {
    const [spending, credential] = [this.#spending, this.#credential];
    if (!spending.isLimited) return this.#addCall(undefined, spending.plan(call, credential, false));
    return spending.reserve(call, credential).then(({ id, planned }) => this.#addCall(id, planned));
  }

  /**
   * Settles the request whose reply was sent to the caller. Other requests that may be billed count with their
   * maximum.
   *
   * @param size the properties of the reply
   * @returns undefined if no model replied
   */
  end(size: ReplySize): ExchangeCost | undefined {
    this.#hasEnded = true;
    const replied = this.#sent.filter(({ state }) => state === 'replied');
    const last = replied.pop();
    for (const each of replied) this.#settle(each, each.planned.most);
    if (!last) return undefined;
    const spent = this.#spending.computeSpent(last.planned, size);
    this.#settle(last, spent);
    return { usd: spent.amount === undefined ? undefined : spent.amount / 1e9 };
  }

  #addCall(id: string | undefined, planned: PlannedCall): CallReservation {
    const sentCall: SentCall = { id, planned, state: 'sent' };
    this.#sent = [...this.#sent, sentCall];
    return {
      settle: (mayBeBilled) => {
        if (!mayBeBilled) this.#settle(sentCall, undefined);
        else if (this.#hasEnded) this.#settle(sentCall, planned.most);
        else sentCall.state = 'replied';
      },
    };
  }

  #settle(sentCall: SentCall, spent: SpentAmount | undefined): void {
    sentCall.state = 'settled';
    if (sentCall.id !== undefined) this.#spending.settle(sentCall.id, sentCall.planned, spent);
  }
}
