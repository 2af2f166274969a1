import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { errorMessage, errorTrace } from '../../../base/errors.ts';
import type { ImportEnd } from '../../../conversations/transfer/importFiles.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { reportFailure } from '../../connection/failures/notifyFailure.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { pick } from '../../kit/display/quickInput.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { ImportTally } from '../transfer/importTally.ts';
import { readLocally } from '../transfer/localFiles.ts';
import { exportChosenChats } from './exportCommands.ts';

/**
 * Imports chats from files, or from the folder of an unpacked export with attachments. The user first chooses between
 * files and a folder, because most systems have separate dialogs for them.
 */
async function importChats(services: ChatServices): Promise<void> {
  const { t } = vscode.l10n;
  const choices = [
    { kind: 'files', label: t('Files…'), icon: 'file' },
    { kind: 'folder', label: t('Folder of an Unpacked Export…'), icon: 'folder' },
  ] as const;
  const chosen = await pick(choices, { title: t('Choose what to import') });
  if (!chosen) return;
  const files = await vscode.window.showOpenDialog({
    openLabel: t('Import'),
    ...(chosen.kind === 'folder'
      ? { title: t('Import Chats from Folder'), canSelectFiles: false, canSelectFolders: true }
      : {
          title: t('Import Chats'),
          canSelectMany: true,
          filters: {
            [t('Chat exports')]: ['json', 'jsonl', 'zip', 'md', 'markdown'],
            [t('All files')]: ['*'],
          },
        }),
  });
  if (files) await importFiles(services, files);
}

/** @param files the files and folders to import */
async function importFiles(services: ChatServices, files: readonly vscode.Uri[]): Promise<void> {
  const tally = new ImportTally();
  const end = await withNotificationProgress(vscode.l10n.t('Importing chats…'), (signal, reportProgress) =>
    readLocally(files, (paths) => runImport(services, paths, tally, { signal, reportProgress })).catch(
      (error) => {
        services.log.error('chat', errorTrace(error));
        return createFailedEnd(error);
      },
    ),
  );
  void reportEnd(services, tally, end).catch((error) => reportFailure(error, 'chats.import', services));
}

/** Creates the outcome of an import that failed as a whole. */
function createFailedEnd(error: unknown): ImportEnd {
  return { kind: 'refused', problem: explain('import-ended', { cause: errorMessage(error) }) };
}

interface ImportProgress {
  readonly signal: AbortSignal;
  /** @param fraction from 0 to 1 */
  readonly reportProgress: (fraction: number) => void;
}

/** If the user stops the import, waits until the worker has stopped it, so that every stored chat is reported. */
async function runImport(
  { chatWorker }: ChatServices,
  files: readonly string[],
  tally: ImportTally,
  { signal, reportProgress }: ImportProgress,
): Promise<ImportEnd> {
  const id = randomUUID();
  const stop = () => void chatWorker.request('stopImport', id).catch(() => undefined);
  if (signal.aborted) return { kind: 'stopped' };
  signal.addEventListener('abort', stop);
  try {
    return await chatWorker.request(
      'importFiles',
      { id, files },
      {
        onProgress: ({ chats, readShare }) => {
          tally.add(chats);
          reportProgress(readShare);
        },
      },
    );
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function reportEnd({ documents }: ChatServices, tally: ImportTally, end: ImportEnd): Promise<void> {
  const show = vscode.l10n.t('Show Report');
  const severity = end.problem ? 'error' : tally.isClean ? 'info' : 'warning';
  const chosen = await notify(severity, tally.summarize(end), ...(tally.isEmpty ? [] : [show]));
  if (chosen === show)
    await showDocument(documents.add(tally.createReport(end), `${vscode.l10n.t('Imported Chats')}.md`));
}

/** The commands that import and export chats, by their ids. */
export const chatFileCommands = {
  'chats.export': exportChosenChats,
  'chats.import': importChats,
} satisfies CommandTable<ChatServices>;
