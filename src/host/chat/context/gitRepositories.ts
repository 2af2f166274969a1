import * as vscode from 'vscode';
import { untilAborted } from '../../../base/cancellation.ts';
import { ContextError, formatDisplayPath } from './contextReference.ts';

/** The members of a repository object of VS Code's git extension that are used here. */
interface GitRepository {
  readonly rootUri: vscode.Uri;
  /** Returns a patch. @param cached whether the patch contains the staged changes instead of the unstaged changes */
  diff(cached?: boolean): Promise<string>;
  /** Returns the patch of a file's staged changes. */
  diffIndexWithHEAD(path: string): Promise<string>;
  /** Returns the patch of a file's unstaged changes, despite the method's name. */
  diffWithHEAD(path: string): Promise<string>;
}

interface GitApi {
  readonly git: { readonly path: string };
  readonly state: 'uninitialized' | 'initialized';
  readonly onDidChangeState: vscode.Event<string>;
  readonly repositories: readonly GitRepository[];
  getRepository(uri: vscode.Uri): GitRepository | null;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): GitApi;
}

/** The timeout for the git extension to find the repositories, in milliseconds. */
const startTimeoutMs = 5000;

/** The timeout for git to list changes, in milliseconds. */
const diffTimeoutMs = 20_000;

/** Returns the API of the git extension; undefined if git is not available or does not respond in time. */
export async function loadGitApi(timeoutMs = startTimeoutMs): Promise<GitApi | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
    const git = extension && (await untilAborted(Promise.resolve(extension.activate()), signal));
    if (!git?.enabled) return undefined;
    const api = git.getAPI(1);
    // After the timeout, use the repositories found so far.
    if (api.state === 'uninitialized')
      await untilAborted(waitUntilInitialized(api), signal).catch(() => undefined);
    return api;
  } catch {
    return undefined;
  }
}

/** Resolves when the git extension has found the repositories. */
function waitUntilInitialized({ onDidChangeState }: GitApi): Promise<void> {
  return new Promise((resolve) => {
    const subscription = onDidChangeState(() => {
      subscription.dispose();
      resolve();
    });
  });
}

/** Finds the open repositories; empty if git is not available or does not respond in time. */
export async function findGitRepositories(timeoutMs?: number): Promise<readonly GitRepository[]> {
  return (await loadGitApi(timeoutMs))?.repositories ?? [];
}

/** Finds the root of a file's repository; undefined if the file is not in an open repository. */
export async function findRepositoryRoot(file: vscode.Uri): Promise<vscode.Uri | undefined> {
  return (await loadGitApi())?.getRepository(file)?.rootUri;
}

/** Whether git reports changes of a tracked file, or of a repository if `file` is its root. True if git fails. */
export async function hasGitChanges(file: vscode.Uri): Promise<boolean> {
  const repository = (await loadGitApi())?.getRepository(file);
  if (!repository) return false;
  return withTimeout(diffTimeoutMs, readChanges(repository, file)).then(
    (text) => text !== '',
    () => true,
  );
}

/** Reads the patches of a repository or of one file; empty if there are no changes, and for untracked files. */
async function readChanges(repository: GitRepository, file?: vscode.Uri): Promise<string> {
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
 * Reads the uncommitted changes of a repository, or of one file in it: staged changes first, then unstaged changes.
 *
 * @param timeoutMs the timeout for git
 * @throws {ContextError} if no changes exist, the repository is not open, or git fails or times out
 */
export async function readChangesText(
  root: vscode.Uri,
  file?: vscode.Uri,
  timeoutMs = diffTimeoutMs,
): Promise<string> {
  const key = root.toString();
  const repository = (await findGitRepositories()).find(({ rootUri }) => rootUri.toString() === key);
  if (!repository) throw new ContextError(describeNoRepository());
  const text = await withTimeout(timeoutMs, readChanges(repository, file)).catch((error: unknown) => {
    throw createChangesError(file ?? root, isTimeout(error) ? timeoutMs : undefined);
  });
  if (text === '') throw new ContextError(describeNoChanges(file ?? root));
  return text;
}

/** Returns the message that no repository is open. */
export function describeNoRepository(): string {
  return vscode.l10n.t('There is no git repository open in this window, so there are no changes to add.');
}

/** Returns the message that a repository or file has no changes. */
export function describeNoChanges(location: vscode.Uri): string {
  return vscode.l10n.t(
    'There are no changes in “{0}”. New files are included only after they are staged.',
    formatDisplayPath(location),
  );
}

/** @param timeoutMs the timeout that expired; undefined if git failed */
function createChangesError(location: vscode.Uri, timeoutMs: number | undefined): ContextError {
  const name = formatDisplayPath(location);
  return new ContextError(
    timeoutMs === undefined
      ? vscode.l10n.t('Git could not list the changes in “{0}”. See the Git output for details.', name)
      : vscode.l10n.t(
          'Git did not list the changes in “{0}” within {1} seconds. Try again, or add the files instead.',
          name,
          Math.ceil(timeoutMs / 1000),
        ),
  );
}

function withTimeout<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  return untilAborted(promise, AbortSignal.timeout(timeoutMs));
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
