import { fromBillionths, type LimitUse, type SpendingLimit } from '../../storage/spending/spendingLimit.ts';
import type { RefusedSpending } from '../../storage/spending/spendingStore.ts';
import { doNotRetry, HttpError } from '../http/httpError.ts';
import type { FurtherModel } from './furtherModels.ts';
import type { PlannedCall } from './plannedCall.ts';

/** The time to wait for requests in progress, in seconds. */
const reservedWaitSeconds = 5;

/** The error for a request that a limit refuses. */
export function limitError(
  { use, reason }: RefusedSpending,
  { gateway, model, dearest, least, most, initiator }: PlannedCall,
  now: number,
): HttpError {
  if (reason === 'unpriced')
    return new HttpError({
      status: 403,
      message: `The price of ${describeUnpriced(dearest ?? { id: model, member: 'model' })} is unknown, so the spending limit ${use.limit.name} cannot count this request. Set "prices" of its upstream, or "unpriced": "allow" in the limit.`,
      type: 'invalid_request_error',
      code: 'unknown_price',
      headers: doNotRetry,
      neverSent: true,
    });
  const unit = use.limit.currency === undefined ? 'tokens' : 'amount';
  const needed = describeAmount(use.limit, (reason === 'reserved' ? most[unit] : least[unit]) ?? 0);
  const reasons = {
    reached: '',
    reserved: ` Requests in progress may use the rest, and this one may use ${needed}.`,
    'too-large': ` This request needs about ${needed}.`,
  };
  const seconds = reason === 'reserved' ? reservedWaitSeconds : Math.ceil((use.resetsAt - now) / 1000);
  const holder =
    use.limit.initiator !== undefined && initiator !== '' ? ` of the credential '${initiator}'` : '';
  return new HttpError({
    status: 429,
    message: `Nothing was sent to ${gateway}/${model.slice(0, 100)}: the spending limit${holder} ${describeUse(use)}.${reasons[reason]} It resets at ${formatResetTime(use)}.`,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    headers: { ...doNotRetry, 'retry-after': String(Math.max(1, seconds)) },
    neverSent: true,
  });
}

function describeUnpriced({ id, member }: FurtherModel): string {
  const name = id === '' ? 'a model' : `"${id.slice(0, 100)}"`;
  return member === 'model' ? name : `${name} in the field ${member.slice(0, 100)}`;
}

/** The use of a limit, and when it resets. */
export function formatUse(use: LimitUse): string {
  return `The spending limit ${describeUse(use)}. It resets at ${formatResetTime(use)}.`;
}

function describeUse(use: LimitUse): string {
  const { limit, used, failed, allowed, unpriced } = use;
  const prefix = unpriced > 0 ? 'at least ' : '';
  const ofFailed =
    failed > 0 ? ` (${describeAmount(limit, failed)} of it for failed tasks, which may not be billed)` : '';
  return `${limit.name}: ${prefix}${describeAmount(limit, used)} of ${describeAmount(limit, allowed)} used${ofFailed}`;
}

function describeAmount({ currency }: Pick<SpendingLimit, 'currency'>, amount: number): string {
  if (currency === undefined) return `${amount} tokens`;
  return `${Number(fromBillionths(amount).toPrecision(6))} ${currency}`;
}

function formatResetTime({ resetsAt }: LimitUse): string {
  const date = new Date(resetsAt);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
