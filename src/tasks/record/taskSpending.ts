/** The numbers of recently sent requests that may cost money. */
export interface Spending {
  readonly inLastHour: number;
  readonly inLastDay: number;
}

/** The price of one unit, from the gateway or from the user. */
export interface Price {
  readonly perRequest?: number;
  /** For each second of the result. */
  readonly perSecond?: number;
  /** An ISO 4217 code, such as USD. */
  readonly currency: string;
}

/** The requests of one day, model and gateway, with costs in one currency from one kind of source. */
export interface TaskUsage {
  /** The day of the submission in the local time zone, as `2030-01-31`. */
  readonly day: string;
  readonly model?: string;
  readonly gateway: string;
  readonly gatewayName: string;
  /** An ISO 4217 code, such as USD; absent if the cost is unknown. */
  readonly currency?: string;
  /** Whether the gateway reported the cost. Otherwise it is an estimate. */
  readonly isCharged: boolean;
  /** The sum of the known costs, without failed tasks. */
  readonly cost: number;
  readonly tasks: number;
  readonly failed: number;
  /** The sum of the known lengths, without failed tasks. */
  readonly seconds: number;
  readonly withoutSeconds: number;
}

/** `confirm`: unusually many, so the user must confirm the number. `too-many`: above the user's daily limit. */
type SpendingReview = 'fine' | 'confirm' | 'too-many';

const maxAtOnce = 4;
const maxInAnHour = 20;
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/**
 * Decides whether one click may send this number of requests.
 *
 * @param dailyLimit the largest number of requests in 24 hours; 0 means no limit
 */
export function reviewSpending(count: number, spending: Spending, dailyLimit: number): SpendingReview {
  if (dailyLimit > 0 && spending.inLastDay + count > dailyLimit) return 'too-many';
  return count > maxAtOnce || spending.inLastHour + count > maxInAnHour ? 'confirm' : 'fine';
}

/**
 * Computes the price of `count` requests together; undefined if it is unknown.
 *
 * @param seconds length of each result, if the request has it
 */
export function computeTotalPrice(
  { perRequest, perSecond }: Price,
  count: number,
  seconds: number | undefined,
): number | undefined {
  if (perSecond === undefined) return perRequest === undefined ? undefined : perRequest * count;
  if (seconds === undefined) return undefined;
  return ((perRequest ?? 0) + perSecond * seconds) * count;
}
