import { isObject, type JsonObject } from '../../base/json.ts';
import { type SpendingLimit, toBillionths, toValidTokens } from '../../storage/spending/spendingLimit.ts';
import { type Explanation, explain } from '../../wire/explanations/explanation.ts';
import { buildMemoryKey, readIdentity } from '../connection/configuredGateway.ts';
import { type Gateways, isLocalName, localEntry } from '../connection/gateways.ts';
import { readSetting, writeSetting } from '../kit/manifest/settings.ts';
import { initiators, limitName } from './spendingWords.ts';

/** The user's limits, or why the setting cannot be read. */
export type ReadLimits =
  | { readonly limits: readonly SpendingLimit[] }
  /** No request may be sent, because an invalid limit must not be ignored. */
  | { readonly problem: Explanation };

/** Reads the setting `modelGateway.spendingLimits`. */
export function readSpendingLimits(gateways: Pick<Gateways, 'all'>): ReadLimits {
  const entries = readSetting<unknown>('spendingLimits') ?? [];
  if (!Array.isArray(entries)) return invalidSetting('not a list');
  const limits: SpendingLimit[] = [];
  for (const [index, entry] of entries.entries()) {
    const limit = readLimit(entry, gateways);
    if (typeof limit === 'string') return invalidSetting(`${index + 1}: ${limit}`);
    if ('id' in limit) return { problem: limit };
    limits.push(limit);
  }
  return { limits };
}

function invalidSetting(cause: string): ReadLimits {
  return { problem: explain('spending-limits-invalid', { cause }) };
}

/** Whether a limit in money lacks the user's decision about requests without a price. */
export function isUnpricedUndecided(): boolean {
  return readSettingEntries().some(isUndecided);
}

/** Stores the user's decision in all limits in money without a decision. */
export async function decideUnpriced(decision: 'allow' | 'refuse'): Promise<void> {
  const entries = readSettingEntries();
  await writeSetting(
    'spendingLimits',
    entries.map((entry) => (isUndecided(entry) ? { ...entry, unpriced: decision } : entry)),
  );
}

function readSettingEntries(): readonly unknown[] {
  const entries = readSetting<unknown>('spendingLimits');
  return Array.isArray(entries) ? entries : [];
}

function isUndecided(entry: unknown): entry is JsonObject {
  return isObject(entry) && entry.money !== undefined && entry.unpriced === undefined;
}

/** @returns the name of the invalid field, or a description of the problem */
function readLimit(entry: unknown, gateways: Pick<Gateways, 'all'>): SpendingLimit | string | Explanation {
  if (!isObject(entry)) return 'not an object';
  const { name, money, tokens, currency = 'USD', gateway, unpriced } = entry;
  const per = (['day', 'month'] as const).find((each) => each === entry.per);
  if (!per) return 'per';
  if ((money === undefined) === (tokens === undefined)) return 'money, tokens';
  const isMoney = money !== undefined;
  const amount = typeof money === 'number' ? toBillionths(money) : undefined;
  const count = typeof tokens === 'number' ? toValidTokens(tokens) : undefined;
  const allowed = isMoney ? amount : count;
  if (!allowed) return isMoney ? 'money' : 'tokens';
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/i.test(currency)) return 'currency';
  if (gateway !== undefined && typeof gateway !== 'string') return 'gateway';
  const initiator = initiators.find((each) => each === entry.for);
  if (entry.for !== undefined && (!initiator || (initiator === 'videos' && !isMoney))) return 'for';
  if (unpriced !== undefined && unpriced !== 'allow' && unpriced !== 'refuse') return 'unpriced';
  const key = gateway === undefined ? undefined : getGatewayKey(gateway, gateways);
  const limit = {
    per,
    allowed,
    ...(isMoney && { currency: currency.toUpperCase(), allowsUnpriced: unpriced === 'allow' }),
    ...(key !== undefined && { gateway: key }),
    ...(initiator && { initiator }),
  } as const;
  const ownName = typeof name === 'string' ? name.trim() : '';
  const shownName = ownName || limitName(limit, gateway, initiator);
  // A limit of an unknown gateway would count nothing.
  if (gateway !== undefined && key === undefined)
    return explain('spending-limit-of-unknown-gateway', { limit: shownName, gateway });
  return { ...limit, name: shownName };
}

/** The key of a gateway in the counts; undefined if there is no gateway with that name. */
function getGatewayKey(name: string, { all }: Pick<Gateways, 'all'>): string | undefined {
  if (isLocalName(name)) return buildMemoryKey(localEntry);
  const named = all.find((each) => each.name === name) ?? all.find((each) => readIdentity(each) === name);
  return named && buildMemoryKey(named);
}
