import * as vscode from 'vscode';
import { untilAborted } from '../../../base/untilAborted.ts';
import { ContextError } from './contextError.ts';
import { fileName } from './contextReference.ts';
import { type GitRepository, gitApi } from './gitExtension.ts';

/** How long git may take to tell what changed, in milliseconds. */
const diffMs = 20_000;

/** The repositories that are open; none where there is no git, or it does not tell in time. */
export async function gitRepositories(ms?: number): Promise<readonly GitRepository[]> {
  return (await gitApi(ms))?.repositories ?? [];
}

/** The repository of a file; undefined where it is in none. */
export async function repositoryOf(file: vscode.Uri): Promise<vscode.Uri | undefined> {
  return (await gitApi())?.getRepository(file)?.rootUri;
}

/** Whether git has changes of a file that it follows, as far as it tells. */
export async function hasChanges(file: vscode.Uri): Promise<boolean> {
  const repository = (await gitApi())?.getRepository(file);
  if (!repository) return false;
  return within(diffMs, changesIn(repository, file)).then(
    (text) => text !== '',
    () => true,
  );
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
 * @param ms how long git may take
 * @throws {ContextError} when there is nothing, or no such repository, or git fails or takes longer
 */
export async function changesText(root: vscode.Uri, file?: vscode.Uri, ms = diffMs): Promise<string> {
  const key = root.toString();
  const repository = (await gitRepositories()).find(({ rootUri }) => rootUri.toString() === key);
  if (!repository) throw new ContextError(noRepository());
  const text = await within(ms, changesIn(repository, file)).catch((error: unknown) => {
    throw unknownChanges(file ?? root, isTimeout(error) ? ms : undefined);
  });
  if (text === '') throw new ContextError(noChanges(file ?? root));
  return text;
}

/** That there is nothing to take changes from. */
export function noRepository(): string {
  return vscode.l10n.t('There is no git repository open in this window, so there are no changes to add.');
}

export function noChanges(place: vscode.Uri): string {
  return vscode.l10n.t(
    'There are no changes in “{0}”. New files count once they are staged.',
    fileName(place),
  );
}

/** @param ms how long was waited; undefined where git failed */
function unknownChanges(place: vscode.Uri, ms: number | undefined): ContextError {
  const name = fileName(place);
  return new ContextError(
    ms === undefined
      ? vscode.l10n.t('Git could not list the changes in “{0}”. See the Git output for details.', name)
      : vscode.l10n.t(
          'Git did not list the changes in “{0}” within {1} seconds. Try again, or add the files instead.',
          name,
          Math.ceil(ms / 1000),
        ),
  );
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return untilAborted(promise, AbortSignal.timeout(ms));
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
