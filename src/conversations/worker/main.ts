import { parentPort, workerData } from 'node:worker_threads';
import { requestHandlers } from './requestHandlers.ts';
import { serveRequests } from './serveRequests.ts';

// The program of the worker thread: whatever would keep the extension host waiting runs here.
if (parentPort) serveRequests(parentPort, requestHandlers(workerData));
