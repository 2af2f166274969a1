/** How many requests that may be billed were sent of late. */
export interface Spending {
  readonly inLastHour: number;
  readonly inLastDay: number;
}

/** What one unit costs, as the gateway or the user tells it. */
export interface Price {
  readonly perRequest?: number;
  /** For each second of what is made. */
  readonly perSecond?: number;
  /** ISO 4217, such as USD. */
  readonly currency: string;
}

/** `ask`: unusually many, so the user confirms the number. `too-many`: beyond the user's own daily limit. */
export type SpendingReview = 'fine' | 'ask' | 'too-many';

const mostAtOnce = 4;
const mostInAnHour = 20;
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/**
 * Whether so many requests may go by this one click.
 *
 * @param dailyLimit most requests in 24 hours; 0 for any number
 */
export function reviewSpending(count: number, spending: Spending, dailyLimit: number): SpendingReview {
  if (dailyLimit > 0 && spending.inLastDay + count > dailyLimit) return 'too-many';
  return count > mostAtOnce || spending.inLastHour + count > mostInAnHour ? 'ask' : 'fine';
}

/**
 * What `count` requests cost together; undefined where that cannot be told.
 *
 * @param seconds length of what each makes, where the request says it
 */
export function totalPrice(
  { perRequest, perSecond }: Price,
  count: number,
  seconds: number | undefined,
): number | undefined {
  if (perSecond === undefined) return perRequest === undefined ? undefined : perRequest * count;
  if (seconds === undefined) return undefined;
  return ((perRequest ?? 0) + perSecond * seconds) * count;
}
