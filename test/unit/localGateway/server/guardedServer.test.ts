import assert from 'node:assert/strict';
import type { Exchange } from '../../../../src/localGateway/server/exchange.ts';
import { OpenExchanges } from '../../../../src/localGateway/server/guardedServer.ts';

describe('the exchanges under way', () => {
  it('are all ended with the gateway, and none that is over, in whatever order they ended', () => {
    const ended: number[] = [];
    const exchanges = Array.from(
      { length: 5 },
      (_, nth) => ({ place: 0, abort: () => void ended.push(nth) }) as unknown as Exchange,
    );
    const open = new OpenExchanges();
    for (const exchange of exchanges) open.add(exchange);
    for (const nth of [1, 4, 0]) open.delete(exchanges[nth] as Exchange);
    open.add(exchanges[1] as Exchange);
    open.abort(new Error('the gateway ends'));
    assert.deepEqual(ended.toSorted(), [1, 2, 3]);
  });
});
