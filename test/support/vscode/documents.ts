// Documents: open documents, and the files and content providers that their texts come from.
import { basename } from 'node:path';
import type * as vscode from 'vscode';
import { TextDocument as Text } from 'vscode-languageserver-textdocument';
import { URI } from 'vscode-uri';
import { files, findProvider, onDidChangeProvidedFiles } from './files.ts';
import { CancellationTokenSource, Disposable, EventEmitter, Position, Range } from './values.ts';

/** The language of each file extension. */
const languagesByExtension: Readonly<Record<string, string>> = {
  css: 'css',
  csv: 'plaintext',
  html: 'html',
  js: 'javascript',
  json: 'json',
  jsonc: 'jsonc',
  md: 'markdown',
  mjs: 'javascript',
  py: 'python',
  sh: 'shellscript',
  ts: 'typescript',
  txt: 'plaintext',
  yaml: 'yaml',
};

const opened = new EventEmitter<vscode.TextDocument>();
const closed = new EventEmitter<vscode.TextDocument>();
const saved = new EventEmitter<vscode.TextDocument>();
const changed = new EventEmitter<vscode.TextDocumentChangeEvent>();

/** The events of `workspace` about documents. */
export const documentEvents = {
  onDidOpenTextDocument: opened.event,
  onDidCloseTextDocument: closed.event,
  onDidSaveTextDocument: saved.event,
  onDidChangeTextDocument: changed.event,
};

/** A document with an undo stack. */
export class Document implements vscode.TextDocument {
  readonly uri: vscode.Uri;
  languageId: string;
  readonly encoding = 'utf8';
  isDirty = false;
  isClosed = false;
  #text: Text;
  readonly #undo: string[] = [];

  constructor(uri: vscode.Uri, text: string, languageId?: string) {
    this.uri = uri;
    this.languageId =
      languageId ?? languagesByExtension[basename(uri.path).split('.').at(-1) ?? ''] ?? 'plaintext';
    this.#text = Text.create(uri.toString(), this.languageId, 1, unifyLineEnds(text));
  }

  get fileName(): string {
    return this.uri.fsPath;
  }

  get isUntitled(): boolean {
    return this.uri.scheme === 'untitled';
  }

  get version(): number {
    return this.#text.version;
  }

  get eol(): vscode.EndOfLine {
    return this.getText().includes('\r\n') ? 2 : 1;
  }

  get lineCount(): number {
    return this.#text.lineCount;
  }

  getText(range?: vscode.Range): string {
    return this.#text.getText(range);
  }

  offsetAt(position: vscode.Position): number {
    return this.#text.offsetAt(position);
  }

  positionAt(offset: number): vscode.Position {
    const { line, character } = this.#text.positionAt(offset);
    return new Position(line, character) as vscode.Position;
  }

  lineAt(at: number | vscode.Position): vscode.TextLine {
    const line = typeof at === 'number' ? at : at.line;
    if (line < 0 || line >= this.lineCount) throw new Error('Illegal value for `line`');
    const lineText = this.getText(new Range(line, 0, line + 1, 0) as vscode.Range);
    const text = lineText.replace(/\r?\n$/, '');
    const first = text.search(/\S/);
    return {
      lineNumber: line,
      text,
      isEmptyOrWhitespace: first === -1,
      range: new Range(line, 0, line, text.length) as vscode.Range,
      rangeIncludingLineBreak: new Range(line, 0, line, lineText.length) as vscode.Range,
      firstNonWhitespaceCharacterIndex: first === -1 ? text.length : first,
    };
  }

  validatePosition(position: vscode.Position): vscode.Position {
    return this.positionAt(this.offsetAt(position));
  }

  validateRange(range: vscode.Range): vscode.Range {
    return new Range(
      this.validatePosition(range.start) as Position,
      this.validatePosition(range.end) as Position,
    ) as vscode.Range;
  }

  getWordRangeAtPosition(position: vscode.Position, pattern = /\w+/g): vscode.Range | undefined {
    const global = new RegExp(pattern, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`);
    for (const { index, 0: word } of this.lineAt(position).text.matchAll(global)) {
      if (index <= position.character && position.character <= index + word.length) {
        return new Range(position.line, index, position.line, index + word.length) as vscode.Range;
      }
    }
    return undefined;
  }

  /** Replaces ranges by texts, as one step for undo. */
  edit(edits: readonly vscode.TextEdit[]): void {
    this.#undo.push(this.getText());
    const replaced = edits.map(({ range, newText }) => ({ range, newText }));
    this.#replaceText(Text.applyEdits(this.#text, replaced));
    this.isDirty = this.isUntitled ? this.getText() !== '' : true;
  }

  /** Restores the text before the last edit. */
  undo(): void {
    const text = this.#undo.pop();
    if (text !== undefined) this.#replaceText(text);
  }

  /** Sets a text that was read again from the file or the content provider. */
  setText(text: string): void {
    const unified = unifyLineEnds(text);
    if (unified !== this.getText()) this.#replaceText(unified);
    this.isDirty = false;
  }

  /** Discards the edits since the last save. */
  async revert(): Promise<void> {
    this.setText(await readText(this.uri));
  }

  /** Writes the text to the file, and returns whether that succeeded. */
  async save(): Promise<boolean> {
    if (this.isUntitled) return false;
    try {
      await fs.writeFile(this.uri, new TextEncoder().encode(this.getText()));
    } catch {
      return false;
    }
    this.isDirty = false;
    saved.fire(this);
    return true;
  }

  /** Replaces the whole text, as one change of the document. */
  #replaceText(text: string): void {
    const range = new Range(0, 0, this.lineCount, 0) as vscode.Range;
    const change = { range, rangeOffset: 0, rangeLength: this.getText().length, text };
    this.#text = Text.create(this.uri.toString(), this.languageId, this.version + 1, text);
    changed.fire({ document: this, contentChanges: [change], reason: undefined });
  }
}

/** Converts all line ends to the most frequent kind, as VS Code does when it reads a text. */
function unifyLineEnds(text: string): string {
  const lineEnds = text.match(/\r\n?|\n/g) ?? [];
  const windowsCount = lineEnds.filter((lineEnd) => lineEnd === '\r\n').length;
  return text.replace(/\r\n?|\n/g, windowsCount > lineEnds.length / 2 ? '\r\n' : '\n');
}

const documents = new Map<string, Document>();
const contentProviders = new Map<string, vscode.TextDocumentContentProvider>();
const { token: neverCancelled } = new CancellationTokenSource();
let untitled = 0;

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Reads the text of a file or of a content provider. */
async function readText(uri: vscode.Uri): Promise<string> {
  const provider = contentProviders.get(uri.scheme);
  if (!provider) return decode(await files.readFile(uri));
  return (await provider.provideTextDocumentContent(uri, neverCancelled)) ?? '';
}

/** Updates an open document from its file, but keeps unsaved edits. */
async function reread(uri: vscode.Uri): Promise<void> {
  const document = documents.get(uri.toString());
  if (document && !document.isDirty) document.setText(decode(await files.readFile(uri)));
}

onDidChangeProvidedFiles((events) => {
  for (const { uri } of events) void reread(uri).catch(() => {});
});

/** The operations of `workspace.fs`, with their effect on open documents. */
export const fs = {
  ...files,
  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const provider = findProvider(uri);
    await files.writeFile(uri, content);
    // A provider reports its changes itself.
    if (!provider) await reread(uri);
  },
};

/** The open documents, in the order in which they were opened. */
export function openDocuments(): readonly Document[] {
  return [...documents.values()];
}

/** Opens a file, a URI, or a new untitled document with the given content. */
export async function openTextDocument(
  source?: vscode.Uri | string | { language?: string; content?: string },
): Promise<Document> {
  if (typeof source === 'object' && !URI.isUri(source)) {
    untitled += 1;
    const { content = '', language } = source as { language?: string; content?: string };
    return addDocument(new Document(URI.parse(`untitled:Untitled-${untitled}`), content, language));
  }
  const uri = URI.isUri(source) ? source : URI.file(String(source));
  const known = documents.get(uri.toString());
  if (known) return known;
  const text = uri.scheme === 'untitled' ? '' : await readText(uri);
  // Another call can open the same document while this one reads the text.
  return documents.get(uri.toString()) ?? addDocument(new Document(uri, text));
}

function addDocument(document: Document): Document {
  documents.set(document.uri.toString(), document);
  opened.fire(document);
  return document;
}

/** Closes a document, which VS Code does some time after its last tab closes. */
export function closeDocument(uri: vscode.Uri): void {
  const document = documents.get(uri.toString());
  if (!document) return;
  documents.delete(uri.toString());
  document.isClosed = true;
  closed.fire(document);
}

/** Adds the content provider of a scheme, and updates open documents when it reports a change. */
export function registerTextDocumentContentProvider(
  scheme: string,
  provider: vscode.TextDocumentContentProvider,
): Disposable {
  contentProviders.set(scheme, provider);
  const following = provider.onDidChange?.(async (uri) => {
    documents.get(uri.toString())?.setText(await readText(uri));
  });
  return new Disposable(() => {
    contentProviders.delete(scheme);
    following?.dispose();
  });
}
