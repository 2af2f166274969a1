import * as vscode from 'vscode';
import type { RequestHistory } from '../../../requests/requestHistory.ts';
import { type RequestFailure, type RequestFigures, requestState } from '../../../requests/requestRecord.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import { catalogueEntry } from '../../../wire/failureCatalogue.ts';
import { litellmRoutes } from '../../../wire/routes.ts';
import type { FailureMessage } from '../../connection/failureMessage.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { explanationWords } from '../../kit/explanationWords.ts';
import { saysNoMore } from '../../kit/repeatedWords.ts';
import { outcomeWord, requestName } from '../../requests/requestWords.ts';
import { failureText } from './failureText.ts';
import { namedTask } from './taskText.ts';
import { defineTool, ToolError } from './tool.ts';
import { explainFailureInput } from './toolInputs.ts';

const maxQuoteLength = 1000;
const maxNameLength = 300;

/** Tells why a request failed, by what is kept of it here. Sends nothing. */
export const explainFailure = defineTool({
  input: explainFailureInput,
  progress: () => vscode.l10n.t('Looking up a failed request'),
  run: async ({ requestId, task }, { requests, tasks }) => {
    await requests.readKept();
    const id = requestId ?? (task === undefined ? undefined : await requestOfTask(tasks, task));
    const found = id === undefined ? latestFailure(requests) : requests.findSent(id);
    if (!found) throw notKept(id);
    const { facts, ...words } = failureFacts(found);
    return failureText(
      words,
      facts.map(([name, value]) => `${name}: ${value}`),
    );
  },
});

/**
 * The latest request that failed, of this window or another one; undefined when none is known. That prices are not told
 * apart from the model list is no failure for anybody: few gateways have a route for it.
 */
export function latestFailure({ recent, kept }: RequestHistory): RequestFigures | undefined {
  const failed = [...recent, ...kept].filter(
    (figures) => requestState(figures) === 'failed' && figures.route !== litellmRoutes.readModelInfo.name,
  );
  return failed.reduce<RequestFigures | undefined>(
    (latest, each) => (latest && latest.requestedAt >= each.requestedAt ? latest : each),
    undefined,
  );
}

/** What is told of a request that failed, or did not. */
export interface FailureFacts extends Pick<FailureMessage, 'title' | 'sentence' | 'quote' | 'actions'> {
  /** What was asked, and by which ids others find it. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** Why a request failed, in the words that all failures have. */
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
      ? wordsOf(failure, figures)
      : { title: t('This request did not fail'), sentence: '', quote: '', actions: [] }),
    facts: facts.flatMap(([name, value]) =>
      value ? [[name, plainLine(value, maxNameLength)] as const] : [],
    ),
  };
}

function wordsOf(failure: RequestFailure, figures: RequestFigures): Omit<FailureFacts, 'facts'> {
  const { gatewayMessage = '' } = failure;
  const { title, steps } = catalogueEntry({ ...failure, ...statusOf(figures) });
  const sentence = explanationWords(failure.explanation);
  const isNews = gatewayMessage !== '' && !saysNoMore(gatewayMessage, sentence);
  return {
    title: vscode.l10n.t(title),
    sentence,
    quote: isNews
      ? vscode.l10n.t('Message from the gateway: “{0}”', plainLine(gatewayMessage, maxQuoteLength))
      : '',
    actions: steps,
  };
}

function statusOf({ status }: RequestFigures): { readonly status?: number } {
  return status === undefined ? {} : { status };
}

async function requestOfTask(tasks: TaskService, id: string): Promise<string> {
  await tasks.open();
  const { problem, requestId } = namedTask(tasks, id);
  const failed = problem?.requestId ?? requestId;
  if (failed === undefined) throw new ToolError('Nothing is known of a request for this task.');
  return failed;
}

function notKept(id: string | undefined): ToolError {
  return new ToolError(
    id === undefined
      ? 'No failed request is known here.'
      : `No request “${plainLine(id, maxNameLength)}” is kept here any more. Leave requestId out for the latest failure.`,
  );
}
