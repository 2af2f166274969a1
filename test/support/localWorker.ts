import type { Database } from '../../src/storage/database.ts';
import { createUpkeepHandlers } from '../../src/storage/upkeep/upkeepRequests.ts';

type Handlers = ReturnType<typeof createUpkeepHandlers>;
type Handler = (argument: unknown) => Promise<unknown>;

/** Creates a worker for the upkeep of a database that runs in this thread, so that its calls can fail too. */
export function createLocalWorker(open: () => Database): {
  request(...args: readonly unknown[]): Promise<never>;
} {
  const handlers = createUpkeepHandlers(open) as Handlers as unknown as Readonly<Record<string, Handler>>;
  return {
    request: async (kind, argument) => {
      const handler = handlers[String(kind)];
      if (!handler) throw new TypeError(`The worker of the test does not do ${String(kind)}.`);
      return (await handler(argument)) as never;
    },
  };
}
