import * as vscode from 'vscode';
import { untilAborted } from '../../../base/untilAborted.ts';

/** What is used of a repository of VS Code's own extension for git. */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: GitState;
  /** As one patch. @param cached the staged changes, else those of the working tree */
  diff(cached?: boolean): Promise<string>;
  /** The patch of what is staged of a file. */
  diffIndexWithHEAD(path: string): Promise<string>;
  /** The patch of what is not staged of a file, whatever its name says. */
  diffWithHEAD(path: string): Promise<string>;
  /** Which of the paths are ignored. */
  checkIgnore(paths: string[]): Promise<Set<string>>;
}

interface GitState {
  readonly indexChanges: readonly GitChange[];
  readonly workingTreeChanges: readonly GitChange[];
  /** Absent in older versions. */
  readonly untrackedChanges?: readonly GitChange[];
}

interface GitChange {
  readonly uri: vscode.Uri;
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

/** How long git may take to find the repositories, in milliseconds. */
const startMs = 5000;

/** The interface of the extension, version 1; undefined where there is no git, or it does not answer in time. */
export async function gitApi(ms = startMs): Promise<GitApi | undefined> {
  const signal = AbortSignal.timeout(ms);
  try {
    const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
    const git = extension && (await untilAborted(Promise.resolve(extension.activate()), signal));
    if (!git?.enabled) return undefined;
    const api = git.getAPI(1);
    // What it found by then is better than nothing.
    if (api.state === 'uninitialized') await untilAborted(settled(api), signal).catch(() => undefined);
    return api;
  } catch {
    return undefined;
  }
}

function settled({ onDidChangeState }: GitApi): Promise<void> {
  return new Promise((resolve) => {
    const subscription = onDidChangeState(() => {
      subscription.dispose();
      resolve();
    });
  });
}
