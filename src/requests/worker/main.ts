import { parentPort, workerData } from 'node:worker_threads';
import { serveRequests } from '../../storage/worker/serveRequests.ts';
import { failureHandlers } from '../failureRequests.ts';

// The program of the worker thread, where the file of failures is read and written.
if (parentPort) serveRequests(parentPort, failureHandlers(workerData));
