import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { ExportFormat } from '../../../conversations/transfer/exportChats.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { pick } from '../../kit/display/prompts.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { ChatServices } from '../chatServices.ts';
import { chosenChat, chosenChats, isAsked } from '../list/chosenChats.ts';
import { chatFileName } from './chatFileName.ts';
import { documentWords } from './documentWords.ts';
import { writtenLocally } from './localFiles.ts';

const extensions: Readonly<Record<ExportFormat, string>> = { jsonl: 'jsonl', markdown: 'md' };

/** Writes the chosen chats into a file: whole, or one as it is shown. */
export async function exportChat(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to export');
  const chats = await chosenChats(services, row, selected, { title, isSuitable: isAsked });
  const [first] = chats;
  if (!first) return;
  const format = chats.length > 1 ? 'jsonl' : await chosenFormat();
  if (!format) return;
  const otherwise = vscode.l10n.t('Chat');
  const name =
    chats.length > 1 ? vscode.l10n.t('Chats') : chatFileName(first.title || first.beginning, otherwise);
  await exportTo(services, { name, format, chats: chats.map(({ id }) => id) });
}

/** Writes all chats, with their attachments, into a file that can be imported anywhere. */
export async function exportAllChats(services: ChatServices): Promise<void> {
  const store = await services.conversations.store();
  if (store.list({ archived: 'any', asked: true }, 1).conversations.length === 0) {
    return showStatusMessage(vscode.l10n.t('There is no chat to export yet.'));
  }
  const day = new Date().toLocaleDateString('sv');
  await exportTo(services, { name: vscode.l10n.t('Chats {0}', day), format: 'jsonl' });
}

/** Shows a chat as text in an editor, to be edited, saved or copied. The chat itself stays as it is. */
export async function openAsMarkdown(services: ChatServices, row?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to open as Markdown');
  const chat = await chosenChat(services, row, { title, isSuitable: isAsked });
  if (!chat) return;
  const content = await services.chatWorker.ask('chatDocument', { chat: chat.id, words: documentWords() });
  if (content === undefined) return void notify('warning', vscode.l10n.t('This chat no longer exists.'));
  const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
  await showDocument(document, { preview: false });
}

interface Wanted {
  readonly name: string;
  readonly format: ExportFormat;
  /** All of them without. */
  readonly chats?: readonly string[];
}

async function chosenFormat(): Promise<ExportFormat | undefined> {
  const items = [
    {
      format: 'jsonl' as const,
      label: 'JSON Lines',
      detail: vscode.l10n.t('The whole chat with all branches and attachments. It can be imported again.'),
    },
    {
      format: 'markdown' as const,
      label: 'Markdown',
      detail: vscode.l10n.t('The branch that is shown, as text to read. Attachments are only named.'),
    },
  ];
  return (await pick(items, { title: vscode.l10n.t('Choose the export format') }))?.format;
}

async function exportTo(services: ChatServices, wanted: Wanted): Promise<void> {
  const target = await askWhere(wanted);
  if (!target) return;
  try {
    const exported = await write(services, target, wanted);
    if (exported) tellExported(target, exported);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    await offerOther(services, wanted, target, error);
  }
}

async function askWhere({ name, format }: Wanted): Promise<vscode.Uri | undefined> {
  const extension = extensions[format];
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const file = `${name}.${extension}`;
  return vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Chats To'),
    saveLabel: vscode.l10n.t('Export'),
    defaultUri: folder ? vscode.Uri.joinPath(folder.uri, file) : vscode.Uri.file(join(homedir(), file)),
    filters: { [format === 'jsonl' ? 'JSON Lines' : 'Markdown']: [extension] },
  });
}

/** @returns undefined when the user cancels */
function write({ chatWorker }: ChatServices, target: vscode.Uri, { chats, format }: Wanted) {
  const title = vscode.l10n.t('Exporting to {0}…', basename(target.path));
  return withNotificationProgress(title, async (signal, tell) => {
    try {
      return await writtenLocally(target, (file) =>
        chatWorker.ask(
          'exportChats',
          { file, format, ...(chats && { chats }) },
          { signal, onProgress: ({ done, total }) => tell(done / total) },
        ),
      );
    } catch (error) {
      if (!signal.aborted) throw error;
      showStatusMessage(vscode.l10n.t('Export cancelled. Nothing was written.'));
      return undefined;
    }
  });
}

function tellExported(
  target: vscode.Uri,
  { chats, missingAttachments }: { readonly chats: number; readonly missingAttachments: number },
): void {
  const name = basename(target.path);
  if (chats === 0) {
    void notify('warning', vscode.l10n.t('The chat was deleted in the meantime: “{0}” is empty.', name));
  } else if (missingAttachments > 0) {
    const words = vscode.l10n.t(
      'Exported to “{0}”, without attachments that are no longer on the disk: {1}.',
      name,
      missingAttachments,
    );
    void notify('warning', words);
  } else showStatusMessage(vscode.l10n.t('Exported to {0}', name));
}

async function offerOther(
  services: ChatServices,
  wanted: Wanted,
  target: vscode.Uri,
  { kind, message }: StorageError,
): Promise<void> {
  const other = vscode.l10n.t('Export Elsewhere…');
  const name = basename(target.path);
  const words =
    kind === 'full'
      ? vscode.l10n.t('“{0}” was not written: the disk is full.', name)
      : vscode.l10n.t('“{0}” was not written: {1}', name, message);
  if ((await notify('error', words, other)) === other) await exportTo(services, wanted);
}
