import assert from 'node:assert/strict';
import type { KeptFailures } from '../../../src/requests/keptFailures.ts';
import { RequestHistory } from '../../../src/requests/requestHistory.ts';
import type { RequestFigures } from '../../../src/requests/requestRecord.ts';
import { record } from '../../support/requestRecords.ts';

/** Keeps nothing. */
const nothing: Pick<KeptFailures, 'keep' | 'clear' | 'get'> = {
  keep: () => {},
  clear: async () => {},
  get: async () => undefined,
};

function served(requestId: string, requestedAt: number): RequestFigures {
  const { figures } = record({ requestId, requestedAt: new Date(requestedAt) });
  return { ...figures, id: `served ${requestId}`, caller: '' };
}

describe('what the local gateway served to other programs', () => {
  const history = () => new RequestHistory(nothing as KeptFailures);
  const ids = (known: RequestHistory) => known.recent.map(({ id }) => id);

  it('stands among the requests of the window, newest first', () => {
    const known = history();
    const own = record({ requestId: 'own', requestedAt: new Date(2000) });
    known.add(own);
    known.addServed(served('older', 1000));
    known.addServed(served('newer', 3000));
    assert.deepEqual(ids(known), ['served newer', own.figures.id, 'served older']);
    assert.equal(known.find('served older')?.caller, '');
  });

  it('holds no request of the window a second time, whichever is told first', () => {
    const known = history();
    known.addServed(served('own', 2000));
    const own = record({ requestId: 'own', requestedAt: new Date(2000) });
    known.add(own);
    assert.deepEqual(ids(known), [own.figures.id]);
  });

  it('takes no room from the requests of the window, and is forgotten with them', async () => {
    const known = history();
    const own = record({ requestId: 'own', requestedAt: new Date(1) });
    known.add(own);
    for (let nth = 0; nth < 1000; nth++) known.addServed(served(`${nth}`, 10 + nth));
    assert.equal(known.recent.length, 201);
    assert.ok(ids(known).includes(own.figures.id));
    await known.clear();
    assert.deepEqual(known.recent, []);
  });
});
