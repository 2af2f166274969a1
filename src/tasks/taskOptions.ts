import type { GatewayClient } from '../client/gatewayClient.ts';
import type { StorageNotice } from '../storage/followHealth.ts';
import type { UpkeepRequests } from '../storage/upkeep/upkeepRequests.ts';
import type { RequestWorker } from '../storage/worker/requestWorker.ts';
import type { GatewayError } from '../wire/failures/gatewayError.ts';
import type { LedgerOptions } from './ledger/ledger.ts';
import type { PollOptions } from './polling/pollPauses.ts';

/** Access to the gateways of tasks by `Task.gateway`, even if the window now uses another gateway. */
export interface GatewayAccess {
  /**
   * Returns the client for the tasks of a gateway, with the credential that was entered for it.
   *
   * @throws {GatewayError} if the gateway is no longer configured
   */
  getClient(id: string, name: string): Promise<GatewayClient>;
  /** Returns the current address of a result. The local gateway may have another port after a start. */
  resolveAddress(id: string, address: string): Promise<string>;
  /** The configured gateway with this id, and with this current or earlier name. */
  findConfigured(id: string, name: string): { readonly name: string } | undefined;
  /** Discards all clients. New ones are created on demand. */
  discardClients(): void;
}

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
  readonly worker?: Pick<RequestWorker<UpkeepRequests>, 'request'>;
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
