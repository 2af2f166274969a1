import { parentPort, workerData } from 'node:worker_threads';
import { createUpkeepHandlers } from '../../storage/upkeep/upkeepRequests.ts';
import { serveRequests } from '../../storage/worker/requestWorker.ts';
import { openLedgerDatabase } from '../ledger/ledgerSchema.ts';

// The program of the worker thread, which does the slow work on the ledger's file. Its data is the path of the file.
if (parentPort) {
  const { file }: { readonly file: string } = workerData;
  serveRequests(
    parentPort,
    createUpkeepHandlers(() => openLedgerDatabase({ path: file })),
  );
}
