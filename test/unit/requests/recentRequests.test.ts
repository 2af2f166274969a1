import assert from 'node:assert/strict';
import { RecentRequests } from '../../../src/requests/requestHistory.ts';
import { createRecord, createTranscript } from '../../support/requestRecords.ts';

describe('the recent requests of a window', () => {
  it('are listed newest first, 500 at most', () => {
    const recent = new RecentRequests();
    for (let nth = 1; nth <= 510; nth++) recent.add(createRecord({ requestId: `r${nth}` }));
    assert.equal(recent.all.length, 500);
    assert.deepEqual(
      [recent.all[0]?.figures.requestId, recent.all.at(-1)?.figures.requestId],
      ['r510', 'r11'],
    );
  });

  it('drop the bodies of older requests before they fill the memory', () => {
    const recent = new RecentRequests();
    const large = createTranscript('x'.repeat(20 * 1024 * 1024), []);
    for (let nth = 1; nth <= 5; nth++) recent.add(createRecord({ requestId: `r${nth}`, transcript: large }));
    assert.deepEqual(
      recent.all.map(({ figures, content }) => [figures.requestId, content() !== undefined]),
      [
        ['r5', true],
        ['r4', true],
        ['r3', true],
        ['r2', false],
        ['r1', false],
      ],
    );
  });
});
