// Editors: the view of a document in a tab, with its selections.
import type * as vscode from 'vscode';
import type { Document } from './documents.ts';
import { collectEdits } from './edits.ts';
import { EventEmitter, Range, Selection } from './values.ts';

const changedSelection = new EventEmitter<vscode.TextEditorSelectionChangeEvent>();

export const onDidChangeTextEditorSelection = changedSelection.event;

/** The part of a tab that an editor needs: a tab can move to another group. */
interface EditorTab {
  readonly group: { readonly viewColumn: number };
}

/** The editor of a text document. */
export class Editor {
  readonly document: Document;
  readonly tab: EditorTab;
  readonly options = { tabSize: 4, insertSpaces: true };
  #selections: readonly vscode.Selection[] = [new Selection(0, 0, 0, 0) as vscode.Selection];

  constructor(document: Document, tab: EditorTab) {
    [this.document, this.tab] = [document, tab];
  }

  get viewColumn(): number {
    return this.tab.group.viewColumn;
  }

  /** The whole document, because nothing scrolls. */
  get visibleRanges(): readonly vscode.Range[] {
    return [new Range(0, 0, this.document.lineCount, 0) as vscode.Range];
  }

  get selection(): vscode.Selection {
    return this.#selections[0] as vscode.Selection;
  }

  set selection(selection: vscode.Selection) {
    this.selections = [selection];
  }

  get selections(): readonly vscode.Selection[] {
    return this.#selections;
  }

  set selections(selections: readonly vscode.Selection[]) {
    this.#selections = selections;
    const textEditor = this as unknown as vscode.TextEditor;
    // In VS Code, the event arrives after the assignment.
    setImmediate(() => changedSelection.fire({ textEditor, selections, kind: undefined }));
  }

  revealRange(): void {}

  async edit(build: (builder: vscode.TextEditorEdit) => void): Promise<boolean> {
    this.document.edit(collectEdits(build));
    return true;
  }
}
