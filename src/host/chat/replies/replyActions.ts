import * as vscode from 'vscode';
import type { ReplyMessage } from '../../../protocol/chatTurn.ts';
import { openInEditor, showDocument } from '../../kit/display/editors.ts';
import type { LastEditor } from '../../kit/display/lastEditor.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { clip, removeHidden } from '../../kit/display/plainText.ts';
import { describeReadOnlyRefusal, isReadOnlyBySettings } from './readOnlyFiles.ts';
import { Terminals } from './terminals.ts';
import { findWorkspaceFile, mayChange } from './workspaceFiles.ts';

const wrapsCodeKey = 'chat.wrapCode';

const maxNameLength = 60;

/** Handles clicks on code and file names in replies. */
export class ReplyActions {
  readonly #memory: vscode.Memento;
  readonly #lastEditor: LastEditor;
  readonly #terminals = new Terminals();

  constructor(memory: vscode.Memento, lastEditor: LastEditor) {
    this.#memory = memory;
    this.#lastEditor = lastEditor;
  }

  /** Whether long lines of code wrap. */
  get wrapsCode(): boolean {
    return this.#memory.get(wrapsCodeKey) === true;
  }

  async setWrapsCode(wrapsCode: boolean): Promise<void> {
    await this.#memory.update(wrapsCodeKey, wrapsCode);
  }

  async handle(message: ReplyMessage): Promise<void> {
    switch (message.type) {
      case 'insert-code':
        return insertCode(message.text, this.#lastEditor.writable);
      case 'new-file':
        return openAsNewFile(message.text, message.language);
      case 'put-into-terminal':
        return this.#terminals.insert(message.text, message.language);
      case 'open-file':
        return openFile(message.reference);
      case 'open-link':
        return openLink(message.url);
      default:
        return message satisfies never;
    }
  }

  /** Filters the references to existing files of the workspace. */
  async findExistingReferences(references: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(references.map((reference) => findWorkspaceFile(reference)));
    return references.filter((_, index) => found[index] !== undefined);
  }

  dispose(): void {
    this.#terminals.dispose();
  }
}

/** The names that replies use for languages, by VS Code's language ids. */
const languageAliases: Readonly<Record<string, readonly string[]>> = {
  bat: ['cmd'],
  c: ['h'],
  cpp: ['c++', 'hpp'],
  csharp: ['cs', 'c#'],
  diff: ['patch'],
  dockerfile: ['docker'],
  go: ['golang'],
  html: ['htm'],
  javascript: ['js', 'mjs', 'cjs', 'node'],
  javascriptreact: ['jsx'],
  kotlin: ['kt'],
  makefile: ['make'],
  markdown: ['md'],
  plaintext: ['text', 'txt'],
  powershell: ['ps1', 'pwsh'],
  python: ['py'],
  ruby: ['rb'],
  rust: ['rs'],
  shellscript: ['bash', 'sh', 'zsh', 'shell'],
  typescript: ['ts', 'mts', 'cts'],
  typescriptreact: ['tsx'],
  yaml: ['yml'],
};

/** Opens code of a reply in a new untitled editor. Sets its language if VS Code supports the language. */
async function openAsNewFile(code: string, language: string): Promise<void> {
  const name = language.toLowerCase();
  const [id = name] = Object.entries(languageAliases).find(([, aliases]) => aliases.includes(name)) ?? [];
  const supported = await vscode.languages.getLanguages();
  const document = await vscode.workspace.openTextDocument({
    content: removeHidden(code),
    ...(supported.includes(id) && { language: id }),
  });
  await showDocument(document, { preview: false });
}

/**
 * Inserts code at the cursor or selection of an editor, as one undoable edit. Files that configure tools and files
 * outside the workspace are not changed.
 */
export async function insertCode(code: string, editor: vscode.TextEditor | undefined): Promise<void> {
  if (!editor) {
    return notifyInfo(
      vscode.l10n.t(
        'There is no editor to insert the code into. Open a file and place the cursor in it first.',
      ),
    );
  }
  const { document, selections } = editor;
  if (!(await mayChange(document.uri))) return notifyInfo(describeRefusal(document.uri));
  if (await isReadOnlyBySettings(document)) return notifyInfo(describeReadOnlyRefusal(document.uri));
  const options = editor.viewColumn === undefined ? {} : { viewColumn: editor.viewColumn };
  const shown = await showDocument(document, { ...options, preview: false });
  const text = removeHidden(code).replace(/\n$/, '');
  const isApplied = await shown.edit((edit) => {
    for (const selection of selections) edit.replace(document.validateRange(selection), text);
  });
  if (!isApplied) await notifyInfo(vscode.l10n.t('“{0}” cannot be changed.', formatFileName(document.uri)));
}

/** Opens a workspace file named in a reply, as a preview next to the chat, with its lines selected. */
async function openFile(reference: string): Promise<void> {
  const found = await findWorkspaceFile(reference);
  if (!found) {
    await notify('info', describeMissingFile(reference));
    return;
  }
  const { uri, selection } = found;
  await openInEditor(uri, {
    preview: true,
    viewColumn: findColumnNextToChat(),
    ...(selection && { selection }),
  });
}

function describeMissingFile(reference: string): string {
  if (!vscode.workspace.workspaceFolders?.length)
    return vscode.l10n.t('“{0}” cannot be opened, because no folder is open.', reference);
  return vscode.l10n.t('There is no file “{0}” in this workspace.', reference);
}

/** Finds the group of a visible text editor, otherwise the next group, so that a file does not cover the chat. */
export function findColumnNextToChat(): vscode.ViewColumn {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return (
    (activeTextEditor ?? visibleTextEditors.find(({ viewColumn }) => viewColumn !== undefined))?.viewColumn ??
    vscode.ViewColumn.Beside
  );
}

function describeRefusal(uri: vscode.Uri): string {
  return vscode.l10n.t(
    'The code cannot be inserted into “{0}”: files outside the workspace and files whose names begin with a dot are not changed automatically. Copy the code instead.',
    formatFileName(uri),
  );
}

function formatFileName(uri: vscode.Uri): string {
  return clip(uri.path.split('/').at(-1) ?? '', maxNameLength);
}

async function notifyInfo(message: string): Promise<void> {
  await notify('info', message);
}

/** Opens a link of a reply after the user has confirmed its whole address. Only web and mail links are opened. */
async function openLink(url: string): Promise<void> {
  if (!URL.canParse(url) || !['http:', 'https:', 'mailto:'].includes(new URL(url).protocol)) return;
  const open = vscode.l10n.t('Open');
  const chosen = await confirm(
    vscode.l10n.t('Open this address from a model’s reply?'),
    new URL(url).href,
    open,
  );
  if (chosen === open) await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
