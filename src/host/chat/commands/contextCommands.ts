import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import { type FoundRow, pickAsTyped } from '../../kit/display/pickAsTyped.ts';
import { type Choice, pick } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { addFiles, addReferences, type NewReference, readSelections } from '../context/addContext.ts';
import { formatDisplayPath } from '../context/contextReference.ts';
import { findFiles } from '../context/findFiles.ts';
import {
  describeNoRepository,
  findGitRepositories,
  findRepositoryRoot,
  hasGitChanges,
} from '../context/gitRepositories.ts';
import { createSymbolReference, type FoundSymbol, findSymbols } from '../context/symbolContext.ts';
import type { UnsentInput } from '../context/unsentInput.ts';

/** Adds context to the last active chat, otherwise to a new chat. Focuses its message box if anything was added. */
async function addToChat(
  { chats }: ChatServices,
  add: (unsent: UnsentInput) => Promise<boolean>,
): Promise<void> {
  const chat = chats.lastActive ?? (await chats.open({}));
  if (await add(chat.session.unsent)) chat.perform('focus-composer');
}

function addReferencesToChat(services: ChatServices, references: readonly NewReference[]): Promise<void> {
  return addToChat(services, (unsent) => addReferences(unsent, references));
}

async function addSelection(services: ChatServices): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? services.editor.writable;
  const references = editor ? readSelections(editor) : [];
  if (references.length > 0) await addReferencesToChat(services, references);
  else showStatusMessage(vscode.l10n.t('Nothing is selected in an editor.'));
}

/**
 * @param clicked the clicked item in the explorer, or the clicked tab
 * @param selected all selected items; undefined or empty if only `clicked` is added
 */
async function addFile(services: ChatServices, clicked?: unknown, selected?: unknown): Promise<void> {
  const selectedFiles = extractUris(selected);
  const files = selectedFiles.length > 0 ? selectedFiles : extractUris([clicked]);
  const openFile = vscode.window.activeTextEditor?.document.uri;
  const chosen = files.length > 0 ? files : await pickFiles(openFile);
  if (chosen.length > 0) await addToChat(services, (unsent) => addFiles(unsent, chosen));
}

/** Lets the user pick a file. The open file is listed first. */
async function pickFiles(openFile: vscode.Uri | undefined): Promise<readonly vscode.Uri[]> {
  interface Row extends FoundRow {
    readonly uri?: vscode.Uri;
  }
  const title = vscode.l10n.t('Add File to Chat');
  const picked = await pickAsTyped<Row>({
    title,
    placeHolder: vscode.l10n.t('Type part of the path'),
    find: async (typed, show, signal) => {
      const found = await findFiles(typed.trim(), signal);
      const first = typed.trim() === '' && openFile ? [openFile] : [];
      const others = found.filter((uri) => uri.toString() !== first[0]?.toString());
      const rows = [...first, ...others].map((uri) => ({ ...createFileRow(uri), uri }));
      show(rows.length > 0 ? rows : [createMessageRow(vscode.l10n.t('There is no such file.'))], title);
    },
  });
  return picked?.uri ? [picked.uri] : [];
}

/** @param clicked the clicked file. Its problems are added without a dialog. */
async function addProblems(services: ChatServices, clicked?: unknown): Promise<void> {
  const [file] = extractUris([clicked]);
  if (file) return addReferencesToChat(services, [{ kind: 'problems', uri: file.toString() }]);
  const openFile = (vscode.window.activeTextEditor ?? services.editor.writable)?.document.uri;
  const problemCount = vscode.languages
    .getDiagnostics()
    .reduce((sum, [, diagnostics]) => sum + diagnostics.length, 0);
  if (problemCount === 0) return showStatusMessage(vscode.l10n.t('VS Code reports no problems.'));
  const openFileProblemCount = openFile ? vscode.languages.getDiagnostics(openFile).length : 0;
  if (!openFile || openFileProblemCount === 0) return addReferencesToChat(services, [{ kind: 'problems' }]);
  const picked = await pick<Choice & { readonly uri?: string }>(
    [
      {
        label: vscode.l10n.t('Problems in {0}', formatDisplayPath(openFile)),
        description: `${openFileProblemCount}`,
        uri: openFile.toString(),
      },
      { label: vscode.l10n.t('All Problems'), description: `${problemCount}` },
    ],
    { title: vscode.l10n.t('Add Problems to Chat') },
  );
  const { uri } = picked ?? {};
  if (picked) await addReferencesToChat(services, [{ kind: 'problems', ...(uri !== undefined && { uri }) }]);
}

/** @param clicked the clicked items of the source control view: a repository, or files */
async function addChanges(services: ChatServices, ...clicked: readonly unknown[]): Promise<void> {
  const files = extractUris(clicked);
  if (files.length > 0) return addFileChanges(services, files);
  const [first] = clicked;
  const root = isObject(first) && first.rootUri instanceof vscode.Uri ? first.rootUri : undefined;
  const roots = root ? [root] : (await findGitRepositories()).map(({ rootUri }) => rootUri);
  if (roots.length === 0) {
    await notify('info', describeNoRepository());
    return;
  }
  const choices = roots.map((uri) => ({ label: formatDisplayPath(uri), description: uri.path, uri }));
  const chosen =
    choices.length === 1
      ? choices[0]
      : await pick(choices, { title: vscode.l10n.t('Choose the repository to add changes from') });
  if (chosen) await addReferencesToChat(services, [{ kind: 'changes', repository: chosen.uri.toString() }]);
}

/** Adds the changes of files. Git does not report changes of an untracked file, so the whole file is added. */
async function addFileChanges(services: ChatServices, files: readonly vscode.Uri[]): Promise<void> {
  const references: NewReference[] = [];
  const withoutRepository: vscode.Uri[] = [];
  for (const file of files) {
    const root = await findRepositoryRoot(file);
    const uri = file.toString();
    if (root && (await hasGitChanges(file))) {
      references.push({ kind: 'changes', repository: root.toString(), uri });
    } else if (root) references.push({ kind: 'file', uri });
    else withoutRepository.push(file);
  }
  if (references.length === 0) {
    await notify('info', describeNoRepository());
    return;
  }
  if (withoutRepository.length > 0) void notify('info', describeFilesWithoutRepository(withoutRepository));
  await addReferencesToChat(services, references);
}

function describeFilesWithoutRepository(files: readonly vscode.Uri[]): string {
  const names = joinNames(files.map(formatDisplayPath));
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
        label: symbol.name,
        description: symbol.location,
        icon: 'symbol-method',
        symbol,
      }));
      const notFound = vscode.l10n.t('There is no such symbol, or no extension for its language.');
      const file = { label: vscode.l10n.t('File…'), icon: 'file', isFile: true };
      show(rows.length > 0 || typed.trim() === '' ? rows : [createMessageRow(notFound), file], title);
    },
  });
  if (picked?.isFile) await addFile(services);
  else if (picked?.symbol) await addReferencesToChat(services, [await createSymbolReference(picked.symbol)]);
}

/**
 * Lets the user choose the kind of context to add.
 *
 * @param clicked the file of the clicked editor, for its problems
 */
async function addContext(services: ChatServices, clicked?: unknown): Promise<void> {
  const kinds: readonly (Choice & { readonly add: () => Promise<void> })[] = [
    {
      label: vscode.l10n.t('Pictures…'),
      icon: 'file-media',
      add: () =>
        addToChat(services, async ({ attachments }) => {
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

function createFileRow(uri: vscode.Uri): Choice {
  const name = formatDisplayPath(uri);
  const parts = name.split('/');
  return { label: parts.at(-1) ?? name, description: parts.slice(0, -1).join('/'), icon: 'file' };
}

function createMessageRow(label: string): FoundRow {
  return { label, icon: 'info', isMessage: true };
}

function extractUris(values: unknown): readonly vscode.Uri[] {
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
