import { parentPort, workerData } from 'node:worker_threads';
import { upkeepHandlers } from '../../storage/upkeep/upkeepRequests.ts';
import { serveRequests } from '../../storage/worker/serveRequests.ts';
import { openLedgerDatabase } from '../ledger/ledgerSchema.ts';
import type { LedgerFile } from './ledgerWorker.ts';

// The program of the worker thread, which does the slow work on the ledger's file.
if (parentPort) {
  const { file }: LedgerFile = workerData;
  serveRequests(
    parentPort,
    upkeepHandlers(() => openLedgerDatabase({ path: file })),
  );
}
