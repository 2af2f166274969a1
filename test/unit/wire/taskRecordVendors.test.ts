import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { gatewayRecords } from './gatewayRecords.ts';
import { providerRecords } from './providerRecords.ts';

/** A record of `test/fixtures/taskRecords.jsonl`, and its meaning. */
interface FixtureRecord {
  readonly system: string;
  readonly record: unknown;
  readonly expected: object;
}

const fixtures = readFileSync('test/fixtures/taskRecords.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as FixtureRecord);

describe('a task record', () => {
  for (const { system, record, expected } of fixtures) {
    it(`of ${system} in taskRecords.jsonl is decoded to the expected task`, () => {
      const { id, status, failedAs, progress, results, error, finishedAt, expiresAt } = decodeTask(record);
      const { message, code } = error ?? {};
      const urls = results.length > 0 ? { urls: results.map(({ url }) => url) } : {};
      const read = { id, status, failedAs, progress, ...urls, message, code, finishedAt, expiresAt };
      assert.deepEqual(JSON.parse(JSON.stringify(read)), expected);
    });
  }

  for (const [system, record, expected] of [...gatewayRecords, ...providerRecords]) {
    it(`of ${system} is decoded to the expected task`, () => {
      const { id, status, failedAs, progress, results, error, raw } = decodeTask(record);
      const { urls = [], message, code, ...rest } = expected;
      assert.deepEqual(
        { id, status, failedAs, progress },
        { id: undefined, failedAs: undefined, progress: undefined, ...rest },
      );
      assert.deepEqual(
        results.map((result) => result.url),
        urls,
      );
      assert.deepEqual(error ?? {}, { ...(message && { message }), ...(code && { code }) });
      assert.equal(raw, record);
    });
  }
});
