import * as vscode from 'vscode';
import { type RequestFigures, requestState } from '../../requests/requestRecord.ts';
import { catalogueEntry } from '../../wire/failures/failureCatalogue.ts';
import { formatDuration, formatShortTime } from '../kit/display/timeWords.ts';
import { describeExplanation, describeStoredProblem } from '../kit/explanationWords.ts';
import { formatBytes } from '../tasks/task/taskWords.ts';

/** The purpose of a route in a few words; the name of a route that is not listed here. */
export function routeName(route: string): string {
  const { t } = vscode.l10n;
  const names: Readonly<Record<string, string>> = {
    chatCompletions: 'Chat',
    generateContent: 'Content',
    streamGenerateContent: 'Content',
    messages: 'Messages',
    responses: 'Responses',
    interactions: 'Interactions',
    videoSynthesis: t('Video synthesis'),
    listModels: t('List models'),
    readModelInfo: t('Read prices'),
    listTasks: t('List tasks'),
    readTask: t('Read task'),
    cancelTask: t('Cancel task'),
    deleteTask: t('Delete task'),
    readResponse: t('Read response'),
    cancelResponse: t('Cancel response'),
    download: t('Download'),
  };
  return names[route] ?? route;
}

/** The name of a request: the purpose of its route, and its model if it has one. */
export function requestName({ route, model }: RequestFigures): string {
  return [routeName(route), model].filter(Boolean).join(' ');
}

/** The outcome of a request in a few words, or its status; empty if neither is known. */
export function outcomeWord(figures: RequestFigures): string {
  const { status, failure } = figures;
  if (requestState(figures) === 'cancelled') return vscode.l10n.t('stopped');
  const { t } = vscode.l10n;
  switch (failure?.kind) {
    case undefined:
      return String(status ?? '');
    case 'unreachable':
      if (status === undefined) return t('not reached');
      return status < 300 && failure.reason !== 'challenge' && failure.reason !== 'not-a-gateway'
        ? t('{0}, cut off', status)
        : String(status);
    default:
      return String(status ?? t('failed'));
  }
}

/** Describes the sender of a request to the local gateway by the name of its credential. */
function callerWords(caller: string): string {
  return caller === ''
    ? vscode.l10n.t('another program or window')
    : vscode.l10n.t('another program, as {0}', caller);
}

/** Notes on how the gateway produced the reply, each with its name. */
export function noteWords({
  notes = {},
  caller,
}: RequestFigures): readonly (readonly [name: string, words: string])[] {
  const { t } = vscode.l10n;
  const { upstream, model, conversion, dropped, skippedModels } = notes;
  const entries: readonly (readonly [string, string | undefined])[] = [
    [t('Sent by'), caller === undefined ? undefined : callerWords(caller)],
    [t('Upstream'), upstream],
    [t('Model used'), model],
    [t('Conversion'), conversion],
    [t('Omitted in the conversion'), dropped],
    [t('Skipped models'), skippedModels],
  ];
  return entries.flatMap(([name, words]) => (words === undefined ? [] : [[name, words] as const]));
}

/** The class of a failure in a few words; undefined for a request that succeeded. */
function failureTitle({ failure, status }: RequestFigures): string | undefined {
  if (!failure) return undefined;
  return vscode.l10n.t(catalogueEntry({ ...failure, ...(status !== undefined && { status }) }).title);
}

/** The explanation of a failure; undefined for a request that succeeded. */
export function failureSentence({ failure }: RequestFigures): string | undefined {
  return failure && describeExplanation(failure.explanation);
}

/** The explanation of a failure, with the gateway's own message; undefined for a request that succeeded. */
export function failureWords({ failure }: RequestFigures): string | undefined {
  return failure && describeStoredProblem(failure);
}

/** The facts about a request for a list. The most important are first, because a narrow side bar cuts the others. */
export function rowFacts(figures: RequestFigures): string {
  const { failure, totalMs, requestedAt } = figures;
  const time = formatShortTime(requestedAt);
  if (!failure || requestState(figures) === 'cancelled') return `${requestFacts(figures)} · ${time}`;
  return [...outcomeFacts(figures), failureTitle(figures), formatDuration(totalMs), time].join(' · ');
}

/** The outcome, the duration, the time to the first byte, and the size of a request. */
export function requestFacts(figures: RequestFigures): string {
  const { headersMs, firstByteMs = headersMs, totalMs, bytesReceived } = figures;
  const { t } = vscode.l10n;
  return [
    ...outcomeFacts(figures),
    formatDuration(totalMs),
    ...(firstByteMs === undefined ? [] : [t('first byte {0}', formatDuration(firstByteMs))]),
    ...(bytesReceived > 0 ? [formatBytes(bytesReceived)] : []),
  ].join(' · ');
}

function outcomeFacts(figures: RequestFigures): readonly string[] {
  const isFromOtherProgram = figures.caller !== undefined;
  return [outcomeWord(figures), ...(isFromOtherProgram ? [vscode.l10n.t('another program')] : [])].filter(
    Boolean,
  );
}
