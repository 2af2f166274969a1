import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import type { DocumentWords, ExportFormat } from '../../../conversations/transfer/exportChats.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { pick } from '../../kit/display/prompts.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { ChatServices } from '../chatServices.ts';
import { chosenChats, isAsked } from '../list/chosenChats.ts';
import { chatFileName } from './chatFileName.ts';
import { writtenLocally } from './localFiles.ts';

const extensions: Readonly<Record<ExportFormat, string>> = { jsonl: 'jsonl', markdown: 'md' };

/** Asks how to export the chosen chats: into a file, whole or one as it is shown, or into an editor; or all of them. */
export async function exportChats(services: ChatServices, row?: unknown, selected?: unknown): Promise<void> {
  const isSeveral = Array.isArray(selected) && selected.length > 1;
  const isOfRow = isObject(row) && row.kind === 'chat';
  const way = isSeveral ? 'jsonl' : await chosenWay(!isOfRow);
  if (way === undefined) return;
  if (way === 'all') return exportAllChats(services);
  const title = vscode.l10n.t('Choose the chat to export');
  const chats = await chosenChats(services, row, selected, { title, isSuitable: isAsked });
  const [first, ...others] = chats;
  if (!first) return;
  if (way === 'editor') return openAsMarkdown(services, first.id);
  const otherwise = vscode.l10n.t('Chat');
  const name =
    others.length > 0 ? vscode.l10n.t('Chats') : chatFileName(first.title || first.beginning, otherwise);
  await exportTo(services, { name, format: way, chats: chats.map(({ id }) => id) });
}

/** Writes all chats, with their attachments, into a file that can be imported anywhere. */
async function exportAllChats(services: ChatServices): Promise<void> {
  const store = await services.conversations.store();
  if (store.list({ archived: 'any', asked: true }, 1).conversations.length === 0) {
    return showStatusMessage(vscode.l10n.t('There is no chat to export yet.'));
  }
  const day = new Date().toLocaleDateString('sv');
  await exportTo(services, { name: vscode.l10n.t('Chats {0}', day), format: 'jsonl' });
}

/** Shows a chat as text in an editor, to be edited, saved or copied. The chat itself stays as it is. */
async function openAsMarkdown({ chatWorker }: ChatServices, chat: string): Promise<void> {
  const content = await chatWorker.ask('chatDocument', { chat, words: documentWords() });
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

/** @param offersAll whether all chats can be chosen */
async function chosenWay(offersAll: boolean): Promise<ExportFormat | 'editor' | 'all' | undefined> {
  const { t } = vscode.l10n;
  const all = {
    way: 'all',
    label: t('All Chats'),
    detail: t('All chats with all branches and attachments in one JSON Lines file.'),
  } as const;
  const items = [
    {
      way: 'jsonl',
      label: 'JSON Lines',
      detail: t('The whole chat with all branches and attachments. It can be imported again.'),
    },
    {
      way: 'markdown',
      label: 'Markdown',
      detail: t('The branch that is shown, as text to read. Attachments are only named.'),
    },
    {
      way: 'editor',
      label: t('Open as Markdown'),
      detail: t('The branch that is shown, in an editor.'),
    },
    ...(offersAll ? [all] : []),
  ] as const;
  return (await pick(items, { title: t('Choose the export format') }))?.way;
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

/** The words of a chat as a document, in the user's language. */
function documentWords(): DocumentWords {
  const { t } = vscode.l10n;
  return {
    question: t('Question'),
    answer: t('Reply'),
    systemPrompt: t('System prompt'),
    toolResult: t('Result'),
    reasoning: t('Reasoning'),
    image: t('Image'),
    file: t('File'),
    stopped: t('Stopped'),
    truncated: t('Cut by its limit of tokens'),
    failed: t('Failed'),
    untitled: t('Chat'),
    onlyPath: t('Only the branch that was shown was imported. Messages on other branches: {0}.', '{count}'),
  };
}
