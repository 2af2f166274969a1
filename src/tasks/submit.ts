import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../base/node/clock.ts';
import type { GatewayClient } from '../client/gatewayClient.ts';
import { WriteRetryQueue } from '../storage/writeRetryQueue.ts';
import { isSynchronous } from '../wire/apis/format/videoRoute.ts';
import { defaultVideoRoute, type VideoRoute, videoRoute } from '../wire/apis/videoRoutes.ts';
import { GatewayError } from '../wire/failure.ts';
import { effectOf } from '../wire/failureEffect.ts';
import type { Ledger } from './ledger/ledger.ts';
import { isEmpty } from './polling/pollTask.ts';
import { problemOf } from './record/problem.ts';
import type { Task } from './record/task.ts';

export type SubmitClient = Pick<GatewayClient, 'makeVideo'>;

export interface Submission {
  readonly ledger: Pick<
    Ledger,
    | 'change'
    | 'flush'
    | 'claimSubmit'
    | 'releaseSubmit'
    | 'accept'
    | 'nameRequest'
    | 'refuse'
    | 'markUnknown'
    | 'recordSnapshot'
  >;
  readonly client: SubmitClient;
  /** Aborting ends the request. Its outcome is then unknown, unless it never left. */
  readonly signal?: AbortSignal;
  /** Ends the attempts to repeat a failed write. */
  readonly windowEnd?: AbortSignal;
  readonly clock?: Clock;
}

export type SubmitOutcome =
  /** Another window sends or sent it, or it was discarded. Nothing was done. */
  | { readonly kind: 'taken' }
  | (Sent & {
      /**
       * Present when the outcome could not be stored: show the id to the user. Writing is repeated, and the
       * promise tells whether it succeeded in the end.
       */
      readonly unwritten?: Promise<boolean>;
    });

type Sent =
  | { readonly kind: 'accepted'; readonly taskId: string }
  /** A synchronous request brought its result, or the reason why there is none. */
  | { readonly kind: 'ended' }
  /** Nothing was made. */
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
 * Sends the request of a task that the user confirmed, once among all windows. The ledger has each fact of
 * the reply before the caller learns it.
 *
 * @throws {StorageError} when the ledger cannot store the claim; then nothing was sent
 * @throws {TypeError} for a task by a route of a later version; nothing was sent or changed
 */
export async function submit(task: Task, request: object, submission: Submission): Promise<SubmitOutcome> {
  const { ledger, windowEnd, clock = systemClock } = submission;
  const route = videoRoute(task.route ?? defaultVideoRoute);
  const requestId = randomUUID();
  const writes = new WriteRetryQueue({ clock, windowEnd, storage: ledger });
  const sending = { key: task.key, route, request, requestId };
  if (!(await claim(sending, ledger, writes))) return { kind: 'taken' };
  const sent = await send(sending, submission, writes);
  await writes.tried();
  return { ...sent, ...(writes.delayed && { unwritten: writes.delayed }) };
}

/** The claim is on the disk before the request leaves, or it is taken back. */
async function claim(
  { key, requestId }: Sending,
  ledger: Submission['ledger'],
  writes: WriteRetryQueue,
): Promise<boolean> {
  try {
    return await ledger.change(() => ledger.claimSubmit(key, requestId));
  } catch (error) {
    writes.write(() => ledger.releaseSubmit(key, requestId));
    await writes.tried();
    throw error;
  }
}

async function send(
  { key, route, request, requestId }: Sending,
  { ledger, client, signal }: Submission,
  writes: WriteRetryQueue,
): Promise<Sent> {
  let taskId: string | undefined;
  const onCreated = (id: string) => {
    taskId = id;
    writes.write(() => ledger.accept(key, id));
  };
  try {
    const options = { idempotencyKey: key, requestId, onCreated, ...(signal && { signal }) };
    const snapshot = await client.makeVideo(route, request, options);
    const { gatewayRequestId } = snapshot;
    if (gatewayRequestId !== undefined) writes.write(() => ledger.nameRequest(key, gatewayRequestId));
    // A background task that is completed without a result may name it later.
    if (isSynchronous(route, request) || !isEmpty(snapshot))
      writes.write(() => void ledger.recordSnapshot(key, snapshot));
    return taskId === undefined ? { kind: 'ended' } : { kind: 'accepted', taskId };
  } catch (error) {
    if (taskId !== undefined) return { kind: 'accepted', taskId };
    if (GatewayError.is(error) && effectOf(error).nothingMade) {
      writes.write(() => ledger.refuse(key, problemOf(error)));
      return { kind: 'refused', error };
    }
    writes.write(() => ledger.markUnknown(key, problemOf(error), unclearReply(error)));
    return { kind: 'unknown', error };
  }
}

const unclearReplyBytes = 4096;

function unclearReply(error: unknown): string | undefined {
  if (!GatewayError.is(error) || !error.body) return undefined;
  return Buffer.from(error.body).subarray(0, unclearReplyBytes).toString();
}
