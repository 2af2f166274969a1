import assert from 'node:assert/strict';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decode.ts';
import { gatewayRecords } from './gatewayRecords.ts';
import { providerRecords } from './providerRecords.ts';

describe('the task record of', () => {
  for (const [system, record, told] of [...gatewayRecords, ...providerRecords]) {
    it(system, () => {
      const { id, status, failedAs, progress, results, error, raw } = decodeTask(record);
      const { urls = [], message, code, ...rest } = told;
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
