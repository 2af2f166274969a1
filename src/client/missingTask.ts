import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { isMissingStatus, isUnknownStatus } from '../wire/apis/taskRecord/statusWords.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import type { TaskReader } from './types.ts';

const missingStatuses = [404, 410];

/** Whether a record only reports that the task does not exist. */
export function isMissingRecord({ status, rawStatus = '' }: TaskSnapshot): boolean {
  return status === 'failed' && isMissingStatus(rawStatus);
}

/**
 * Whether a record reports that the task or its status is unknown. DashScope sends such a record for a task that
 * it no longer stores.
 */
export function isUnknownRecord({ status, rawStatus }: TaskSnapshot): boolean {
  return status === 'running' && rawStatus !== undefined && isUnknownStatus(rawStatus);
}

/**
 * Whether the gateway itself reports that a task is unknown. A web page instead of a reply does not count.
 */
export function isMissingTaskError(error: unknown): error is GatewayError {
  return (
    GatewayError.is(error) && missingStatuses.includes(error.status ?? 0) && error.kind !== 'unreachable'
  );
}

/**
 * Reads a task after its deletion was accepted, because some gateways accept the deletion and do not delete the task.
 */
export async function checkDeleted(
  client: TaskReader,
  taskId: string,
): Promise<'deleted' | 'not-deleted' | 'unclear'> {
  try {
    const snapshot = await client.readTask(taskId, { expects: missingStatuses });
    return isMissingRecord(snapshot) || isUnknownRecord(snapshot) ? 'deleted' : 'not-deleted';
  } catch (error) {
    return isMissingTaskError(error) ? 'deleted' : 'unclear';
  }
}
