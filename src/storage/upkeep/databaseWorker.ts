import type { DatabaseOptions } from '../database.ts';
import { RequestWorker } from '../worker/requestWorker.ts';
import type { UpkeepRequests } from './upkeepRequests.ts';

/** A worker that keeps the file of one database in order. Its thread starts when it is first asked. */
export class DatabaseWorker extends RequestWorker<UpkeepRequests> {
  /** @param program the path of the bundle of `main.ts` */
  constructor(
    program: string,
    { path, migrations, plan }: Pick<DatabaseOptions, 'path' | 'migrations' | 'plan'>,
  ) {
    super({ program, data: { path, migrations, plan } });
  }
}
