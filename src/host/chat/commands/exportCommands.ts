import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { formatLocalDate } from '../../../base/localDate.ts';
import type { DocumentWords, ExportFormat } from '../../../conversations/transfer/exportChats.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { pick } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { ChatServices } from '../chatServices.ts';
import { createChatFileName } from '../transfer/chatFileName.ts';
import { pickExportTarget, writeLocally } from '../transfer/localFiles.ts';
import { resolveChats } from './resolveChats.ts';

const extensions: Readonly<Record<ExportFormat, string>> = { jsonl: 'jsonl', markdown: 'md' };

/**
 * Lets the user choose how to export chats: all branches to a file, the shown branch to a file or an editor, or all
 * chats to one file.
 */
export async function exportChosenChats(
  services: ChatServices,
  row?: unknown,
  selected?: unknown,
): Promise<void> {
  const hasSeveralRows = Array.isArray(selected) && selected.length > 1;
  const isChatRow = isObject(row) && row.kind === 'chat';
  const kind = hasSeveralRows ? 'jsonl' : await pickExportKind(!isChatRow);
  if (kind === undefined) return;
  if (kind === 'all') return exportAllChats(services);
  const title = vscode.l10n.t('Choose the chat to export');
  const chats = await resolveChats(services, row, selected, { title, filter: { hasMessages: true } });
  const [first, ...others] = chats;
  if (!first) return;
  if (kind === 'editor') return openAsMarkdown(services, first.id);
  const fallback = vscode.l10n.t('Chat');
  const name =
    others.length > 0 ? vscode.l10n.t('Chats') : createChatFileName(first.title || first.beginning, fallback);
  await exportTo(services, { name, format: kind, chats: chats.map(({ id }) => id) });
}

/** Exports all chats with their attachments to a file that can be imported again. */
async function exportAllChats(services: ChatServices): Promise<void> {
  const store = await services.conversations.store();
  if (store.list({ archived: 'any', hasMessages: true }, 1).conversations.length === 0) {
    return showStatusMessage(vscode.l10n.t('There is no chat to export yet.'));
  }
  const name = vscode.l10n.t('Chats {0}', formatLocalDate(new Date()));
  await exportTo(services, { name, format: 'jsonl' });
}

/** Opens a copy of a chat as text in an editor, for editing, saving or copying. */
async function openAsMarkdown({ chatWorker }: ChatServices, chat: string): Promise<void> {
  const content = await chatWorker.request('chatDocument', { chat, words: createDocumentWords() });
  if (content === undefined) return void notify('warning', vscode.l10n.t('This chat no longer exists.'));
  const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
  await showDocument(document, { preview: false });
}

interface ExportRequest {
  /** The suggested file name, without extension. */
  readonly name: string;
  readonly format: ExportFormat;
  /** The ids of the chats; absent to export all chats. */
  readonly chats?: readonly string[];
}

/** @param offersAll whether the user can choose to export all chats */
async function pickExportKind(offersAll: boolean): Promise<ExportFormat | 'editor' | 'all' | undefined> {
  const { t } = vscode.l10n;
  const all = {
    kind: 'all',
    label: t('All Chats'),
    detail: t('All chats with all branches and attachments in one JSON Lines file.'),
  } as const;
  const items = [
    {
      kind: 'jsonl',
      label: 'JSON Lines',
      detail: t('The whole chat with all branches and attachments. It can be imported again.'),
    },
    {
      kind: 'markdown',
      label: 'Markdown',
      detail: t('The branch that is shown, as readable text. Attachments are listed by name only.'),
    },
    {
      kind: 'editor',
      label: t('Open as Markdown'),
      detail: t('The branch that is shown, in an editor.'),
    },
    ...(offersAll ? [all] : []),
  ] as const;
  return (await pick(items, { title: t('Choose the export format') }))?.kind;
}

async function exportTo(services: ChatServices, request: ExportRequest): Promise<void> {
  const target = await pickTarget(request);
  if (!target) return;
  try {
    const exported = await writeExport(services, target, request);
    if (exported) reportExported(target, exported);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    await offerRetry(services, request, target, error);
  }
}

function pickTarget({ name, format }: ExportRequest): Promise<vscode.Uri | undefined> {
  const extension = extensions[format];
  return pickExportTarget(vscode.l10n.t('Export Chats To'), `${name}.${extension}`, {
    [format === 'jsonl' ? 'JSON Lines' : 'Markdown']: [extension],
  });
}

/** Writes the file, with a progress notification. @returns undefined if the user cancels */
function writeExport({ chatWorker }: ChatServices, target: vscode.Uri, { chats, format }: ExportRequest) {
  const title = vscode.l10n.t('Exporting to {0}…', basename(target.path));
  return withNotificationProgress(title, async (signal, reportProgress) => {
    try {
      return await writeLocally(target, (file) =>
        chatWorker.request(
          'exportChats',
          { file, format, ...(chats && { chats }) },
          { signal, onProgress: ({ done, total }) => reportProgress(done / total) },
        ),
      );
    } catch (error) {
      if (!signal.aborted) throw error;
      showStatusMessage(vscode.l10n.t('Export cancelled. Nothing was written.'));
      return undefined;
    }
  });
}

function reportExported(
  target: vscode.Uri,
  { chats, missingAttachments }: { readonly chats: number; readonly missingAttachments: number },
): void {
  const name = basename(target.path);
  if (chats === 0) {
    void notify('warning', vscode.l10n.t('The chat was deleted in the meantime: “{0}” is empty.', name));
  } else if (missingAttachments > 0) {
    const message = vscode.l10n.t(
      'Exported to “{0}”, without attachments that are no longer on the disk: {1}.',
      name,
      missingAttachments,
    );
    void notify('warning', message);
  } else showStatusMessage(vscode.l10n.t('Exported to {0}', name));
}

/** Notifies the user that a file was not written, and offers to export to another file. */
async function offerRetry(
  services: ChatServices,
  request: ExportRequest,
  target: vscode.Uri,
  { kind, message }: StorageError,
): Promise<void> {
  const other = vscode.l10n.t('Export Elsewhere…');
  const name = basename(target.path);
  const text =
    kind === 'full'
      ? vscode.l10n.t('“{0}” was not written: the disk is full.', name)
      : vscode.l10n.t('“{0}” was not written: {1}', name, message);
  if ((await notify('error', text, other)) === other) await exportTo(services, request);
}

/** Creates the fixed texts of a chat document, in the user's language. */
function createDocumentWords(): DocumentWords {
  const { t } = vscode.l10n;
  return {
    question: t('Question'),
    reply: t('Reply'),
    systemPrompt: t('System prompt'),
    toolResult: t('Result'),
    reasoning: t('Reasoning'),
    image: t('Image'),
    file: t('File'),
    stopped: t('Stopped'),
    truncated: t('Cut off at the token limit'),
    failed: t('Failed'),
    untitled: t('Chat'),
    onlyPath: t('Only the branch that was shown was imported. Messages on other branches: {0}.', '{count}'),
  };
}
