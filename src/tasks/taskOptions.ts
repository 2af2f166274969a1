import type { StorageNotice } from '../storage/followHealth.ts';
import type { GatewayError } from '../wire/failures/gatewayError.ts';
import type { GatewayAccess } from './gatewayAccess.ts';
import type { LedgerOptions } from './ledger/ledger.ts';
import type { PollOptions } from './polling/pollPauses.ts';
import type { LedgerWorker } from './worker/ledgerWorker.ts';

/** The log of tasks. Its implementation hides credentials. */
interface TaskLog {
  info(topic: 'task', message: string): void;
  warn(topic: 'task', message: string): void;
  error(topic: 'task', message: string): void;
}

/** A storage problem that is reported to the user. While the ledger is read-only, tasks cannot be created. */
export type LedgerNotice =
  | StorageNotice
  /** The task was created, but its id is only in memory. Writing it is retried. */
  | { readonly type: 'id-unsaved'; readonly taskId: string }
  /** The outcome of a task could not be stored. Writing it is retried. */
  | { readonly type: 'not-written'; readonly error: unknown }
  /** A request was not sent, because its task could not be stored first. */
  | { readonly type: 'not-sent'; readonly error: unknown };

export interface TaskOptions {
  /** Path of the ledger. */
  readonly file: string;
  readonly resultsFolder: () => string;
  readonly pollOptions: () => PollOptions;
  readonly gateways: GatewayAccess;
  /** Does slow work on the ledger's file. Without a worker, this thread does it. */
  readonly worker?: Pick<LedgerWorker, 'request'>;
  readonly log: TaskLog;
  /** See `LedgerOptions`. */
  readonly onEnd?: LedgerOptions['onEnd'];
  readonly onNotice: (notice: LedgerNotice) => void;
}

/** A gateway refused the credential. */
export interface Pause {
  /** The user's name of the gateway. */
  readonly gatewayName: string;
  readonly error: GatewayError;
}
