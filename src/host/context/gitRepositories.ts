import * as vscode from 'vscode';
import { ContextError } from './contextError.ts';
import { fileName } from './contextReference.ts';

/** What is used of the interface of VS Code's own extension for git, version 1. */
interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly onDidChange: vscode.Event<void> };
  /** As one patch. @param cached the staged changes, else those of the working tree */
  diff(cached?: boolean): Promise<string>;
  /** The patch of what is staged of a file. */
  diffIndexWithHEAD(path: string): Promise<string>;
  /** The patch of what is not staged of a file, whatever its name says. */
  diffWithHEAD(path: string): Promise<string>;
  /** Which of the paths are ignored. */
  checkIgnore(paths: string[]): Promise<Set<string>>;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): {
    readonly state: 'uninitialized' | 'initialized';
    readonly onDidChangeState: vscode.Event<string>;
    readonly repositories: readonly GitRepository[];
    getRepository(uri: vscode.Uri): GitRepository | null;
  };
}

/** How long git may take to find the repositories, in milliseconds. */
const startMs = 5000;

/** The repositories that are open; none where there is no git. */
export async function gitRepositories(): Promise<readonly GitRepository[]> {
  return (await gitApi())?.repositories ?? [];
}

/** Whether git ignores a file. Where there is no repository, nothing is ignored. */
export async function isGitIgnored(file: vscode.Uri): Promise<boolean> {
  if (file.scheme !== 'file') return false;
  const repository = (await gitApi())?.getRepository(file);
  const ignored = await repository?.checkIgnore([file.fsPath]).catch(() => undefined);
  return (ignored?.size ?? 0) > 0;
}

/** The repository of a file; undefined where it is in none. */
export async function repositoryOf(file: vscode.Uri): Promise<vscode.Uri | undefined> {
  return (await gitApi())?.getRepository(file)?.rootUri;
}

/** Whether git has changes of a file that it follows. */
export async function hasChanges(file: vscode.Uri): Promise<boolean> {
  const repository = (await gitApi())?.getRepository(file);
  return repository ? (await changesIn(repository, file)) !== '' : false;
}

/** Empty where there are none, and for a file that git does not follow yet. */
async function changesIn(repository: GitRepository, file?: vscode.Uri): Promise<string> {
  const path = file?.fsPath;
  const [staged, unstaged] =
    path === undefined
      ? [await repository.diff(true), await repository.diff(false)]
      : [await repository.diffIndexWithHEAD(path), await repository.diffWithHEAD(path)];
  const parts = [
    ...(staged.trim() === '' ? [] : [`# Staged changes\n${staged}`]),
    ...(unstaged.trim() === '' ? [] : [`# Changes that are not staged\n${unstaged}`]),
  ];
  return parts.join('\n');
}

/**
 * What is not committed in a repository, or of one file in it: what is staged, and after it what is not.
 *
 * @throws {ContextError} when there is nothing, or no such repository
 */
export async function changesText(root: vscode.Uri, file?: vscode.Uri): Promise<string> {
  const key = root.toString();
  const repository = (await gitRepositories()).find(({ rootUri }) => rootUri.toString() === key);
  if (!repository) throw new ContextError(noRepository());
  const text = await changesIn(repository, file);
  if (text === '') throw noChanges(file ?? root);
  return text;
}

function noChanges(place: vscode.Uri): ContextError {
  return new ContextError(
    vscode.l10n.t('There are no changes in “{0}”. New files count once they are staged.', fileName(place)),
  );
}

/** That there is nothing to take changes from. */
export function noRepository(): string {
  return vscode.l10n.t('There is no git repository open in this window, so there are no changes to add.');
}

async function gitApi() {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  const git = await extension?.activate().then(undefined, () => undefined);
  if (!git?.enabled) return undefined;
  const api = git.getAPI(1);
  if (api.state === 'uninitialized') await settled(api.onDidChangeState);
  return api;
}

async function settled(onDidChange: vscode.Event<string>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, startMs);
  const subscription = onDidChange(() => resolve());
  await promise;
  clearTimeout(timer);
  subscription.dispose();
}
