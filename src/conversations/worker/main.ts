import { parentPort, workerData } from 'node:worker_threads';
import { serveRequests } from '../../storage/worker/requestWorker.ts';
import { createRequestHandlers } from './requestHandlers.ts';

// The program of the worker thread, for work that would block the extension host.
const port = parentPort;
if (port)
  serveRequests(
    port,
    createRequestHandlers(workerData, (notice) => port.postMessage({ type: 'notice', notice })),
  );
