import { parentPort, workerData } from 'node:worker_threads';
import { serveRequests } from '../../storage/worker/requestWorker.ts';
import { createFailureHandlers } from '../failureStore.ts';

// The program of the worker thread, which reads and writes the file of failures.
if (parentPort) serveRequests(parentPort, createFailureHandlers(workerData));
