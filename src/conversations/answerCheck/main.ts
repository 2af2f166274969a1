import { parentPort } from 'node:worker_threads';
import { serveRequests } from '../../storage/worker/serveRequests.ts';
import { checkAnswer, jsonIn } from './checkAnswer.ts';
import type { CheckRequests } from './checkResult.ts';
import { offsetsOf, schemaProblem } from './readSchema.ts';

// The program of the thread that checks answers, apart from that of the chats: a schema may keep it busy for ever, and
// then it is ended.
if (parentPort) {
  serveRequests<CheckRequests>(parentPort, {
    begin: async () => undefined,
    check: async ({ text, schema }) => checkAnswer(text, schema),
    readSchema: async (text) => schemaProblem(text),
    locate: async ({ text, path }) => {
      const { json, begin } = jsonIn(text);
      const found = offsetsOf(json, path);
      return found && { start: begin + found.start, end: begin + found.end };
    },
  });
}
