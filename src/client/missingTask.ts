import type { TaskSnapshot } from '../wire/apis/taskRecord/decode.ts';
import { isMissingWord, isUnknownWord } from '../wire/apis/taskRecord/statusWords.ts';
import { GatewayError } from '../wire/failure.ts';

/** Whether a record only says that there is no such task. */
export function isMissing({ state, word = '' }: TaskSnapshot): boolean {
  return state === 'failed' && isMissingWord(word);
}

/** Whether a record says that the task, or its state, is not known: DashScope's answer for one it has forgotten. */
export function isUnknown({ state, word }: TaskSnapshot): boolean {
  return state === 'running' && word !== undefined && isUnknownWord(word);
}

/** Whether the gateway itself says that it does not know a task; a web page in its place says nothing. */
export function saysMissing(error: unknown): error is GatewayError {
  return (
    GatewayError.is(error) && (error.status === 404 || error.status === 410) && error.kind !== 'unreachable'
  );
}

/** A gateway may accept a deletion and keep the task: only reading it tells, and only where it is read. */
export async function whatIsLeft(
  client: { readTask(taskId: string): Promise<TaskSnapshot> },
  taskId: string,
): Promise<'deleted' | 'kept' | 'unclear'> {
  try {
    const snapshot = await client.readTask(taskId);
    return isMissing(snapshot) || isUnknown(snapshot) ? 'deleted' : 'kept';
  } catch (error) {
    return saysMissing(error) ? 'deleted' : 'unclear';
  }
}
