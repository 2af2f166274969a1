import { homedir, platform, release } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { curlForPowerShell, curlForSh } from '../../requests/formats/curl.ts';
import { har } from '../../requests/formats/har.ts';
import { httpFile } from '../../requests/formats/httpFile.ts';
import { requestReport } from '../../requests/formats/report.ts';
import { type SentRequest, sentRequest, type Unsendable } from '../../requests/formats/sentRequest.ts';
import type { OpenedRequest } from '../../requests/requestHistory.ts';
import type { CommandTable } from '../kit/command.ts';
import { extensionId, extensionName } from '../kit/contributions.ts';
import { notify } from '../kit/display/notify.ts';
import { withStatusBarProgress } from '../kit/display/progress.ts';
import { showStatusMessage } from '../kit/display/statusBar.ts';
import { forgottenRow } from '../kit/forgottenRow.ts';
import { chosenRequest, chosenRequests } from './chosenRequests.ts';
import type { RequestServices } from './requestServices.ts';

/** A file or a report leaves this machine: whatever looks like a credential is hidden in it. */
const forOthers = { maxBodyBytes: Number.POSITIVE_INFINITY, hidesAll: true };

const copyCurl = copiedRequest(curlForSh);
const copyCurlPowerShell = copiedRequest(curlForPowerShell);
const copyHttp = copiedRequest(httpFile);

/** Copies a request as another program can send it. */
function copiedRequest(format: (request: SentRequest) => string) {
  return async (services: RequestServices, row?: unknown): Promise<void> => {
    const figures = await chosenRequest(services, row, vscode.l10n.t('Choose the request to copy'));
    const opened = figures && (await services.requests.open(figures.id));
    if (!opened) return;
    const request = sentRequest(opened);
    if (typeof request === 'string') return void notify('warning', whyNot(request));
    await copy(format(request));
  };
}

async function copyReport(services: RequestServices, row?: unknown): Promise<void> {
  const figures = await chosenRequest(
    services,
    row,
    vscode.l10n.t('Choose the request whose report to copy'),
  );
  const opened = figures && (await services.requests.open(figures.id, forOthers));
  if (opened) await copy(requestReport(opened, versions()));
}

async function exportHar(services: RequestServices, row?: unknown, selected?: unknown): Promise<void> {
  const { requests, requestsView } = services;
  const chosen =
    row === undefined || row === forgottenRow
      ? requestsView.shown
      : await chosenRequests(services, row, selected, vscode.l10n.t('Choose the request to export'));
  if (chosen.length === 0) return showStatusMessage(vscode.l10n.t('There is no request to export yet.'));
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.file(join(homedir(), `${vscode.l10n.t('Requests')}.har`)),
    filters: { HAR: ['har'] },
    title: vscode.l10n.t('Export Requests (They May Contain Questions)'),
  });
  if (!target) return;
  await withStatusBarProgress(vscode.l10n.t('Exporting requests'), async () => {
    const opened: OpenedRequest[] = [];
    for (const { id } of chosen) {
      const request = await requests.open(id, forOthers);
      if (request) opened.push(request);
    }
    const document = har(opened, { name: extensionName, version: ownVersion() });
    await vscode.workspace.fs.writeFile(target, Buffer.from(JSON.stringify(document, undefined, 2)));
  });
  showStatusMessage(vscode.l10n.t('Exported: {0}', target.path), 'check');
}

async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  showStatusMessage(vscode.l10n.t('Copied.'), 'check');
}

function whyNot(why: Unsendable): string {
  return why === 'content-missing'
    ? vscode.l10n.t('The headers and the body of this request are no longer stored.')
    : vscode.l10n.t('Only the beginning of this request is stored, so it cannot be sent again.');
}

function versions(): Readonly<Record<string, string>> {
  return {
    [extensionName]: ownVersion(),
    'VS Code': `${vscode.version} (${vscode.env.remoteName ?? vscode.env.appHost})`,
    'Node.js': process.versions.node,
    System: `${platform()} ${release()} ${process.arch}`,
  };
}

function ownVersion(): string {
  return String(vscode.extensions.getExtension(extensionId)?.packageJSON.version);
}

/** The commands that take requests elsewhere, by their ids. */
export const requestCopyCommands = {
  'requests.copyCurl': copyCurl,
  'requests.copyCurlPowerShell': copyCurlPowerShell,
  'requests.copyHttp': copyHttp,
  'requests.copyReport': copyReport,
  'requests.exportHar': exportHar,
} satisfies CommandTable<RequestServices>;
