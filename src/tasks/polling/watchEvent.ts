import type { GatewayError } from '../../client/gatewayClient.ts';
import type { FoundTask } from '../reconcile.ts';

/** What a watcher tells besides what it writes into the ledger. */
export type WatchEvent =
  /** It completed or failed. */
  | { readonly type: 'ended'; readonly key: string }
  /** The gateway does not know it any more. */
  | { readonly type: 'gone'; readonly key: string }
  /** It was watched for as long as the settings allow, and is watched no longer. */
  | { readonly type: 'timed-out'; readonly key: string }
  /** The window that sent its request died before the reply. */
  | { readonly type: 'lost'; readonly key: string }
  /** A lost task turned up at the gateway. */
  | { readonly type: 'found'; readonly key: string; readonly taskId: string }
  /** A lost task may be one of these, newest first. */
  | { readonly type: 'candidates'; readonly key: string; readonly candidates: readonly FoundTask[] }
  /** The gateway refuses the credential: its tasks wait for `gatewayChanged`. Told once. */
  | { readonly type: 'paused'; readonly gateway: string; readonly error: GatewayError }
  | { readonly type: 'resumed'; readonly gateway: string }
  /** The gateway asked for a long pause, which ends at this time by the wall clock. */
  | {
      readonly type: 'held-off';
      readonly gateway: string;
      readonly until: number;
      readonly error: GatewayError;
    }
  /** This window watches, or does so no longer. */
  | { readonly type: 'leading'; readonly leads: boolean }
  /** The machine slept: what was connected before is dead. Told before anything is asked again. */
  | { readonly type: 'woke' }
  /** What was learnt could not be kept, and will be asked for again. Told once until something can be kept. */
  | { readonly type: 'storage-failed'; readonly error: unknown };
