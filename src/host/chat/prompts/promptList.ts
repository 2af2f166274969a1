import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import {
  type FilePrompt,
  maxPromptLength,
  type PromptProblem,
  promptSuffix,
  readPrompt,
} from './promptFile.ts';

/** The maximum number of prompt files in each folder. */
const maxFiles = 200;

/** The folder of prompts within a workspace folder. VS Code uses the same folder for its own prompts. */
export const workspacePromptsFolder = '.github/prompts';

/** The reason why a prompt file cannot be used. */
export type PromptFileProblem =
  | PromptProblem
  | { readonly kind: 'unreadable'; readonly detail: string; readonly line?: never };

/** A prompt file, which may be invalid, or a built-in prompt. */
export interface FoundPrompt {
  readonly uri: vscode.Uri;
  /** The name of the workspace folder with the file; absent for built-in prompts and the user's own prompts. */
  readonly folder?: string;
  readonly prompt?: FilePrompt;
  /** Absent if `prompt` is set. */
  readonly problem?: PromptFileProblem;
}

/**
 * Finds the prompts of the workspace and of the user, sorted by name. Prompts of an untrusted workspace are
 * omitted.
 *
 * @param read reads a file; by default without a cache
 */
export async function findPrompts(
  ownFolder: vscode.Uri,
  read: typeof readPromptFile = readPromptFile,
): Promise<readonly FoundPrompt[]> {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const found = await Promise.all([...folders.map(listWorkspacePrompts), listOwnPrompts(ownFolder)]);
  const prompts = await Promise.all(found.flat().map(({ uri, folder }) => read(uri, folder)));
  return prompts.toSorted(compareByName);
}

/** Whether the workspace has prompts that are not listed because the user does not trust the workspace. */
export async function hasUntrustedPrompts(): Promise<boolean> {
  if (vscode.workspace.isTrusted) return false;
  const found = await Promise.all((vscode.workspace.workspaceFolders ?? []).map(listWorkspacePrompts));
  return found.flat().length > 0;
}

export function compareByName(one: FoundPrompt, other: FoundPrompt): number {
  return readPromptName(one).localeCompare(readPromptName(other));
}

/** Reads the name of a prompt: its own name, otherwise its file name. */
export function readPromptName({ uri, prompt }: FoundPrompt): string {
  return prompt?.name ?? readFileName(uri);
}

export function readFileName(uri: vscode.Uri): string {
  return uri.path.split('/').at(-1) ?? '';
}

/** Reads a prompt file. An unreadable or invalid file is returned with its problem. */
export async function readPromptFile(uri: vscode.Uri, folder?: string): Promise<FoundPrompt> {
  const location = { uri, ...(folder !== undefined && { folder }) };
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    // Pipes and devices may never end.
    if ((type & vscode.FileType.File) === 0) return { ...location, problem: { kind: 'binary', line: 1 } };
    // Each UTF-16 unit has at most 3 bytes in UTF-8.
    if (size > 3 * maxPromptLength)
      return { ...location, problem: { kind: 'too-long', length: size, line: 1 } };
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return { ...location, ...readPrompt(text, readFileName(uri)) };
  } catch (error) {
    return { ...location, problem: { kind: 'unreadable', detail: errorMessage(error) } };
  }
}

interface PromptLocation {
  readonly uri: vscode.Uri;
  readonly folder?: string;
}

async function listWorkspacePrompts({
  uri,
  name,
}: vscode.WorkspaceFolder): Promise<readonly PromptLocation[]> {
  const files = await listPromptFiles(vscode.Uri.joinPath(uri, workspacePromptsFolder));
  return files.map((file) => ({ uri: file, folder: name }));
}

async function listOwnPrompts(folder: vscode.Uri): Promise<readonly PromptLocation[]> {
  return (await listPromptFiles(folder)).map((uri) => ({ uri }));
}

async function listPromptFiles(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const entries = await vscode.workspace.fs.readDirectory(folder).then(undefined, () => []);
  return entries
    .filter(([name, type]) => name.endsWith(promptSuffix) && (type & vscode.FileType.Directory) === 0)
    .slice(0, maxFiles)
    .map(([name]) => vscode.Uri.joinPath(folder, name));
}
