import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../database.ts';
import { serveRequests } from '../worker/serveRequests.ts';
import { upkeepHandlers } from './upkeepRequests.ts';

// The program of a worker thread that keeps the file of a database in order, while a window uses it.
if (parentPort)
  serveRequests(
    parentPort,
    upkeepHandlers(() => openDatabase(workerData)),
  );
