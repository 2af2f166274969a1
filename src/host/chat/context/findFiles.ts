import * as vscode from 'vscode';

/** The maximum number of files that are found and ranked. */
const maxFound = 300;

/** The maximum number of files that are returned. */
const maxShown = 40;

/** The maximum number of files for an empty input, unless more files are open. */
const maxRecent = 15;

/** Excludes installed packages, which are not useful as context. */
const excludedPackages = '**/{node_modules,.git,__pycache__,.venv}/**';

/** Also excludes build output, which often changed last although the user did not edit it. */
const excludedPackagesAndOutput =
  '**/{node_modules,.git,__pycache__,.venv,dist,out,build,target,coverage}/**';

/**
 * Finds the files of the workspace whose paths contain `typed`, best first. If `typed` is empty, returns the open
 * files and the most recently changed files.
 */
export async function findFiles(typed: string, signal: AbortSignal): Promise<readonly vscode.Uri[]> {
  if (typed === '') return findOpenAndRecent(signal);
  const found = await searchFiles(`**/*${createCaseInsensitiveGlob(typed)}*`, excludedPackages, signal);
  return found.toSorted((one, other) => rankFile(one, typed) - rankFile(other, typed)).slice(0, maxShown);
}

async function searchFiles(
  pattern: string,
  exclude: string,
  signal: AbortSignal,
): Promise<readonly vscode.Uri[]> {
  const cancellation = new vscode.CancellationTokenSource();
  const stop = () => cancellation.cancel();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return await vscode.workspace.findFiles(pattern, exclude, maxFound, cancellation.token);
  } finally {
    signal.removeEventListener('abort', stop);
    cancellation.dispose();
  }
}

/** Returns the open files, followed by the most recently changed files of the workspace. */
async function findOpenAndRecent(signal: AbortSignal): Promise<readonly vscode.Uri[]> {
  const openFiles = listOpenFiles();
  const found = await searchFiles('**/*', excludedPackagesAndOutput, signal);
  const filesWithTimes = await Promise.all(
    found.map(async (uri) => ({ uri, time: await readChangeTime(uri) })),
  );
  const recentFiles = filesWithTimes.toSorted((one, other) => other.time - one.time).map(({ uri }) => uri);
  const all = new Map([...openFiles, ...recentFiles].map((uri) => [uri.toString(), uri]));
  return [...all.values()].slice(0, Math.max(openFiles.length, maxRecent)).slice(0, maxShown);
}

/** Reads the time of the last change, in milliseconds since 1970; 0 for a file that cannot be read. */
async function readChangeTime(uri: vscode.Uri): Promise<number> {
  return vscode.workspace.fs.stat(uri).then(
    ({ mtime }) => mtime,
    () => 0,
  );
}

/** Lists the files that are open in tabs. */
function listOpenFiles(): readonly vscode.Uri[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const files = uris.filter(({ scheme }) => scheme === 'untitled' || isFileScheme(scheme));
  return [...new Map(files.map((uri) => [uri.toString(), uri])).values()];
}

function isFileScheme(scheme: string): boolean {
  return vscode.workspace.fs.isWritableFileSystem(scheme) !== undefined;
}

/** Ranks a file by its path: first names that start with `typed`, then names that contain it, then other paths. */
function rankFile({ path }: vscode.Uri, typed: string): number {
  const index = (path.split('/').at(-1) ?? '').toLowerCase().indexOf(typed.toLowerCase());
  return (index === 0 ? 0 : index > 0 ? 10_000 : 20_000) + path.length;
}

/** Creates a glob pattern that matches both cases of each letter, and special characters literally. */
function createCaseInsensitiveGlob(typed: string): string {
  return [...typed]
    .map((character) => {
      if ('[]{}*?'.includes(character)) return `[${character}]`;
      const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
      // The other case of some letters, such as ß, has two characters.
      return lower === upper || lower.length + upper.length > 2 ? character : `[${lower}${upper}]`;
    })
    .join('');
}

/** Escapes a name, so that the glob pattern matches only this name. */
export function escapeGlob(name: string): string {
  return name.replace(/[[\]{}*?]/g, '[$&]');
}
