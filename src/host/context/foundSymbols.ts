import * as vscode from 'vscode';
import type { NewReference } from './addContext.ts';
import { fileName } from './contextReference.ts';

/** More are not shown. */
const maxSymbols = 50;

/** A symbol of the workspace. */
export interface FoundSymbol {
  readonly name: string;
  /** Where it is, for people. */
  readonly place: string;
  readonly uri: vscode.Uri;
  readonly position: vscode.Position;
}

/** The symbols of the workspace whose names match what is typed, as its language extensions find them. */
export async function findSymbols(typed: string): Promise<readonly FoundSymbol[]> {
  const found = await vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    typed,
  );
  return (found ?? []).slice(0, maxSymbols).map(({ name, location, containerName }) => ({
    name,
    place: [fileName(location.uri), containerName].filter((each) => each !== '').join(' · '),
    uri: location.uri,
    position: location.range?.start ?? new vscode.Position(0, 0),
  }));
}

/** The lines that declare a symbol: all of it where a language extension tells, else the line of its name. */
export async function symbolReference({
  name,
  uri,
  position,
}: Pick<FoundSymbol, 'name' | 'uri' | 'position'>): Promise<NewReference> {
  const symbols = await vscode.commands.executeCommand<readonly vscode.DocumentSymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  const range = innermost(symbols ?? [], name, position);
  const lines: [number, number] = range
    ? [range.start.line + 1, range.end.line + 1]
    : [position.line + 1, position.line + 1];
  return { kind: 'file', uri: uri.toString(), lines, symbol: name.slice(0, 500) };
}

function innermost(
  symbols: readonly vscode.DocumentSymbol[],
  name: string,
  position: vscode.Position,
): vscode.Range | undefined {
  for (const symbol of symbols) {
    if (!symbol.range.contains(position)) continue;
    const within = innermost(symbol.children ?? [], name, position);
    if (within) return within;
    // Some extensions tell a name with its parameters.
    if (symbol.name === name || name.startsWith(symbol.name) || symbol.name.startsWith(name))
      return symbol.range;
  }
  return undefined;
}
