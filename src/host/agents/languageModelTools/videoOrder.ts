import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { listLeaves } from '../../../base/nestedValues.ts';
import type { Task } from '../../../tasks/record/task.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { FormMemory } from '../../tasks/generate/formMemory.ts';
import { findFormProblems } from '../../tasks/generate/generateChecks.ts';
import { createNotSentError } from '../../tasks/purchase/ledgerMessages.ts';
import { confirmSpending, type Purchase, sendPurchase } from '../../tasks/purchase/purchase.ts';
import { nameField, nameValue } from '../../tasks/task/videoForm.ts';
import type { AgentServices } from '../agentServices.ts';
import { ToolError } from './defineTool.ts';
import { isRequestEnded } from './taskText.ts';
import { findModel, resolveGateway, shownId, type ToolGateway } from './toolGateway.ts';
import type { StartVideoInput } from './toolInputs.ts';
import { videoRequest } from './videoRequest.ts';
import { waitForCondition } from './waitForTask.ts';

const maxValueLength = 100;
/** The time limit for the replies to the requests that create the tasks, in milliseconds. */
const maxSendingMs = 20_000;

/**
 * Generates videos after the user agreed to the requests and their possible cost. Uses the same path as the
 * Generate button, with its limits, prices and ledger.
 *
 * @param writeQuestion returns the question of the confirmation
 * @returns the tasks, once the outcome of their requests is known; undefined when the user declined
 * @throws {ToolError} when nothing is sent for another reason
 */
export async function orderVideo(
  services: AgentServices,
  input: StartVideoInput,
  writeQuestion: (purchase: Purchase) => string,
  signal: AbortSignal,
): Promise<readonly Task[] | undefined> {
  const gateway = await resolveGateway(services, signal, input.gateway);
  const purchase = createPurchase(services, gateway, input);
  const { tasks } = services;
  await tasks.open().catch((error) => {
    throw createNotSentError(error);
  });
  const customQuestion = { text: writeQuestion(purchase), facts: purchaseFacts(purchase) };
  const { isGiven, isOverLimit } = await confirmSpending(
    purchase,
    () => tasks.readSpending(),
    gateway.models,
    customQuestion,
  );
  signal.throwIfAborted();
  if (isOverLimit) throw overLimitError();
  if (!isGiven) return undefined;
  const createdTasks = await sendPurchase(services, purchase, randomUUID());
  const currentTasks = () => createdTasks.map((task) => tasks.get(task.key) ?? task);
  await waitForCondition(
    tasks,
    () => currentTasks().every((task) => isRequestEnded(tasks, task)),
    maxSendingMs,
    signal,
  );
  return currentTasks();
}

function createPurchase(
  { memory, modelChoices }: AgentServices,
  gateway: ToolGateway,
  input: StartVideoInput,
): Purchase {
  const { connection, models } = gateway;
  const forms = new FormMemory(memory, modelChoices);
  const id = input.model ?? forms.suggestModel(connection.gateway, models);
  if (id === undefined)
    throw new ToolError(
      vscode.l10n.t('Nothing was sent: {0} does not list any video models.', connection.gateway.name),
    );
  const model = findModel(gateway, id);
  const uses = modelChoices.usesLookup(connection.gateway)(model);
  if (uses.includes('chat') && !uses.includes('video')) throw notVideoModelError(model);
  const route = input.route ?? forms.readRoute(connection.gateway, model.id);
  return {
    gateway: connection.gateway,
    route,
    model: model.id,
    prompt: input.prompt,
    request: createRequest(route, model, input),
    count: input.count ?? 1,
  };
}

/**
 * Creates the body of a request.
 *
 * @throws {ToolError} for a request that the Generate page would not send either
 */
function createRequest(route: VideoRouteId, model: Model, input: StartVideoInput): object {
  const { body, unsupportedFields } = videoRequest(route, model.id, input);
  const { label } = videoRoute(route);
  const problems = [
    ...unsupportedFields.map((name) => {
      const value = plainLine(String(input[name]), maxValueLength);
      return `${name}: the route ${route} (${label}) does not support ${value}. Omit it, or use another value or route.`;
    }),
    ...findFormProblems(route, body).map(({ path, problem }) => `${nameField(route, path)}: ${problem}`),
  ];
  if (problems.length === 0) return body;
  const heading = vscode.l10n.t('Nothing was sent, because the request is not valid.');
  throw new ToolError([heading, ...problems.map((each) => `- ${each}`)].join('\n'));
}

/** The route and the parameters for the confirmation, which already shows the model and the prompt. */
function purchaseFacts({ route, request }: Purchase): readonly string[] {
  const { label, promptPath } = videoRoute(route);
  const shownPaths = [['model'], promptPath].map((path) => path.join());
  const fields = listLeaves({ ...request })
    .filter(({ path }) => !shownPaths.includes(path.join()))
    .map(
      ({ path, value }) =>
        `${nameField(route, path)}: ${plainLine(nameValue(route, path, value), maxValueLength)}`,
    );
  return [vscode.l10n.t('Route: {0}', label), ...fields];
}

function notVideoModelError(model: Model): ToolError {
  return new ToolError(
    vscode.l10n.t('Nothing was sent: {0} is a chat model.', shownId(model)),
    `Use a model that ${toolName('listModels')} lists for video.`,
  );
}

function overLimitError(): ToolError {
  return new ToolError(
    vscode.l10n.t('Nothing was sent: this would exceed your daily limit.'),
    'The limit of requests for tasks is a user setting. Do not try again unless the user changes it.',
  );
}
