import assert from 'node:assert/strict';
import type { FailureWorker } from '../../../src/requests/failureWorker.ts';
import { RequestHistory } from '../../../src/requests/requestHistory.ts';
import type { RequestFigures } from '../../../src/requests/requestRecord.ts';
import { createRecord } from '../../support/requestRecords.ts';

/** Does not store anything. */
const emptyStore: Pick<FailureWorker, 'store' | 'clear' | 'get'> = {
  store: () => {},
  clear: async () => {},
  get: async () => undefined,
};

function createServed(requestId: string, requestedAt: number): RequestFigures {
  const { figures } = createRecord({ requestId, requestedAt: new Date(requestedAt) });
  return { ...figures, id: `served ${requestId}`, caller: '' };
}

describe('requests that the local gateway served to other programs', () => {
  const history = () => new RequestHistory(emptyStore as FailureWorker);
  const ids = (known: RequestHistory) => known.recent.map(({ id }) => id);

  it('are listed among the requests of the window, newest first', () => {
    const known = history();
    const own = createRecord({ requestId: 'own', requestedAt: new Date(2000) });
    known.add(own);
    known.addServed(createServed('older', 1000));
    known.addServed(createServed('newer', 3000));
    assert.deepEqual(ids(known), ['served newer', own.figures.id, 'served older']);
    assert.equal(known.find('served older')?.caller, '');
  });

  it('are not listed a second time when the window sent them itself', () => {
    const known = history();
    known.addServed(createServed('own', 2000));
    const own = createRecord({ requestId: 'own', requestedAt: new Date(2000) });
    known.add(own);
    assert.deepEqual(ids(known), [own.figures.id]);
  });

  it('do not displace requests of the window, and are cleared together with them', async () => {
    const known = history();
    const own = createRecord({ requestId: 'own', requestedAt: new Date(1) });
    known.add(own);
    for (let nth = 0; nth < 1000; nth++) known.addServed(createServed(`${nth}`, 10 + nth));
    assert.equal(known.recent.length, 201);
    assert.ok(ids(known).includes(own.figures.id));
    await known.clear();
    assert.deepEqual(known.recent, []);
  });
});
