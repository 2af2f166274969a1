import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import type { Prompt } from './promptFile.ts';
import { maxPromptLength, type PromptProblem, promptSuffix, readPrompt } from './promptFile.ts';

/** So many prompt files are read of each place. */
const maxFiles = 200;

/** Where the prompts of a workspace folder lie, as VS Code's own do. */
export const workspacePrompts = '.github/prompts';

/** Why a prompt file cannot be used. */
export type FileProblem =
  | PromptProblem
  | { readonly kind: 'unreadable'; readonly detail: string; readonly line?: never };

/** A prompt file, as far as it can be read, or a built-in prompt. */
export interface FoundPrompt {
  readonly uri: vscode.Uri;
  /** The workspace folder that it belongs to; absent for one of the user's own. */
  readonly folder?: string;
  readonly prompt?: Prompt;
  /** Absent where there is a prompt. */
  readonly problem?: FileProblem;
}

/**
 * Finds the prompts of the workspace and those of the user, by name. Prompts of a workspace that is not trusted stay
 * out.
 *
 * @param read reads one file; by default as it is now
 */
export async function findPrompts(
  ownFolder: vscode.Uri,
  read: typeof readPromptFile = readPromptFile,
): Promise<readonly FoundPrompt[]> {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const found = await Promise.all([...folders.map(workspaceFiles), ownFiles(ownFolder)]);
  const prompts = await Promise.all(found.flat().map(({ uri, folder }) => read(uri, folder)));
  return prompts.toSorted(byName);
}

/** Whether the workspace may hold prompts that are not offered, because it is not trusted. */
export async function holdsUntrustedPrompts(): Promise<boolean> {
  if (vscode.workspace.isTrusted) return false;
  const found = await Promise.all((vscode.workspace.workspaceFolders ?? []).map(workspaceFiles));
  return found.flat().length > 0;
}

export function byName(one: FoundPrompt, other: FoundPrompt): number {
  return nameOf(one).localeCompare(nameOf(other));
}

/** What a prompt is called: by itself, else by its file. */
export function nameOf({ uri, prompt }: FoundPrompt): string {
  return prompt?.name ?? fileName(uri);
}

export function fileName(uri: vscode.Uri): string {
  return uri.path.split('/').at(-1) ?? '';
}

export async function readPromptFile(uri: vscode.Uri, folder?: string): Promise<FoundPrompt> {
  const where = { uri, ...(folder !== undefined && { folder }) };
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    // Pipes and devices may have no end.
    if ((type & vscode.FileType.File) === 0) return { ...where, problem: { kind: 'binary', line: 1 } };
    // A character takes at most 3 bytes for each of its UTF-16 units.
    if (size > 3 * maxPromptLength) return { ...where, problem: { kind: 'too-long', length: size, line: 1 } };
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return { ...where, ...readPrompt(text, fileName(uri)) };
  } catch (error) {
    return { ...where, problem: { kind: 'unreadable', detail: errorMessage(error) } };
  }
}

interface Place {
  readonly uri: vscode.Uri;
  readonly folder?: string;
}

async function workspaceFiles({ uri, name }: vscode.WorkspaceFolder): Promise<readonly Place[]> {
  const files = await filesIn(vscode.Uri.joinPath(uri, workspacePrompts));
  return files.map((file) => ({ uri: file, folder: name }));
}

async function ownFiles(folder: vscode.Uri): Promise<readonly Place[]> {
  return (await filesIn(folder)).map((uri) => ({ uri }));
}

async function filesIn(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const entries = await vscode.workspace.fs.readDirectory(folder).then(
    (all) => all,
    () => [],
  );
  return entries
    .filter(([name, type]) => name.endsWith(promptSuffix) && (type & vscode.FileType.Directory) === 0)
    .slice(0, maxFiles)
    .map(([name]) => vscode.Uri.joinPath(folder, name));
}
