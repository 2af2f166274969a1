import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import type { Unsent } from '../asking/unsent.ts';
import { addReferences, type NewReference, selectionsOf } from '../context/addContext.ts';
import {
  gitRepositories,
  hasChanges,
  noChanges,
  noRepository,
  repositoryOf,
} from '../context/gitRepositories.ts';
import type { BuiltInPrompt, PromptContext } from './builtInPrompts.ts';
import { missingSentence } from './promptWords.ts';

/**
 * Adds the context of a built-in prompt to a chat that has none yet. Context that the user chose is not changed.
 *
 * @param editor the one that was used last
 * @returns whether the chat has context; a notification says why it has none
 */
export async function addPromptContext(
  unsent: Unsent,
  { adds }: BuiltInPrompt,
  editor: vscode.TextEditor | undefined,
): Promise<boolean> {
  if (unsent.context.entries.length > 0) return true;
  const references = await contextFor(adds, editor);
  if (references.length > 0) return addReferences(unsent, references);
  void notify('info', adds === 'changes' ? await missingChanges() : missingSentence('file'));
  return false;
}

async function contextFor(
  adds: PromptContext,
  editor: vscode.TextEditor | undefined,
): Promise<readonly NewReference[]> {
  if (adds === 'changes') return changes(editor);
  const selected = editor ? selectionsOf(editor) : [];
  const changed = adds === 'review' && selected.length === 0 ? await changes(editor) : [];
  if (!editor || changed.length > 0) return changed;
  const uri = editor.document.uri.toString();
  const code = selected.length > 0 ? selected : [{ kind: 'file', uri } as const];
  const hasProblems = adds === 'problems' && vscode.languages.getDiagnostics(editor.document.uri).length > 0;
  return hasProblems ? [...code, { kind: 'problems', uri }] : code;
}

async function missingChanges(): Promise<string> {
  const [repository] = await gitRepositories();
  return repository ? noChanges(repository.rootUri) : noRepository();
}

/** The changes in the repository of the open file, else in every open repository that has any. */
async function changes(editor: vscode.TextEditor | undefined): Promise<readonly NewReference[]> {
  const own = editor && (await repositoryOf(editor.document.uri));
  const roots = own ? [own] : (await gitRepositories()).map(({ rootUri }) => rootUri);
  const references: NewReference[] = [];
  for (const root of roots) {
    if (await hasChanges(root)) references.push({ kind: 'changes', repository: root.toString() });
  }
  return references;
}
