import { isObject } from '../../base/json.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import type { GatewayServices } from './gatewayServices.ts';

/**
 * The name of the gateway that a command is for: the one that is named, or that of a request, by its row or its
 * X-Request-Id, or of a task. It may be gone.
 *
 * @returns undefined where nothing is given that leads to one
 */
export function meantGateway(services: GatewayServices, given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const { tasks, taskGateways } = services;
  const task = isObject(given) && given.kind === 'task' ? tasks.get(String(given.key)) : undefined;
  if (task) return taskGateways.configured(task.gateway, task.gatewayName)?.name ?? task.gatewayName;
  return meantRequest(services, given)?.gateway;
}

/** The request that a command is about: that of a row, of a failure by its X-Request-Id, or of a failed task. */
export function meantRequest(
  { requests, tasks }: GatewayServices,
  given: unknown,
): RequestFigures | undefined {
  if (!isObject(given)) return undefined;
  const failed = given.kind === 'task' ? tasks.get(String(given.key))?.problem?.requestId : undefined;
  if (failed !== undefined) return requests.findSent(failed);
  if (given.kind === 'request') return requests.find(String(given.id));
  return typeof given.requestId === 'string' ? requests.findSent(given.requestId) : undefined;
}
