import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { slowFiles, splitIntoLanes } from '../../scripts/testLanes.mjs';

describe('the parallel runs of tests', () => {
  it('contain each file once', () => {
    const files = globSync('test/{unit,ui}/**/*.test.ts').toSorted();
    const lanes = splitIntoLanes('all', files, 3);
    assert.deepEqual(
      lanes.map(({ name }) => name),
      ['all-0', 'all-1', 'all-2'],
    );
    assert.deepEqual(lanes.flatMap((lane) => lane.files).toSorted(), files);
  });

  it('are omitted if they have no files', () => {
    assert.deepEqual(splitIntoLanes('one', ['test/unit/testLanes.test.ts']), [
      { name: 'one-0', files: ['test/unit/testLanes.test.ts'], cost: 1 },
    ]);
  });

  it('assign costs only to files that exist', () => {
    const missing = Object.keys(slowFiles).filter((name) => !existsSync(`test/${name}.test.ts`));
    assert.deepEqual(missing, []);
  });
});
