import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { isMissingStatus, isUnknownStatus } from '../wire/apis/taskRecord/statusWords.ts';
import { GatewayError } from '../wire/failure.ts';
import type { TaskReader } from './types.ts';

const missingStatuses = [404, 410];

/** Whether a record only says that the task does not exist. */
export function isMissing({ status, rawStatus = '' }: TaskSnapshot): boolean {
  return status === 'failed' && isMissingStatus(rawStatus);
}

/**
 * Whether a record says that the task or its status is unknown, as DashScope answers for a task it has
 * forgotten.
 */
export function isUnknown({ status, rawStatus }: TaskSnapshot): boolean {
  return status === 'running' && rawStatus !== undefined && isUnknownStatus(rawStatus);
}

/**
 * Whether the gateway itself says that it does not know a task. A web page in place of an answer does not
 * count.
 */
export function saysMissing(error: unknown): error is GatewayError {
  return (
    GatewayError.is(error) && missingStatuses.includes(error.status ?? 0) && error.kind !== 'unreachable'
  );
}

/**
 * Reads a task after its deletion was accepted, since a gateway may keep it. Only reading tells, where a task
 * can be read.
 */
export async function checkDeleted(
  client: TaskReader,
  taskId: string,
): Promise<'deleted' | 'kept' | 'unclear'> {
  try {
    const snapshot = await client.readTask(taskId, { expects: missingStatuses });
    return isMissing(snapshot) || isUnknown(snapshot) ? 'deleted' : 'kept';
  } catch (error) {
    return saysMissing(error) ? 'deleted' : 'unclear';
  }
}
