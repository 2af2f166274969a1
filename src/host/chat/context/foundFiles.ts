import * as vscode from 'vscode';

/** So many are looked at, of which the best are shown. */
const maxFound = 300;
const maxShown = 40;

/** Where nothing is typed, no more than these are shown, unless more are open. */
const maxRecent = 15;

/** Nobody asks about what was installed. */
const uninteresting = '**/{node_modules,.git,__pycache__,.venv}/**';
/** What was built changed last, and nobody wrote it. */
const built = '**/{node_modules,.git,__pycache__,.venv,dist,out,build,target,coverage}/**';

/**
 * The files of the workspace whose path holds what is typed, best first; those that are open, and changed
 * last, where nothing is typed.
 */
export async function findFiles(typed: string, signal: AbortSignal): Promise<readonly vscode.Uri[]> {
  if (typed === '') return openAndRecent(signal);
  const found = await filesLike(`**/*${anyCase(typed)}*`, uninteresting, signal);
  return found.toSorted((one, other) => rank(one, typed) - rank(other, typed)).slice(0, maxShown);
}

async function filesLike(
  pattern: string,
  without: string,
  signal: AbortSignal,
): Promise<readonly vscode.Uri[]> {
  const cancel = new vscode.CancellationTokenSource();
  const stop = () => cancel.cancel();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return await vscode.workspace.findFiles(pattern, without, maxFound, cancel.token);
  } finally {
    signal.removeEventListener('abort', stop);
    cancel.dispose();
  }
}

/** The files that are open, and after them some of the workspace, those that changed last first. */
async function openAndRecent(signal: AbortSignal): Promise<readonly vscode.Uri[]> {
  const open = openFiles();
  const found = await filesLike('**/*', built, signal);
  const dated = await Promise.all(found.map(async (uri) => ({ uri, time: await changedAt(uri) })));
  const recent = dated.toSorted((one, other) => other.time - one.time).map(({ uri }) => uri);
  const all = new Map([...open, ...recent].map((uri) => [uri.toString(), uri]));
  return [...all.values()].slice(0, Math.max(open.length, maxRecent)).slice(0, maxShown);
}

/** In milliseconds since 1970; 0 for a file that cannot be read. */
async function changedAt(uri: vscode.Uri): Promise<number> {
  return vscode.workspace.fs.stat(uri).then(
    ({ mtime }) => mtime,
    () => 0,
  );
}

/** The files that are open in tabs. */
function openFiles(): readonly vscode.Uri[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const files = uris.filter(({ scheme }) => scheme === 'untitled' || isFile(scheme));
  return [...new Map(files.map((uri) => [uri.toString(), uri])).values()];
}

function isFile(scheme: string): boolean {
  return vscode.workspace.fs.isWritableFileSystem(scheme) !== undefined;
}

/** A name that begins with what is typed comes first, then a name that holds it, then shorter paths. */
function rank({ path }: vscode.Uri, typed: string): number {
  const at = (path.split('/').at(-1) ?? '').toLowerCase().indexOf(typed.toLowerCase());
  return (at === 0 ? 0 : at > 0 ? 10_000 : 20_000) + path.length;
}

/** A pattern in which a letter stands for both its cases, and no character for anything else. */
function anyCase(typed: string): string {
  return [...typed]
    .map((each) => {
      if ('[]{}*?'.includes(each)) return `[${each}]`;
      const [lower, upper] = [each.toLowerCase(), each.toUpperCase()];
      return lower === upper || lower.length + upper.length > 2 ? each : `[${lower}${upper}]`;
    })
    .join('');
}
