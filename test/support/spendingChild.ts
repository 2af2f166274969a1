/**
 * A window in its own process, for tests that kill it. It sends requests of one dollar to its parent's server, each
 * after it was counted in the file. Arguments: the file, the address of the server, the limit in dollars, the
 * number of requests, and the credential of a local gateway, which then gets them as chat completions.
 */
import { randomUUID } from 'node:crypto';
import { retryWhileBusy } from '../../src/storage/retryWhileBusy.ts';
import { toBillionths } from '../../src/storage/spending/spendingLimit.ts';
import { SpendingStore } from '../../src/storage/spending/spendingStore.ts';

const [file = '', address = '', allowed = '10', count = '50', credential] = process.argv.slice(2);
const store = new SpendingStore(file, Date.now);
const limit = {
  name: 'day',
  per: 'day',
  allowed: toBillionths(Number(allowed)) ?? 0,
  currency: 'USD',
} as const;
const dollar = { amount: toBillionths(1) ?? 0, currency: 'USD', tokens: 1 };
const request = { gateway: 'g', initiator: 'chats', least: dollar, most: dollar };

process.on('disconnect', () => process.exit());
await Promise.all(Array.from({ length: Number(count) }, sendRequest));
process.disconnect();

async function sendRequest(): Promise<void> {
  const id = randomUUID();
  if (await retryWhileBusy(() => store.reserve(id, request, [limit]))) return;
  await fetch(address, {
    method: 'POST',
    ...(credential !== undefined && {
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [], max_tokens: 1_000 }),
    }),
  }).catch(() => {});
  await retryWhileBusy(() => store.settle(id, dollar, request));
}
