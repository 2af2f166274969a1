import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../base/node/clock.ts';
import type { GatewayClient } from '../client/gatewayClient.ts';
import { WriteRetryQueue } from '../storage/writeRetryQueue.ts';
import { isSynchronous } from '../wire/apis/shared/videoRoute.ts';
import { defaultVideoRoute, type VideoRoute, videoRoute } from '../wire/apis/videoRoutes.ts';
import { getFailureEffect } from '../wire/failures/failureEffect.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import type { Ledger } from './ledger/ledger.ts';
import { hasNoResult } from './polling/pollTask.ts';
import type { Task } from './record/task.ts';
import { toProblem } from './record/taskProblem.ts';

export type SubmitClient = Pick<GatewayClient, 'makeVideo'>;

interface Submission {
  readonly ledger: Pick<
    Ledger,
    | 'change'
    | 'flush'
    | 'claimSubmission'
    | 'releaseSubmission'
    | 'accept'
    | 'storeGatewayRequestId'
    | 'markRefused'
    | 'markUnknown'
    | 'recordSnapshot'
  >;
  readonly client: SubmitClient;
  /** Aborting it ends the request. The outcome is then unknown, unless the request was not sent. */
  readonly signal?: AbortSignal;
  /** Aborting it ends the attempts to repeat a failed write. */
  readonly windowEnd?: AbortSignal;
  readonly clock?: Clock;
}

export type SubmitOutcome =
  /** Did nothing, because another window sends or sent the request, or the task was discarded. */
  | { readonly kind: 'taken' }
  | (SendOutcome & {
      /**
       * Present if the outcome could not be stored; the caller then shows the id to the user. Writing is retried, and
       * the promise resolves to whether it finally succeeded.
       */
      readonly savedLater?: Promise<boolean>;
    });

type SendOutcome =
  | { readonly kind: 'accepted'; readonly taskId: string }
  /** A synchronous request returned its result or its failure. */
  | { readonly kind: 'ended' }
  /** The request was refused, so no task was created. */
  | { readonly kind: 'refused'; readonly error: GatewayError }
  /** A task may exist and may be billed. */
  | { readonly kind: 'unknown'; readonly error: unknown };

interface Sending {
  readonly key: string;
  readonly route: VideoRoute;
  readonly request: object;
  readonly requestId: string;
}

/**
 * Sends the request of a task that the user confirmed. Only one window sends it. The ledger stores the outcome before
 * this function returns it, if storage works.
 *
 * @throws {StorageError} if the ledger cannot store the claim; then the request was not sent
 * @throws {TypeError} for a task with a route of a later version; then the request was not sent and the task is
 * unchanged
 */
export async function submitTask(
  task: Task,
  request: object,
  submission: Submission,
): Promise<SubmitOutcome> {
  const { ledger, windowEnd, clock = systemClock } = submission;
  const route = videoRoute(task.route ?? defaultVideoRoute);
  const requestId = randomUUID();
  const writes = new WriteRetryQueue({ clock, windowEnd, storage: ledger });
  const sending = { key: task.key, route, request, requestId };
  if (!(await claimSubmission(sending, ledger, writes))) return { kind: 'taken' };
  const outcome = await send(sending, submission, writes);
  await writes.waitForAttempt();
  return { ...outcome, ...(writes.delayedResult && { savedLater: writes.delayedResult }) };
}

/** Stores the claim durably before the request is sent. If that fails, undoes the claim. */
async function claimSubmission(
  { key, requestId }: Sending,
  ledger: Submission['ledger'],
  writes: WriteRetryQueue,
): Promise<boolean> {
  try {
    return await ledger.change(() => ledger.claimSubmission(key, requestId));
  } catch (error) {
    writes.write(() => ledger.releaseSubmission(key, requestId));
    await writes.waitForAttempt();
    throw error;
  }
}

async function send(
  { key, route, request, requestId }: Sending,
  { ledger, client, signal }: Submission,
  writes: WriteRetryQueue,
): Promise<SendOutcome> {
  let taskId: string | undefined;
  const onCreated = (id: string) => {
    taskId = id;
    writes.write(() => ledger.accept(key, id));
  };
  try {
    const options = { idempotencyKey: key, requestId, onCreated, ...(signal && { signal }) };
    const snapshot = await client.makeVideo(route, request, options);
    const { gatewayRequestId } = snapshot;
    if (gatewayRequestId !== undefined)
      writes.write(() => ledger.storeGatewayRequestId(key, gatewayRequestId));
    // Skip a background task that completed without a result: its record may contain the result later.
    if (isSynchronous(route, request) || !hasNoResult(snapshot))
      writes.write(() => void ledger.recordSnapshot(key, snapshot));
    return taskId === undefined ? { kind: 'ended' } : { kind: 'accepted', taskId };
  } catch (error) {
    if (taskId !== undefined) return { kind: 'accepted', taskId };
    if (GatewayError.is(error) && getFailureEffect(error).isUnbilled) {
      writes.write(() => ledger.markRefused(key, toProblem(error)));
      return { kind: 'refused', error };
    }
    writes.write(() => ledger.markUnknown(key, toProblem(error), readUnclearReply(error)));
    return { kind: 'unknown', error };
  }
}

const maxUnclearReplyBytes = 4096;

function readUnclearReply(error: unknown): string | undefined {
  if (!GatewayError.is(error) || !error.body) return undefined;
  return Buffer.from(error.body).subarray(0, maxUnclearReplyBytes).toString();
}
