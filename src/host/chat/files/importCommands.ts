import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import type { ImportEnd } from '../../../conversations/transfer/importReport.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { reportFailure } from '../../connection/failures/reportFailure.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import type { ChatServices } from '../chatServices.ts';
import { ImportTally } from './importTally.ts';
import { readLocally } from './localFiles.ts';

/** Brings the chats of files here, from other programs or from another machine. */
export async function importChats(services: ChatServices): Promise<void> {
  const files = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Import Chats'),
    openLabel: vscode.l10n.t('Import'),
    canSelectMany: true,
    filters: {
      [vscode.l10n.t('Exports of chats')]: ['json', 'jsonl', 'zip', 'md', 'markdown'],
      [vscode.l10n.t('All files')]: ['*'],
    },
  });
  await importAll(services, files);
}

/** Brings the chats of an unpacked export here, with the attachments in its folder. */
export async function importChatsFromFolder(services: ChatServices): Promise<void> {
  const folders = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Import Chats from Folder'),
    openLabel: vscode.l10n.t('Import'),
    canSelectFiles: false,
    canSelectFolders: true,
  });
  await importAll(services, folders);
}

/** @param files and folders with files; none where the user cancelled */
async function importAll(services: ChatServices, files: readonly vscode.Uri[] = []): Promise<void> {
  if (files.length === 0) return;
  const tally = new ImportTally();
  const end = await withNotificationProgress(vscode.l10n.t('Importing chats…'), (signal, tell) =>
    readLocally(files, (paths) => run(services, paths, tally, { signal, tell })).catch((error) => {
      services.log.error('chat', errorTrace(error));
      return endedBy(error);
    }),
  );
  void tellEnd(services, tally, end).catch((error) => reportFailure(error, 'chats.import', services));
}

function endedBy(error: unknown): ImportEnd {
  return { kind: 'refused', problem: explain('import-ended', { cause: errorMessage(error) }) };
}

interface Progressing {
  readonly signal: AbortSignal;
  readonly tell: (part: number) => void;
}

/** Stopping waits for the worker's word, so that every conversation that is kept is told. */
async function run(
  { chatWorker }: ChatServices,
  files: readonly string[],
  tally: ImportTally,
  { signal, tell }: Progressing,
): Promise<ImportEnd> {
  const id = randomUUID();
  const stop = () => void chatWorker.ask('stopImport', id).catch(() => undefined);
  if (signal.aborted) return { kind: 'stopped' };
  signal.addEventListener('abort', stop);
  try {
    const onProgress = ({ chats, read }: { chats: Parameters<ImportTally['add']>[0]; read: number }) => {
      tally.add(chats);
      tell(read);
    };
    return await chatWorker.ask('importFiles', { id, files }, { onProgress });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function tellEnd({ importReports }: ChatServices, tally: ImportTally, end: ImportEnd): Promise<void> {
  const show = vscode.l10n.t('Show Report');
  const severity = end.problem ? 'error' : tally.isClean ? 'info' : 'warning';
  const chosen = await notify(severity, tally.summary(end), ...(tally.isEmpty ? [] : [show]));
  if (chosen === show) await importReports.show(tally.report(end));
}
