import { parentPort } from 'node:worker_threads';
import { serveRequests } from '../../storage/worker/requestWorker.ts';
import { checkReply, extractJson } from './checkReply.ts';
import type { CheckRequests } from './checkResult.ts';
import { findRange, findSchemaProblem } from './readSchema.ts';

// The program of the thread that checks replies. It is separate from the conversation worker because a schema may
// keep it busy forever, and then it is ended.
if (parentPort) {
  serveRequests<CheckRequests>(parentPort, {
    begin: async () => undefined,
    check: async ({ text, schema }) => checkReply(text, schema),
    readSchema: async (text) => findSchemaProblem(text),
    locate: async ({ text, path }) => {
      const { json, start } = extractJson(text);
      const range = findRange(json, path);
      return range && { start: start + range.start, end: start + range.end };
    },
  });
}
