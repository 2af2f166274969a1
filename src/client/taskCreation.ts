import { refusalIn } from '../wire/apis/taskRecord/answer.ts';
import { decodeTask } from '../wire/apis/taskRecord/decode.ts';
import { type IdProblem, maxIdLength, readBareId, unusableId } from '../wire/apis/taskRecord/names.ts';
import { objectsOf } from '../wire/apis/taskRecord/objects.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { type FailureDetails, malformedReply } from '../wire/errorMapping.ts';
import { explain, type SentenceNaming } from '../wire/explanations/explanation.ts';
import type { HeaderNames } from '../wire/headerNames.ts';
import type { Route } from '../wire/routes.ts';
import type { Sender } from './send.ts';
import { sendForTask, type TaskCall } from './taskExchange.ts';
import { generationTimeouts } from './timeouts.ts';
import type { CreatedTask, CreateOptions } from './types.ts';

/** A request that creates a task. */
export interface TaskCreation {
  readonly route: Route;
  readonly body: object;
  readonly vendorHeaders?: Partial<HeaderNames>;
}

/**
 * Sends a request that creates a task. It costs money and is never sent twice. After a failure of a request
 * that was sent, only the list of tasks tells whether a task exists.
 *
 * @throws {GatewayError} also when the reply names no task; the error holds its body
 */
export function createTask(
  sender: Sender,
  creation: TaskCreation,
  options: CreateOptions = {},
): Promise<CreatedTask> {
  return sendForTask<CreatedTask>(sender, creationCall(creation, options), options, (value, context) => {
    const task = decodeTask(value, context);
    const refusal = refusalIn(task);
    const id = task.id ?? (refusal ? undefined : readBareId(value));
    if (refusal || id === undefined) return { failure: refusal ?? unnamed(value) };
    options.onCreated?.(id);
    return { value: { ...task, id } };
  });
}

/**
 * Sends a request that makes something while the caller waits, for up to half an hour of silence. It returns
 * a finished task, or a running one when the gateway moved it to the background. It costs money and is never
 * sent twice.
 *
 * @throws {GatewayError} also when the reply is neither
 */
export function runTask(
  sender: Sender,
  creation: TaskCreation,
  options: CreateOptions = {},
): Promise<TaskSnapshot> {
  const call = { ...creationCall(creation, options), minTimeouts: generationTimeouts };
  return sendForTask<TaskSnapshot>(sender, call, options, (value, context) => {
    const task = decodeTask(value, context);
    if (task.id !== undefined) options.onCreated?.(task.id);
    else if (task.status === 'running') {
      return { failure: refusalIn(task) ?? malformedReply(explain('task-and-result-missing')) };
    }
    return { value: task };
  });
}

function creationCall({ body, ...creation }: TaskCreation, { idempotencyKey }: CreateOptions): TaskCall {
  return {
    ...creation,
    body: JSON.stringify(body),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** Why a reply names no usable task. */
function unnamed(value: unknown): FailureDetails {
  const problem = unusableId(objectsOf(value));
  return malformedReply(
    problem ? explain(toldIds[problem], { maxLength: maxIdLength }) : explain('task-missing'),
  );
}

const toldIds = {
  empty: 'told-task-id-empty',
  'too-long': 'told-task-id-too-long',
  'control-characters': 'told-task-id-unprintable',
} as const satisfies Readonly<Record<IdProblem, SentenceNaming<'maxLength'>>>;
