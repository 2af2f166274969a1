import * as vscode from 'vscode';
import { shortTime } from '../kit/display/timeWords.ts';
import { failureMessage, failureText } from './failureMessage.ts';
import type { Outage } from './outage.ts';

/** The cause and the start of an outage in sentences. */
export function outageWords({ since, error }: Outage): string {
  return vscode.l10n.t('{0} Not reachable since {1}.', failureText(failureMessage(error)), shortTime(since));
}

/** The start of an outage in words, such as "since 14:03". */
export function outageStartWords({ since }: Outage): string {
  return vscode.l10n.t('since {0}', shortTime(since));
}
