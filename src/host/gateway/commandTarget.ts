import { isObject, scalarText } from '../../base/json.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import type { GatewayServices } from './gatewayServices.ts';

/**
 * The name of the gateway of a command. The gateway may no longer exist.
 *
 * @param argument a name, a row of a request or task, or an object with an X-Request-Id
 * @returns undefined if the argument does not identify a gateway
 */
export function findTargetGatewayName(services: GatewayServices, argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  const { tasks, taskGateways } = services;
  const task =
    isObject(argument) && argument.kind === 'task' ? tasks.get(scalarText(argument.key)) : undefined;
  if (task) return taskGateways.findConfigured(task.gateway, task.gatewayName)?.name ?? task.gatewayName;
  return findTargetRequest(services, argument)?.gateway;
}

/** Finds the request of a command by its row, by the X-Request-Id of a failure, or by a failed task. */
export function findTargetRequest(
  { requests, tasks }: GatewayServices,
  argument: unknown,
): RequestFigures | undefined {
  if (!isObject(argument)) return undefined;
  const failedRequestId =
    argument.kind === 'task' ? tasks.get(scalarText(argument.key))?.problem?.requestId : undefined;
  if (failedRequestId !== undefined) return requests.findSent(failedRequestId);
  if (argument.kind === 'request') return requests.find(scalarText(argument.id));
  return typeof argument.requestId === 'string' ? requests.findSent(argument.requestId) : undefined;
}
