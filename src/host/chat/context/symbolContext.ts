import * as vscode from 'vscode';
import { untilAborted } from '../../../base/cancellation.ts';
import { type NewReference, toLineNumbers } from './addContext.ts';
import { formatDisplayPath } from './contextReference.ts';

/** The timeout for language extensions, in milliseconds. It is long, because a language server may have to start. */
const providerTimeoutMs = 15_000;

const maxSymbols = 50;

/** A symbol of the workspace. */
export interface FoundSymbol {
  readonly name: string;
  /** The display text of its location. */
  readonly location: string;
  readonly uri: vscode.Uri;
  readonly position: vscode.Position;
}

/** Finds the symbols of the workspace whose names match `typed`, in the order of the language extensions. */
export async function findSymbols(typed: string): Promise<readonly FoundSymbol[]> {
  const found = await executeProvider<readonly vscode.SymbolInformation[]>(
    'vscode.executeWorkspaceSymbolProvider',
    typed,
  );
  return (found ?? []).slice(0, maxSymbols).map(({ name, location, containerName }) => ({
    name,
    location: [formatDisplayPath(location.uri), containerName].filter((each) => each !== '').join(' · '),
    uri: location.uri,
    position: location.range?.start ?? new vscode.Position(0, 0),
  }));
}

/**
 * Creates a reference to the lines that declare a symbol: its whole range if a language extension reports the range,
 * otherwise the line of its name.
 */
export async function createSymbolReference({
  name,
  uri,
  position,
}: Pick<FoundSymbol, 'name' | 'uri' | 'position'>): Promise<NewReference> {
  const symbols = await executeProvider<readonly vscode.DocumentSymbol[]>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  const range = findInnermostRange(symbols ?? [], name, position) ?? new vscode.Range(position, position);
  // Some language extensions report an end far after the last line of the file.
  const document = await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
  const lines = toLineNumbers(document?.validateRange(range) ?? range);
  return { kind: 'file', uri: uri.toString(), lines, symbol: name.slice(0, 500) };
}

/** Returns the result of language extensions; undefined if they fail or do not respond in time. */
async function executeProvider<T>(command: string, argument: unknown): Promise<T | undefined> {
  const result = Promise.resolve(vscode.commands.executeCommand<T | undefined>(command, argument));
  return untilAborted(result, AbortSignal.timeout(providerTimeoutMs)).catch(() => undefined);
}

/** Finds the range of the innermost symbol with this name around a position. */
function findInnermostRange(
  symbols: readonly vscode.DocumentSymbol[],
  name: string,
  position: vscode.Position,
): vscode.Range | undefined {
  for (const symbol of symbols) {
    if (!symbol.range.contains(position)) continue;
    const innerRange = findInnermostRange(symbol.children ?? [], name, position);
    if (innerRange) return innerRange;
    // Some extensions report a name with its parameters.
    if (symbol.name === name || name.startsWith(symbol.name) || symbol.name.startsWith(name))
      return symbol.range;
  }
  return undefined;
}
