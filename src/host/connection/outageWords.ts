import * as vscode from 'vscode';
import { failureMessage, failureText } from '../failureMessage.ts';
import type { Outage } from './outage.ts';

/** Why a gateway cannot be reached, and since when. */
export function outageWords({ since, error }: Outage): string {
  return vscode.l10n.t('{0} Not reachable since {1}.', failureText(failureMessage(error)), timeOfDay(since));
}

/** Since when a gateway cannot be reached, such as "since 14:03". */
export function outageBegan({ since }: Outage): string {
  return vscode.l10n.t('since {0}', timeOfDay(since));
}

function timeOfDay(time: number): string {
  return new Date(time).toLocaleTimeString(vscode.env.language, { timeStyle: 'short' });
}
