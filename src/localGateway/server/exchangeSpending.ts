import { fromBillionths, type SpentAmount } from '../../storage/spending/spendingLimit.ts';
import type { RequestSpending, SpendingCall } from '../upstreams/upstream.ts';
import type { GatewaySpending } from './gatewaySpending.ts';
import type { ExchangeCost, PlannedCall, ReplySize } from './plannedCall.ts';
import { computeSpentAmount } from './replyCost.ts';

type CallReservation = Awaited<ReturnType<RequestSpending['reserve']>>;

interface SentCall {
  readonly id: string | undefined;
  readonly planned: PlannedCall;
  state: 'sent' | 'replied' | 'settled';
}

/** Counts the requests of one exchange. An alias may send several requests. */
export class ExchangeSpending implements RequestSpending {
  readonly #spending: GatewaySpending;
  readonly #credential: string;
  readonly #sent: SentCall[] = [];
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
   * @param size of the reply
   * @returns the costs of all these requests
   */
  end(size: ReplySize): readonly ExchangeCost[] {
    this.#hasEnded = true;
    const replied = this.#sent.filter(({ state }) => state === 'replied');
    return replied.flatMap((each) => {
      const { planned, id } = each;
      const { gateway: upstream, model, most, isTask, isVideo } = planned;
      const spent = each === replied.at(-1) ? computeSpentAmount(planned, size) : most;
      this.#settle(each, spent);
      // The record of the task will report its tokens.
      if (id !== undefined && isTask && !isVideo && spent === most) return [];
      return { upstream, model, usd: spent.amount === undefined ? undefined : fromBillionths(spent.amount) };
    });
  }

  #addCall(id: string | undefined, planned: PlannedCall): CallReservation {
    const sentCall: SentCall = { id, planned, state: 'sent' };
    this.#sent.push(sentCall);
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
