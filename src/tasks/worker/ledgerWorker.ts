import type { UpkeepRequests } from '../../storage/upkeep/upkeepRequests.ts';
import { RequestWorker } from '../../storage/worker/requestWorker.ts';

/** The start data of the worker. */
export interface LedgerFile {
  /** The path of the ledger. The worker opens it by itself. */
  readonly file: string;
}

/** The worker of a window that maintains the ledger's file. Its thread starts with the first request. */
export class LedgerWorker extends RequestWorker<UpkeepRequests> {
  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, ledger: LedgerFile) {
    super({ program, data: ledger });
  }
}
