import * as vscode from 'vscode';
import type { Outage } from '../connection/outage.ts';
import { outageBegan, outageWords } from '../connection/outageWords.ts';
import { factLine } from '../kit/display/listed.ts';
import { treeItem } from '../kit/display/rows.ts';
import { commandName } from '../kit/manifest/contributions.ts';

/** The first row of the Models view while the gateway cannot be reached. A click, or its button, tries again. */
export function outageRow(outage: Outage, hasOldModels: boolean): vscode.TreeItem {
  const rest = hasOldModels ? [vscode.l10n.t('showing the last list')] : [];
  return treeItem({
    id: 'notice',
    label: vscode.l10n.t('Not reachable'),
    icon: 'debug-disconnect',
    color: 'list.warningForeground',
    description: factLine([outageBegan(outage), ...rest]),
    tooltip: `${outageWords(outage)}\n${vscode.l10n.t('Click to try again.')}`,
    context: 'outage',
    command: { command: commandName('refreshModels'), title: vscode.l10n.t('Try Again') },
  });
}

/** The first row of the Models view while the local gateway is stopped. A click starts it. */
export function stoppedRow(): vscode.TreeItem {
  const label = vscode.l10n.t('Start the Local Gateway');
  return treeItem({
    id: 'notice',
    label,
    icon: 'debug-start',
    description: vscode.l10n.t('stopped'),
    tooltip: vscode.l10n.t('It was stopped. Click to start it again.'),
    command: { command: commandName('localGateway.start'), title: label },
  });
}
