import { basename, dirname, extname } from 'node:path';
import * as vscode from 'vscode';
import type { PageAction } from '../../../protocol/chatPage.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { addReferences, type NewReference, readSelections } from '../context/addContext.ts';
import {
  describeNoChanges,
  describeNoRepository,
  findGitRepositories,
  findRepositoryRoot,
  hasGitChanges,
} from '../context/gitRepositories.ts';
import type { UnsentInput } from '../context/unsentInput.ts';
import { type BuiltInPrompt, isBuiltIn, type PromptContext } from './builtInPrompts.ts';
import type { FilePrompt } from './promptFile.ts';
import type { PromptForm } from './promptForm.ts';
import type { PromptLibrary } from './promptLibrary.ts';
import { type FoundPrompt, readFileName, readPromptFile } from './promptList.ts';
import { type EditorVariable, findEditorVariables } from './promptTemplate.ts';
import { describeMissingValue, describePromptProblem, formatFileLocation } from './promptWords.ts';

/** The part of a chat's tab that prompts use. */
export interface PromptTab {
  readonly session: { readonly unsent: UnsentInput };
  readonly prompts: PromptForm;
  perform(action: PageAction): void;
}

/**
 * Fills the message box of a chat with the current text of a prompt, but does not send it. A built-in prompt also adds
 * context. It is not run if no context is available.
 *
 * @param openChat opens the chat. It is called after the prompt and its values were read.
 */
export async function runPrompt(
  { editor }: PromptLibrary,
  listedPrompt: FoundPrompt,
  openChat: () => Promise<PromptTab>,
): Promise<void> {
  const { uri, folder } = listedPrompt;
  const found = isBuiltIn(listedPrompt) ? listedPrompt : await readPromptFile(uri, folder);
  if (!found.prompt)
    return notifyProblem(uri, found.problem?.line, found.problem ? describePromptProblem(found.problem) : '');
  const values = await readEditorValues(uri, found.prompt, editor.current);
  if (!values) return;
  const chat = await openChat();
  const isReady =
    !isBuiltIn(listedPrompt) || (await addPromptContext(chat.session.unsent, listedPrompt, editor.current));
  if (isReady) await chat.prompts.start({ uri, prompt: found.prompt, editorValues: values });
  chat.perform(chat.prompts.view ? 'focus-prompt-form' : 'focus-composer');
}

/** Reads the values of the editor variables in a prompt. If one is missing, notifies the user and returns undefined. */
async function readEditorValues(
  uri: vscode.Uri,
  { template }: FilePrompt,
  editor: vscode.TextEditor | undefined,
): Promise<ReadonlyMap<EditorVariable, string> | undefined> {
  const values = new Map<EditorVariable, string>();
  for (const { name, line } of findEditorVariables(template)) {
    const value = await readEditorValue(name, editor);
    if (value === '') {
      await notifyProblem(uri, line, `\${${name}}: ${describeMissingValue(name)}`);
      return undefined;
    }
    values.set(name, value);
  }
  return values;
}

/** Shows the problem of a prompt, and offers to open its file at the line. */
async function notifyProblem(uri: vscode.Uri, line: number | undefined, sentence: string): Promise<void> {
  const open = vscode.l10n.t('Open Prompt File');
  const message = vscode.l10n.t('{0}: {1}', formatFileLocation(readFileName(uri), line), sentence);
  if ((await notify('error', message, open)) !== open) return;
  const start = new vscode.Position((line ?? 1) - 1, 0);
  await showDocument(uri, { selection: new vscode.Range(start, start) });
}

/** Reads the current value of an editor variable; empty if the variable has no value. */
async function readEditorValue(name: EditorVariable, editor: vscode.TextEditor | undefined): Promise<string> {
  switch (name) {
    case 'selection':
    case 'selectedText':
      return editor ? readSelectedText(editor) : '';
    case 'clipboard':
      return vscode.env.clipboard.readText();
    case 'workspaceFolder':
      return findFolderPath(editor) ?? '';
    case 'workspaceFolderBasename':
      return basename(findFolderPath(editor) ?? '');
    default:
      return editor ? readFileValue(name, editor.document) : '';
  }
}

type FileVariable = Exclude<
  EditorVariable,
  'selection' | 'selectedText' | 'clipboard' | 'workspaceFolder' | 'workspaceFolderBasename'
>;

function readFileValue(name: FileVariable, document: vscode.TextDocument): string {
  const path = toPath(document.uri);
  switch (name) {
    case 'file':
      return path;
    case 'relativeFile':
      return vscode.workspace.asRelativePath(document.uri, false);
    case 'fileBasename':
      return basename(path);
    case 'fileBasenameNoExtension':
      return basename(path, extname(path));
    case 'fileDirname':
      return dirname(path);
    case 'fileContent':
      return document.getText();
    case 'language':
      return document.languageId;
  }
}

/** Reads all selected texts, separated by line breaks. */
function readSelectedText({ document, selections }: vscode.TextEditor): string {
  return selections
    .filter(({ isEmpty }) => !isEmpty)
    .map((selection) => document.getText(selection))
    .join('\n');
}

function findFolderPath(editor: vscode.TextEditor | undefined): string | undefined {
  const { workspace } = vscode;
  const folder = editor && workspace.getWorkspaceFolder(editor.document.uri);
  const uri = (folder ?? workspace.workspaceFolders?.[0])?.uri;
  return uri && toPath(uri);
}

function toPath(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : uri.path;
}

/**
 * Adds the context of a built-in prompt to a chat that has no context yet. The user's own context is not changed.
 *
 * @param editor the last used editor
 * @returns whether the chat has context now; otherwise the user was notified of the reason
 */
async function addPromptContext(
  unsent: UnsentInput,
  { addedContext }: BuiltInPrompt,
  editor: vscode.TextEditor | undefined,
): Promise<boolean> {
  if (unsent.context.entries.length > 0) return true;
  const references = await findContext(addedContext, editor);
  if (references.length > 0) return addReferences(unsent, references);
  void notify(
    'info',
    addedContext === 'changes' ? await describeMissingChanges() : describeMissingValue('file'),
  );
  return false;
}

async function findContext(
  addedContext: PromptContext,
  editor: vscode.TextEditor | undefined,
): Promise<readonly NewReference[]> {
  if (addedContext === 'changes') return findChangeReferences(editor);
  const selections = editor ? readSelections(editor) : [];
  const changes =
    addedContext === 'review' && selections.length === 0 ? await findChangeReferences(editor) : [];
  if (!editor || changes.length > 0) return changes;
  const uri = editor.document.uri.toString();
  const code = selections.length > 0 ? selections : [{ kind: 'file', uri } as const];
  const hasProblems =
    addedContext === 'problems' && vscode.languages.getDiagnostics(editor.document.uri).length > 0;
  return hasProblems ? [...code, { kind: 'problems', uri }] : code;
}

async function describeMissingChanges(): Promise<string> {
  const [repository] = await findGitRepositories();
  return repository ? describeNoChanges(repository.rootUri) : describeNoRepository();
}

/** Finds the changes in the repository of the open file, otherwise in every open repository. */
async function findChangeReferences(editor: vscode.TextEditor | undefined): Promise<readonly NewReference[]> {
  const repository = editor && (await findRepositoryRoot(editor.document.uri));
  const roots = repository ? [repository] : (await findGitRepositories()).map(({ rootUri }) => rootUri);
  const references: NewReference[] = [];
  for (const root of roots) {
    if (await hasGitChanges(root)) references.push({ kind: 'changes', repository: root.toString() });
  }
  return references;
}
