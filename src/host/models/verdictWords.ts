import * as vscode from 'vscode';
import { textFormat } from '../../wire/apis/textFormats.ts';
import { duration } from '../kit/display/times.ts';
import { problemWords } from '../kit/explanationWords.ts';
import type { ModelVerdict } from './modelVerdicts.ts';

/** What came of asking a model, at a glance. */
export function shortVerdict({ ms, answersOnlyIn, failure }: ModelVerdict): string {
  if (failure) return `✗ ${vscode.l10n.t(failure.title)}`;
  const answered = `✓ ${duration(ms)}`;
  if (answersOnlyIn === undefined) return answered;
  return `${answered} · ${vscode.l10n.t('only by {0}', textFormat(answersOnlyIn).label)}`;
}

/** All that is known of it, line by line. */
export function verdictLines({ at, ms, requestId, ...verdict }: ModelVerdict): string {
  const { t } = vscode.l10n;
  const { failure, answersOnlyIn, gatewayRequestId } = verdict;
  const when = new Date(at).toLocaleString(vscode.env.language);
  return [
    failure ? t('Verified on {0}: it did not answer', when) : t('Verified on {0}: {1}', when, duration(ms)),
    failure && problemWords({ ...failure, message: failure.title }),
    answersOnlyIn && t('It answers only in the format {0}', textFormat(answersOnlyIn).label),
    requestId && t('Request ID: {0}', requestId),
    gatewayRequestId && t('The gateway’s request ID: {0}', gatewayRequestId),
  ]
    .filter(Boolean)
    .join('\n');
}
