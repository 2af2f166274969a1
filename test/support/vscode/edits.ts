// Edits of an editor, and `WorkspaceEdit`: edits of several documents that are applied together.
import type * as vscode from 'vscode';
import { fs, openTextDocument } from './documents.ts';
import { rejectExisting } from './files.ts';
import { Position, Range } from './values.ts';

interface DocumentEdits {
  readonly uri: vscode.Uri;
  readonly edits: vscode.TextEdit[];
}

/** Collects the edits that a caller of `TextEditor.edit` makes with the builder. */
export function collectEdits(build: (builder: vscode.TextEditorEdit) => void): readonly vscode.TextEdit[] {
  const edits: vscode.TextEdit[] = [];
  const replace = (at: vscode.Range | vscode.Position, newText: string) => {
    const range = at instanceof Position ? new Range(at, at) : at;
    edits.push({ range: range as vscode.Range, newText });
  };
  build({
    replace,
    insert: replace,
    delete: (range) => replace(range, ''),
    setEndOfLine: () => {},
  });
  return edits;
}

/** New files, and edits of documents. */
export class WorkspaceEdit {
  /** Creates the new files, before the edits are applied. */
  readonly steps: (() => Promise<void>)[] = [];
  readonly edits = new Map<string, DocumentEdits>();

  createFile(uri: vscode.Uri): void {
    this.steps.push(async () => {
      await rejectExisting(uri);
      await fs.writeFile(uri, new Uint8Array());
    });
  }

  insert(uri: vscode.Uri, position: vscode.Position, newText: string): void {
    this.replace(uri, new Range(position as Position, position as Position) as vscode.Range, newText);
  }

  replace(uri: vscode.Uri, range: vscode.Range, newText: string): void {
    const key = uri.toString();
    const known = this.edits.get(key) ?? { uri, edits: [] };
    this.edits.set(key, known);
    known.edits.push({ range, newText });
  }

  delete(uri: vscode.Uri, range: vscode.Range): void {
    this.replace(uri, range, '');
  }
}

/** Applies the edits without saving the documents, and returns whether that succeeded. */
export async function applyEdit({ steps, edits }: WorkspaceEdit): Promise<boolean> {
  try {
    for (const step of steps) await step();
    for (const { uri, edits: documentEdits } of edits.values()) {
      const document = await openTextDocument(uri);
      document.edit(documentEdits);
    }
    return true;
  } catch {
    return false;
  }
}
