import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import { type FoundRow, pickAsTyped } from '../../kit/display/pickAsTyped.ts';
import { type Choice, pick } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { addFiles, addReferences, type NewReference, selectionsOf } from '../context/addContext.ts';
import { displayPath } from '../context/contextReference.ts';
import { findFiles } from '../context/findFiles.ts';
import {
  gitRepositories,
  hasChanges,
  noRepositoryMessage,
  repositoryOf,
} from '../context/gitRepositories.ts';
import { type FoundSymbol, findSymbols, symbolReference } from '../context/symbolContext.ts';
import type { UnsentInput } from '../context/unsentInput.ts';

/** Adds context to the last active chat, otherwise to a new one. Focuses its message box if anything was added. */
async function addTo({ chats }: ChatServices, add: (unsent: UnsentInput) => Promise<boolean>): Promise<void> {
  const chat = chats.lastActive ?? (await chats.open({}));
  if (await add(chat.session.unsent)) chat.perform('focus-composer');
}

function addAll(services: ChatServices, references: readonly NewReference[]): Promise<void> {
  return addTo(services, (unsent) => addReferences(unsent, references));
}

async function addSelection(services: ChatServices): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? services.editor.writable;
  const references = editor ? selectionsOf(editor) : [];
  if (references.length > 0) await addAll(services, references);
  else showStatusMessage(vscode.l10n.t('Nothing is selected in an editor.'));
}

/** @param clicked the clicked item in the explorer or a tab, followed by the selected items */
async function addFile(services: ChatServices, clicked?: unknown, selected?: unknown): Promise<void> {
  const files = urisIn(selected).length > 0 ? urisIn(selected) : urisIn([clicked]);
  const open = vscode.window.activeTextEditor?.document.uri;
  const chosen = files.length > 0 ? files : await pickFiles(open);
  if (chosen.length > 0) await addTo(services, (unsent) => addFiles(unsent, chosen));
}

/** Lets the user pick a file. The open file is listed first. */
async function pickFiles(open: vscode.Uri | undefined): Promise<readonly vscode.Uri[]> {
  interface Row extends FoundRow {
    readonly uri?: vscode.Uri;
  }
  const title = vscode.l10n.t('Add File to Chat');
  const picked = await pickAsTyped<Row>({
    title,
    placeHolder: vscode.l10n.t('Type part of the path'),
    find: async (typed, show, signal) => {
      const found = await findFiles(typed.trim(), signal);
      const first = typed.trim() === '' && open ? [open] : [];
      const others = found.filter((uri) => uri.toString() !== first[0]?.toString());
      const rows = [...first, ...others].map((uri) => ({ ...fileRow(uri), uri }));
      show(rows.length > 0 ? rows : [messageRow(vscode.l10n.t('There is no such file.'))], title);
    },
  });
  return picked?.uri ? [picked.uri] : [];
}

/** @param clicked a file whose problems are added without a dialog */
async function addProblems(services: ChatServices, clicked?: unknown): Promise<void> {
  const [file] = urisIn([clicked]);
  if (file) return addAll(services, [{ kind: 'problems', uri: file.toString() }]);
  const open = (vscode.window.activeTextEditor ?? services.editor.writable)?.document.uri;
  const allCount = vscode.languages.getDiagnostics().reduce((sum, [, some]) => sum + some.length, 0);
  if (allCount === 0) return showStatusMessage(vscode.l10n.t('VS Code reports no problems.'));
  const openFileCount = open ? vscode.languages.getDiagnostics(open).length : 0;
  if (!open || openFileCount === 0) return addAll(services, [{ kind: 'problems' }]);
  const picked = await pick<Choice & { readonly uri?: string }>(
    [
      {
        label: vscode.l10n.t('Problems in {0}', displayPath(open)),
        description: `${openFileCount}`,
        uri: open.toString(),
      },
      { label: vscode.l10n.t('All Problems'), description: `${allCount}` },
    ],
    { title: vscode.l10n.t('Add Problems to Chat') },
  );
  const { uri } = picked ?? {};
  if (picked) await addAll(services, [{ kind: 'problems', ...(uri !== undefined && { uri }) }]);
}

/** @param clicked the clicked items of the source control view: a repository, or files */
async function addChanges(services: ChatServices, ...clicked: readonly unknown[]): Promise<void> {
  const files = urisIn(clicked);
  if (files.length > 0) return addFileChanges(services, files);
  const [first] = clicked;
  const root = isObject(first) && first.rootUri instanceof vscode.Uri ? first.rootUri : undefined;
  const roots = root ? [root] : (await gitRepositories()).map(({ rootUri }) => rootUri);
  if (roots.length === 0) return void (await notify('info', noRepositoryMessage()));
  const choices = roots.map((uri) => ({ label: displayPath(uri), description: uri.path, uri }));
  const chosen =
    choices.length === 1
      ? choices[0]
      : await pick(choices, { title: vscode.l10n.t('Choose the repository to add changes from') });
  if (chosen) await addAll(services, [{ kind: 'changes', repository: chosen.uri.toString() }]);
}

/** Adds the changes of files. An untracked file has no changes for git, so the whole file is added. */
async function addFileChanges(services: ChatServices, files: readonly vscode.Uri[]): Promise<void> {
  const references: NewReference[] = [];
  const withoutRepository: vscode.Uri[] = [];
  for (const file of files) {
    const root = await repositoryOf(file);
    const uri = file.toString();
    if (root && (await hasChanges(file))) {
      references.push({ kind: 'changes', repository: root.toString(), uri });
    } else if (root) references.push({ kind: 'file', uri });
    else withoutRepository.push(file);
  }
  if (references.length === 0) return void (await notify('info', noRepositoryMessage()));
  if (withoutRepository.length > 0) void notify('info', withoutRepositoryText(withoutRepository));
  await addAll(services, references);
}

function withoutRepositoryText(files: readonly vscode.Uri[]): string {
  const names = joinNames(files.map(displayPath));
  return vscode.l10n.t('Not in a Git repository that is open in this window, so not added: {0}', names);
}

async function addSymbol(services: ChatServices): Promise<void> {
  interface Row extends FoundRow {
    readonly symbol?: FoundSymbol;
    readonly isFile?: boolean;
  }
  const title = vscode.l10n.t('Add Symbol to Chat');
  const picked = await pickAsTyped<Row>({
    title,
    placeHolder: vscode.l10n.t('Type part of the name'),
    find: async (typed, show) => {
      const found = typed.trim() === '' ? [] : await findSymbols(typed.trim());
      const rows = found.map((symbol) => ({
        ...{ label: symbol.name, description: symbol.location, icon: 'symbol-method', symbol },
      }));
      const none = vscode.l10n.t('There is no such symbol, or no extension for its language.');
      const file = { label: vscode.l10n.t('File…'), icon: 'file', isFile: true };
      show(rows.length > 0 || typed.trim() === '' ? rows : [messageRow(none), file], title);
    },
  });
  if (picked?.isFile) await addFile(services);
  else if (picked?.symbol) await addAll(services, [await symbolReference(picked.symbol)]);
}

/**
 * Lets the user choose the kind of context to add.
 *
 * @param clicked the file of the clicked editor, for its problems
 */
async function addContext(services: ChatServices, clicked?: unknown): Promise<void> {
  const kinds: readonly (Choice & { readonly add: () => Promise<void> })[] = [
    {
      ...{ label: vscode.l10n.t('Pictures…'), icon: 'file-media' },
      add: () =>
        addTo(services, async ({ attachments }) => {
          await attachments.pick();
          return true;
        }),
    },
    { label: vscode.l10n.t('Selection'), icon: 'selection', add: () => addSelection(services) },
    { label: vscode.l10n.t('File…'), icon: 'file', add: () => addFile(services) },
    { label: vscode.l10n.t('Symbol…'), icon: 'symbol-method', add: () => addSymbol(services) },
    { label: vscode.l10n.t('Problems'), icon: 'list-flat', add: () => addProblems(services, clicked) },
    { label: vscode.l10n.t('Changes'), icon: 'diff', add: () => addChanges(services) },
  ];
  const picked = await pick(kinds, { title: vscode.l10n.t('Choose the context to add') });
  await picked?.add();
}

function fileRow(uri: vscode.Uri): Choice {
  const name = displayPath(uri);
  const parts = name.split('/');
  return { label: parts.at(-1) ?? name, description: parts.slice(0, -1).join('/'), icon: 'file' };
}

function messageRow(label: string): FoundRow {
  return { label, icon: 'info', isMessage: true };
}

function urisIn(values: unknown): readonly vscode.Uri[] {
  const all = Array.isArray(values) ? values : [];
  return all.flatMap((each: unknown) => {
    if (each instanceof vscode.Uri) return [each];
    return isObject(each) && each.resourceUri instanceof vscode.Uri ? [each.resourceUri] : [];
  });
}

/** The commands that add context to a chat, by their ids. */
export const contextCommands = {
  'context.add': addContext,
  'context.addSelection': addSelection,
  'context.addFile': addFile,
  'context.addChanges': addChanges,
} satisfies CommandTable<ChatServices>;
