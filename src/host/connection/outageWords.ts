import * as vscode from 'vscode';
import { shortTime } from '../kit/display/times.ts';
import { failureMessage, failureText } from './failureMessage.ts';
import type { Outage } from './outage.ts';

/** Why a gateway cannot be reached, and since when. */
export function outageWords({ since, error }: Outage): string {
  return vscode.l10n.t('{0} Not reachable since {1}.', failureText(failureMessage(error)), shortTime(since));
}

/** Since when a gateway cannot be reached, such as "since 14:03". */
export function outageBegan({ since }: Outage): string {
  return vscode.l10n.t('since {0}', shortTime(since));
}
