import { formatLocalDate } from '../../base/localDate.ts';

/** A limit of costs or tokens in a day or a month. */
export interface SpendingLimit {
  readonly name: string;
  readonly per: 'day' | 'month';
  /** In billionths of the currency, or in tokens. */
  readonly allowed: number;
  /** An ISO 4217 code; absent for a limit of tokens. */
  readonly currency?: string;
  /** Only requests to this gateway count. */
  readonly gateway?: string;
  /** Only requests of this initiator count. */
  readonly initiator?: string;
  /** Whether requests with an unknown cost in this currency are allowed. The limit then counts only known costs. */
  readonly allowsUnpriced?: boolean;
}

/** An amount in a currency and a number of tokens. */
export interface SpentAmount {
  /** In billionths of the currency; absent if it is unknown. */
  readonly amount?: number;
  /** Absent if `amount` is absent. */
  readonly currency?: string;
  readonly tokens: number;
}

/** The possible spending of a request before it is sent. */
export interface PlannedSpending {
  readonly gateway: string;
  readonly initiator: string;
  /** The certain cost. */
  readonly least: SpentAmount;
  /** The known maximum. It counts until the request is settled. */
  readonly most: SpentAmount;
}

/** The use of a limit in the current period. Amounts are in the unit of the limit. */
export interface LimitUse {
  readonly limit: SpendingLimit;
  /** The amount of the requests that have ended, and of the requests whose end will never be known. */
  readonly used: number;
  /** The part of `used` for failed tasks whose costs were not reported. They may not be billed. */
  readonly failed: number;
  /** The sum of the maximums of the requests in progress. */
  readonly reserved: number;
  /** The allowed amount, including an increase for today. */
  readonly allowed: number;
  /** The number of requests whose cost is unknown in the currency of the limit. */
  readonly unpriced: number;
  /** When the next period begins, in milliseconds since 1970. */
  readonly resetsAt: number;
}

/**
 * Why a limit refuses a request. `reserved`: requests in progress may use the rest. `too-large`: the rest is too
 * small. `unpriced`: the cost is unknown in the currency of the limit.
 */
type LimitRefusal = 'reached' | 'reserved' | 'too-large' | 'unpriced';

const billion = 1e9;
/** The largest amount of one request. Sums of such amounts are still integers. */
const maxAmount = 1e15;
const maxTokens = 1e12;

/** Converts an amount of money; undefined if it is not valid. An amount above 0 never becomes 0. */
export function toBillionths(money: number | undefined): number | undefined {
  if (money === undefined || !Number.isFinite(money) || money < 0) return undefined;
  return money === 0 ? 0 : Math.min(maxAmount, Math.max(1, Math.round(money * billion)));
}

export function fromBillionths(amount: number): number {
  return amount / billion;
}

/** Rounds a number of tokens up; undefined if it is not valid. */
export function toValidTokens(tokens: number | undefined): number | undefined {
  if (tokens === undefined || !Number.isFinite(tokens) || tokens < 0) return undefined;
  return Math.min(maxTokens, Math.ceil(tokens));
}

/**
 * Creates the spent amount of a request. An invalid number of tokens counts as the maximum, never as 0.
 *
 * @param money undefined if the cost is unknown
 */
export function toSpentAmount(money: number | undefined, tokens: number, currency = 'USD'): SpentAmount {
  const amount = toBillionths(money);
  const validTokens = toValidTokens(tokens) ?? maxTokens;
  return amount === undefined ? { tokens: validTokens } : { amount, currency, tokens: validTokens };
}

/** Caches and discounts reduce a cost less than to this part. A lower one is in another unit, or a placeholder. */
const leastShare = 1 / 100;

/**
 * Whether a reported cost can be the charge.
 *
 * @param expected the cost by the known price; undefined if there is none
 */
export function isPlausibleCost(reported: number, expected: number | undefined): boolean {
  return reported >= (expected ?? 0) * leastShare;
}

/**
 * Finds the first local day of the period that contains a time, and the beginning of the next period.
 *
 * @param time in milliseconds since 1970
 */
export function findPeriod(
  per: SpendingLimit['per'],
  time: number,
): { readonly from: string; readonly resetsAt: number } {
  const date = new Date(time);
  const [year, month] = [date.getFullYear(), date.getMonth()];
  if (per === 'day')
    return { from: formatLocalDate(date), resetsAt: new Date(year, month, date.getDate() + 1).getTime() };
  return {
    from: formatLocalDate(new Date(year, month, 1)),
    resetsAt: new Date(year, month + 1, 1).getTime(),
  };
}

/** Identifies a limit. Limits that differ only in their names are the same limit. */
export function limitKey({ per, allowed, currency, gateway, initiator }: SpendingLimit): string {
  return JSON.stringify([per, allowed, currency ?? 'tokens', gateway ?? null, initiator ?? null]);
}

/** Whether a limit counts the requests of this gateway and initiator. */
export function appliesTo(
  { gateway, initiator }: SpendingLimit,
  request: Pick<PlannedSpending, 'gateway' | 'initiator'>,
): boolean {
  return (
    (gateway === undefined || gateway === request.gateway) &&
    (initiator === undefined || initiator === request.initiator)
  );
}

/**
 * Decides whether a limit refuses a request. A single request needs only room for its certain cost, because
 * few requests use their maximum. With other requests in progress, there must be room for all the maximums.
 */
export function findLimitRefusal(use: LimitUse, { least, most }: PlannedSpending): LimitRefusal | undefined {
  const { limit, used, reserved, allowed } = use;
  const { currency } = limit;
  if (currency !== undefined && (most.amount === undefined || most.currency !== currency)) {
    if (!limit.allowsUnpriced) return 'unpriced';
    return used >= allowed ? 'reached' : undefined;
  }
  const [needed, maximum] =
    currency === undefined ? [least.tokens, most.tokens] : [least.amount ?? 0, most.amount ?? 0];
  if (maximum === 0) return undefined;
  if (used >= allowed) return 'reached';
  if (reserved > 0) return used + reserved + maximum > allowed ? 'reserved' : undefined;
  return used + needed > allowed ? 'too-large' : undefined;
}
