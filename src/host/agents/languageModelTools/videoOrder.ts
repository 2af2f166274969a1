import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Task } from '../../../tasks/record/task.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { toolName } from '../../kit/manifest/contributions.ts';
import { FormMemory } from '../../tasks/generate/formMemory.ts';
import { formProblems } from '../../tasks/generate/generateChecks.ts';
import { nothingSent } from '../../tasks/purchase/ledgerMessages.ts';
import { sendPurchase } from '../../tasks/purchase/sendPurchase.ts';
import { confirmSpending, type Purchase } from '../../tasks/purchase/spendingConsent.ts';
import { fieldName, valueName } from '../../tasks/task/generateForm.ts';
import type { AgentServices } from '../agentServices.ts';
import { gatewayForTool, namedModel, shownId, type ToolGateway } from './gatewayForTool.ts';
import { isSent } from './taskText.ts';
import { ToolError } from './tool.ts';
import type { StartVideoInput } from './toolInputs.ts';
import { leafFields, videoRequest } from './videoRequest.ts';
import { isSoWithin } from './waitForTask.ts';

const maxValueLength = 100;
/** How long to wait for what becomes of the requests themselves, in milliseconds. */
const maxSendingMs = 20_000;

/**
 * Makes videos after the user agreed to what is sent and what it may cost: by the same path as a click on Generate, with
 * its limits, prices and ledger.
 *
 * @param question asks whether the requests may be sent
 * @returns the tasks, once it is known what became of their requests; undefined when the user declined
 * @throws {ToolError} when nothing is sent for another reason
 */
export async function orderVideo(
  services: AgentServices,
  wish: StartVideoInput,
  question: (purchase: Purchase) => string,
  signal: AbortSignal,
): Promise<readonly Task[] | undefined> {
  const gateway = await gatewayForTool(services, signal, wish.gateway);
  const purchase = purchaseOf(services, gateway, wish);
  const { tasks } = services;
  await tasks.open().catch((error) => {
    throw nothingSent(error);
  });
  const asked = { text: question(purchase), facts: factsOf(purchase) };
  const { isGiven, isOverLimit } = await confirmSpending(
    purchase,
    () => tasks.spending(),
    gateway.models,
    asked,
  );
  signal.throwIfAborted();
  if (isOverLimit) throw overLimit();
  if (!isGiven) return undefined;
  const made = await sendPurchase(services, purchase, randomUUID());
  const now = () => made.map((task) => tasks.get(task.key) ?? task);
  await isSoWithin(tasks, () => now().every((task) => isSent(tasks, task)), maxSendingMs, signal);
  return now();
}

function purchaseOf(
  { memory, modelNotes }: AgentServices,
  gateway: ToolGateway,
  wish: StartVideoInput,
): Purchase {
  const { connection, models } = gateway;
  const forms = new FormMemory(memory, modelNotes);
  const id = wish.model ?? forms.suggest(connection.gateway, models);
  if (id === undefined) throw noVideoModel(connection.gateway.name);
  const model = namedModel(gateway, id);
  const uses = modelNotes.usesAt(connection.gateway)(model);
  if (uses.includes('chat') && !uses.includes('video')) throw noVideos(model);
  const route = wish.route ?? forms.route(connection.gateway, model.id);
  return {
    gateway: connection.gateway,
    route,
    model: model.id,
    prompt: wish.prompt,
    request: checkedRequest(route, model, wish),
    count: wish.count ?? 1,
  };
}

/** @throws {ToolError} for what the form of the Generate page would not send either */
function checkedRequest(route: VideoRouteId, model: Model, wish: StartVideoInput): object {
  const { body, unsayable } = videoRequest(route, model.id, wish);
  const { label } = videoRoute(route);
  const problems = [
    ...unsayable.map((name) => {
      const value = plainLine(String(wish[name]), maxValueLength);
      return `${name}: the route ${route} (${label}) cannot ask for ${value}. Leave it out, or take another value or route.`;
    }),
    ...formProblems(route, body).map(({ path, problem }) => `${fieldName(route, path)}: ${problem}`),
  ];
  if (problems.length === 0) return body;
  const beginning = vscode.l10n.t('Nothing was sent, because the request is not valid.');
  throw new ToolError([beginning, ...problems.map((each) => `- ${each}`)].join('\n'));
}

/** Route and parameters, as the request has them. */
function factsOf({ route, request }: Purchase): readonly string[] {
  const { label, promptPath } = videoRoute(route);
  const said = [['model'], promptPath].map((path) => path.join());
  const fields = leafFields({ ...request })
    .filter(([path]) => !said.includes(path.join()))
    .map(
      ([path, value]) =>
        `${fieldName(route, path)}: ${plainLine(valueName(route, path, value), maxValueLength)}`,
    );
  return [vscode.l10n.t('Route: {0}', label), ...fields];
}

function noVideoModel(gateway: string): ToolError {
  return new ToolError(vscode.l10n.t('Nothing was sent: {0} lists no model for videos.', gateway));
}

function noVideos(model: Model): ToolError {
  return new ToolError(
    vscode.l10n.t('Nothing was sent: {0} is a model for chats.', shownId(model)),
    `Take one that ${toolName('listModels')} lists for video.`,
  );
}

function overLimit(): ToolError {
  return new ToolError(
    vscode.l10n.t('Nothing was sent: that would be more than your daily limit.'),
    'The limit of requests for tasks is a setting of the user. Do not try again unless the user changes it.',
  );
}
