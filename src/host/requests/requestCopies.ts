import { homedir, platform, release } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { writePowerShellCurl, writeShCurl } from '../../requests/formats/curl.ts';
import { createHar } from '../../requests/formats/har.ts';
import { writeRequestReport } from '../../requests/formats/requestReport.ts';
import {
  readSentRequest,
  type SentRequest,
  type UnsendableReason,
  writeHttpFile,
} from '../../requests/formats/sentRequest.ts';
import type { OpenedRequest, RequestFigures } from '../../requests/requestRecord.ts';
import { notify } from '../kit/display/notify.ts';
import { withStatusBarProgress } from '../kit/display/progress.ts';
import { type Choice, pick } from '../kit/display/quickInput.ts';
import { showStatusMessage } from '../kit/display/statusBar.ts';
import { type CommandTable, missingRow } from '../kit/manifest/command.ts';
import { extensionId, extensionName } from '../kit/manifest/contributions.ts';
import type { RequestServices } from './requestServices.ts';
import { resolveRequests } from './resolveRequests.ts';

/** For files and reports, which the user may share: hides everything that looks like a credential. */
const sharingOptions = { maxBodyBytes: Number.POSITIVE_INFINITY, hidesAll: true };

/**
 * Copies a request in a form that other programs can send, its report or its id. For several requests, copies the
 * ids.
 */
async function copyRequest(services: RequestServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the request to copy');
  const chosen = await resolveRequests(services, row, selected, title);
  const [only, ...others] = chosen;
  if (!only) return;
  if (others.length > 0) return copyText(chosen.map(({ requestId }) => requestId).join('\n'));
  const choice = await pick(copyChoices(services, only), { title: vscode.l10n.t('Choose what to copy') });
  const text = await choice?.text();
  if (text !== undefined) await copyText(text);
}

interface CopyChoice extends Choice {
  /** Returns undefined if the request cannot be copied in this form, or is no longer stored. */
  readonly text: () => Promise<string | undefined>;
}

function copyChoices(
  { requests }: RequestServices,
  { id, requestId }: RequestFigures,
): readonly CopyChoice[] {
  const textAs = (format: (request: SentRequest) => string) => async () => {
    const opened = await requests.open(id);
    const request = opened && readSentRequest(opened);
    if (typeof request !== 'string') return request && format(request);
    void notify('warning', unsendableWords(request));
    return undefined;
  };
  return [
    { label: vscode.l10n.t('Copy as cURL'), icon: 'terminal', text: textAs(writeShCurl) },
    {
      label: vscode.l10n.t('Copy as cURL for PowerShell'),
      icon: 'terminal',
      text: textAs(writePowerShellCurl),
    },
    { label: vscode.l10n.t('Copy as .http File'), icon: 'file-code', text: textAs(writeHttpFile) },
    {
      label: vscode.l10n.t('Copy Report'),
      icon: 'report',
      text: async () => {
        const opened = await requests.open(id, sharingOptions);
        return opened && writeRequestReport(opened, programVersions());
      },
    },
    { label: vscode.l10n.t('Copy Request ID'), icon: 'tag', text: async () => requestId },
  ];
}

/** Saves the requests of the rows as a HAR file, or else all requests that the view shows. */
async function exportHar(services: RequestServices, row?: unknown, selected?: unknown): Promise<void> {
  const { requests, requestsView } = services;
  const chosen =
    row === undefined || row === missingRow
      ? requestsView.shown
      : await resolveRequests(services, row, selected, vscode.l10n.t('Choose the request to export'));
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
      const request = await requests.open(id, sharingOptions);
      if (request) opened.push(request);
    }
    const document = createHar(opened, { name: extensionName, version: extensionVersion() });
    await vscode.workspace.fs.writeFile(target, Buffer.from(JSON.stringify(document, undefined, 2)));
  });
  showStatusMessage(vscode.l10n.t('Exported: {0}', target.path), 'check');
}

async function copyText(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  showStatusMessage(vscode.l10n.t('Copied.'), 'check');
}

function unsendableWords(reason: UnsendableReason): string {
  return reason === 'content-missing'
    ? vscode.l10n.t('The headers and the body of this request are no longer stored.')
    : vscode.l10n.t('Only the beginning of this request is stored, so it cannot be sent again.');
}

function programVersions(): Readonly<Record<string, string>> {
  return {
    [extensionName]: extensionVersion(),
    'VS Code': `${vscode.version} (${vscode.env.remoteName ?? vscode.env.appHost})`,
    'Node.js': process.versions.node,
    System: `${platform()} ${release()} ${process.arch}`,
  };
}

function extensionVersion(): string {
  return String(vscode.extensions.getExtension(extensionId)?.packageJSON.version);
}

/** The commands that copy or export requests, by their ids. */
export const requestCopyCommands = {
  'requests.copy': copyRequest,
  'requests.exportHar': exportHar,
} satisfies CommandTable<RequestServices>;
