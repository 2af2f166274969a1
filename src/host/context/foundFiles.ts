import * as vscode from 'vscode';

/** So many are looked at, of which the best are shown. */
const maxFound = 300;
const maxShown = 40;

/** Nobody asks about what was installed. */
const uninteresting = '**/{node_modules,.git,__pycache__,.venv}/**';

/** The files of the workspace whose path holds what is typed, best first; the open ones where nothing is typed. */
export async function findFiles(typed: string, signal: AbortSignal): Promise<readonly vscode.Uri[]> {
  if (typed === '') return openFiles().slice(0, maxShown);
  const cancel = new vscode.CancellationTokenSource();
  const stop = () => cancel.cancel();
  signal.addEventListener('abort', stop);
  try {
    const found = await vscode.workspace.findFiles(
      `**/*${anyCase(typed)}*`,
      uninteresting,
      maxFound,
      cancel.token,
    );
    return found.toSorted((one, other) => rank(one, typed) - rank(other, typed)).slice(0, maxShown);
  } finally {
    signal.removeEventListener('abort', stop);
    cancel.dispose();
  }
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
