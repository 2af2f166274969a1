import * as vscode from 'vscode';
import type { RequestHistory } from '../../../requests/requestHistory.ts';
import { type RequestFailure, type RequestFigures, requestState } from '../../../requests/requestRecord.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import { catalogueEntry } from '../../../wire/failures/failureCatalogue.ts';
import { litellmRoutes } from '../../../wire/routes.ts';
import type { FailureMessage } from '../../connection/failureMessage.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { describeExplanation } from '../../kit/explanationWords.ts';
import { hasOnlyWordsOf } from '../../kit/sentence.ts';
import { outcomeWord, requestName } from '../../requests/requestWords.ts';
import { defineTool, ToolError } from './defineTool.ts';
import { agentFailureText } from './failureText.ts';
import { findTask } from './taskText.ts';
import { explainFailureInput } from './toolInputs.ts';

const maxQuoteLength = 1000;
const maxNameLength = 300;

/** Explains why a request failed, from the data stored on this machine. Sends nothing. */
export const explainFailureTool = defineTool({
  input: explainFailureInput,
  progress: () => vscode.l10n.t('Looking up a failed request'),
  run: async ({ requestId, task }, { requests, tasks }) => {
    await requests.readEarlierFailures();
    const id = requestId ?? (task === undefined ? undefined : await requestIdOfTask(tasks, task));
    const figures = id === undefined ? latestFailure(requests) : requests.findSent(id);
    if (!figures) throw notStoredError(id);
    const { facts, ...words } = failureFacts(figures);
    return agentFailureText(
      words,
      facts.map(([name, value]) => `${name}: ${value}`),
    );
  },
});

/**
 * Finds the latest failed request of this or another window; undefined if none is known. Ignores failed requests for
 * the price list, because few gateways have a route for it.
 */
export function latestFailure({ recent, earlierFailures }: RequestHistory): RequestFigures | undefined {
  const failedRequests = [...recent, ...earlierFailures].filter(
    (figures) => requestState(figures) === 'failed' && figures.route !== litellmRoutes.readModelInfo.name,
  );
  return failedRequests.reduce<RequestFigures | undefined>(
    (latest, each) => (latest && latest.requestedAt >= each.requestedAt ? latest : each),
    undefined,
  );
}

/** The explanation of a request's outcome. */
interface FailureFacts extends Pick<FailureMessage, 'title' | 'sentence' | 'quote' | 'actions'> {
  /** The request's data, including the ids that the gateway's operator can search for. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** Explains why a request failed, in the words of our failure messages. Also accepts a request that did not fail. */
export function failureFacts(figures: RequestFigures): FailureFacts {
  const { failure, requestId, gatewayRequestId, requestedAt, gateway } = figures;
  const { t } = vscode.l10n;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t('Request'), requestName(figures)],
    [t('Gateway'), gateway],
    [t('Outcome'), outcomeWord(figures)],
    [t('Sent'), new Date(requestedAt).toISOString()],
    [t('Request ID'), requestId],
    [t('The gateway’s request ID'), gatewayRequestId],
  ];
  return {
    ...(failure
      ? failureWords(failure, figures)
      : { title: t('This request did not fail'), sentence: '', quote: '', actions: [] }),
    facts: facts.flatMap(([name, value]) =>
      value ? [[name, plainLine(value, maxNameLength)] as const] : [],
    ),
  };
}

function failureWords(failure: RequestFailure, { status }: RequestFigures): Omit<FailureFacts, 'facts'> {
  const { gatewayMessage = '' } = failure;
  const { title, steps } = catalogueEntry({ ...failure, ...(status !== undefined && { status }) });
  const sentence = describeExplanation(failure.explanation);
  const hasQuote = gatewayMessage !== '' && !hasOnlyWordsOf(gatewayMessage, sentence);
  return {
    title: vscode.l10n.t(title),
    sentence,
    quote: hasQuote
      ? vscode.l10n.t('Message from the gateway: “{0}”', plainLine(gatewayMessage, maxQuoteLength))
      : '',
    actions: steps,
  };
}

async function requestIdOfTask(tasks: TaskService, id: string): Promise<string> {
  await tasks.open();
  const { problem, requestId } = findTask(tasks, id);
  const lastRequestId = problem?.requestId ?? requestId;
  if (lastRequestId === undefined) throw new ToolError('No request is recorded for this task.');
  return lastRequestId;
}

function notStoredError(id: string | undefined): ToolError {
  return new ToolError(
    id === undefined
      ? 'No failed requests are recorded.'
      : `The request “${plainLine(id, maxNameLength)}” is not stored here. Omit requestId for the latest failure.`,
  );
}
