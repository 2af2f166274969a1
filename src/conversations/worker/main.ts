import { parentPort, workerData } from 'node:worker_threads';
import { serveRequests } from '../../storage/worker/serveRequests.ts';
import { requestHandlers } from './requestHandlers.ts';

// The program of the worker thread: whatever would keep the extension host waiting runs here.
if (parentPort) serveRequests(parentPort, requestHandlers(workerData));
