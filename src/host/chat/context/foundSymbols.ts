import * as vscode from 'vscode';
import { untilAborted } from '../../../base/untilAborted.ts';
import { type NewReference, selectedLines } from './addContext.ts';
import { fileName } from './contextReference.ts';

/** How long language extensions may take, in milliseconds: a language server may have to start first. */
const answerMs = 15_000;

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
  const found = await answered<readonly vscode.SymbolInformation[]>(
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
  const symbols = await answered<readonly vscode.DocumentSymbol[]>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  const range = innermost(symbols ?? [], name, position) ?? new vscode.Range(position, position);
  // Some language extensions report an end far below the file.
  const document = await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
  const [first, last] = selectedLines(document?.validateRange(range) ?? range);
  return { kind: 'file', uri: uri.toString(), lines: [first, last], symbol: name.slice(0, 500) };
}

/** What language extensions answer; undefined where they fail, or take too long. */
async function answered<T>(command: string, about: unknown): Promise<T | undefined> {
  const answer = Promise.resolve(vscode.commands.executeCommand<T | undefined>(command, about));
  return untilAborted(answer, AbortSignal.timeout(answerMs)).catch(() => undefined);
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
