import assert from 'node:assert/strict';
import { OpenExchanges } from '../../../../src/localGateway/server/guardedServer.ts';
import type { ServedExchange } from '../../../../src/localGateway/server/servedExchange.ts';

describe('the open exchanges of the gateway', () => {
  it('are aborted when the gateway ends, except ended ones', () => {
    const ended: number[] = [];
    const exchanges = Array.from(
      { length: 5 },
      (_, nth) => ({ place: 0, abort: () => void ended.push(nth) }) as unknown as ServedExchange,
    );
    const open = new OpenExchanges();
    for (const exchange of exchanges) open.add(exchange);
    for (const nth of [1, 4, 0]) open.delete(exchanges[nth] as ServedExchange);
    open.add(exchanges[1] as ServedExchange);
    open.abort(new Error('the gateway ends'));
    assert.deepEqual(ended.toSorted(), [1, 2, 3]);
  });
});
