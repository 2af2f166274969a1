import type { UpkeepRequests } from '../../storage/upkeep/upkeepRequests.ts';
import { RequestWorker } from '../../storage/worker/requestWorker.ts';

/** What the worker starts with. */
export interface LedgerFile {
  /** The path of the ledger, which the worker opens by itself. */
  readonly file: string;
}

/** The worker of a window that keeps the ledger's file in order. Its thread starts when it is first asked. */
export class LedgerWorker extends RequestWorker<UpkeepRequests> {
  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, ledger: LedgerFile) {
    super({ program, data: ledger });
  }
}
