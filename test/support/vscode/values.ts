// The classes and enums of the `vscode` module that only contain values.
import type * as vscode from 'vscode';
import { URI, Utils } from 'vscode-uri';

export class Disposable {
  readonly #dispose: () => unknown;

  constructor(dispose: () => unknown) {
    this.#dispose = dispose;
  }

  static from(...disposables: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const disposable of disposables) disposable.dispose();
    });
  }

  dispose(): unknown {
    return this.#dispose();
  }
}

export class EventEmitter<T> {
  readonly #listeners = new Set<(event: T) => unknown>();

  readonly event: vscode.Event<T> = (listener, thisArgument, disposables) => {
    const bound = (event: T) => listener.call(thisArgument, event);
    this.#listeners.add(bound);
    const subscription = new Disposable(() => this.#listeners.delete(bound));
    disposables?.push(subscription);
    return subscription;
  };

  /** Like VS Code, calls every listener, also after one has thrown. */
  fire(event: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        console.error(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

export class CancellationTokenSource {
  readonly #cancelled = new EventEmitter<void>();
  #isCancelled = false;
  readonly token: vscode.CancellationToken;

  constructor() {
    const isCancelled = () => this.#isCancelled;
    this.token = {
      get isCancellationRequested() {
        return isCancelled();
      },
      onCancellationRequested: (listener, ...rest) => {
        if (!this.#isCancelled) return this.#cancelled.event(listener, ...rest);
        const timer = setTimeout(listener, 0);
        return new Disposable(() => clearTimeout(timer));
      },
    };
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#cancelled.fire();
  }

  dispose(): void {
    this.#cancelled.dispose();
  }
}

export class CancellationError extends Error {
  constructor() {
    super('Canceled');
    this.name = this.message;
  }
}

export const Uri = Object.assign(URI, { joinPath: Utils.joinPath });

export class Position {
  readonly line: number;
  readonly character: number;

  constructor(line: number, character: number) {
    if (line < 0 || character < 0) throw new Error('illegal argument: a position is never negative');
    this.line = line;
    this.character = character;
  }

  compareTo(other: Position): number {
    return this.line - other.line || this.character - other.character;
  }

  isBefore(other: Position): boolean {
    return this.compareTo(other) < 0;
  }

  isBeforeOrEqual(other: Position): boolean {
    return this.compareTo(other) <= 0;
  }

  isAfter(other: Position): boolean {
    return this.compareTo(other) > 0;
  }

  isAfterOrEqual(other: Position): boolean {
    return this.compareTo(other) >= 0;
  }

  isEqual(other: Position): boolean {
    return this.compareTo(other) === 0;
  }

  translate(lines = 0, characters = 0): Position {
    return new Position(this.line + lines, this.character + characters);
  }

  with(line = this.line, character = this.character): Position {
    return new Position(line, character);
  }
}

type Corners = [start: Position, end: Position] | [number, number, number, number];

function toPositions(corners: Corners): [Position, Position] {
  if (corners.length === 2) return corners;
  const [line, character, endLine, endCharacter] = corners;
  return [new Position(line, character), new Position(endLine, endCharacter)];
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...corners: Corners) {
    const [one, other] = toPositions(corners);
    [this.start, this.end] = one.isAfter(other) ? [other, one] : [one, other];
  }

  get isEmpty(): boolean {
    return this.start.isEqual(this.end);
  }

  get isSingleLine(): boolean {
    return this.start.line === this.end.line;
  }

  contains(inner: Position | Range): boolean {
    const { start, end } = inner instanceof Range ? inner : { start: inner, end: inner };
    return this.start.isBeforeOrEqual(start) && this.end.isAfterOrEqual(end);
  }

  isEqual(other: Range): boolean {
    return this.start.isEqual(other.start) && this.end.isEqual(other.end);
  }

  intersection(other: Range): Range | undefined {
    const start = this.start.isAfter(other.start) ? this.start : other.start;
    const end = this.end.isBefore(other.end) ? this.end : other.end;
    return start.isAfter(end) ? undefined : new Range(start, end);
  }

  union(other: Range): Range {
    const start = this.start.isBefore(other.start) ? this.start : other.start;
    return new Range(start, this.end.isAfter(other.end) ? this.end : other.end);
  }

  with(start = this.start, end = this.end): Range {
    return new Range(start, end);
  }
}

export class Selection extends Range {
  readonly anchor: Position;
  readonly active: Position;

  constructor(...corners: Corners) {
    super(...corners);
    [this.anchor, this.active] = toPositions(corners);
  }

  get isReversed(): boolean {
    return this.active.isBefore(this.anchor);
  }
}

export class Location {
  readonly uri: vscode.Uri;
  readonly range: Range;

  constructor(uri: vscode.Uri, at: Range | Position) {
    this.uri = uri;
    this.range = at instanceof Range ? at : new Range(at, at);
  }
}

export class Diagnostic {
  source?: string;
  code?: vscode.Diagnostic['code'];
  readonly range: Range;
  readonly message: string;
  readonly severity: number;

  constructor(range: Range, message: string, severity: number = DiagnosticSeverity.Error) {
    this.range = range;
    this.message = message;
    this.severity = severity;
  }
}

export class DocumentSymbol {
  children: DocumentSymbol[] = [];
  readonly name: string;
  readonly detail: string;
  readonly kind: number;
  readonly range: Range;
  readonly selectionRange: Range;

  constructor(name: string, detail: string, kind: number, range: Range, selectionRange: Range) {
    [this.name, this.detail, this.kind] = [name, detail, kind];
    [this.range, this.selectionRange] = [range, selectionRange];
  }
}

export class SymbolInformation {
  readonly name: string;
  readonly kind: number;
  readonly containerName: string;
  readonly location: Location;

  constructor(name: string, kind: number, containerName: string, location: Location) {
    [this.name, this.kind, this.containerName, this.location] = [name, kind, containerName, location];
  }
}

export class CodeLens {
  readonly range: Range;
  readonly command: vscode.Command | undefined;

  constructor(range: Range, command?: vscode.Command) {
    [this.range, this.command] = [range, command];
  }
}

export class CompletionList {
  readonly items: readonly vscode.CompletionItem[];
  readonly isIncomplete: boolean;

  constructor(items: readonly vscode.CompletionItem[] = [], isIncomplete = false) {
    [this.items, this.isIncomplete] = [items, isIncomplete];
  }
}

export class ThemeColor {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}

export class ThemeIcon {
  readonly id: string;
  readonly color: ThemeColor | undefined;

  constructor(id: string, color?: ThemeColor) {
    [this.id, this.color] = [id, color];
  }
}

export class TreeItem {
  label?: string | vscode.TreeItemLabel;
  resourceUri?: vscode.Uri;
  collapsibleState: number;

  constructor(label: string | vscode.TreeItemLabel | vscode.Uri, collapsibleState = 0) {
    if (URI.isUri(label)) this.resourceUri = label;
    else this.label = label as string | vscode.TreeItemLabel;
    this.collapsibleState = collapsibleState;
  }
}

export class MarkdownString {
  value: string;

  constructor(value = '') {
    this.value = value;
  }
}

export class RelativePattern {
  readonly baseUri: vscode.Uri;
  readonly base: string;
  readonly pattern: string;

  constructor(base: vscode.WorkspaceFolder | vscode.Uri | string, pattern: string) {
    this.baseUri = typeof base === 'string' ? URI.file(base) : 'uri' in base ? base.uri : base;
    this.base = this.baseUri.fsPath;
    this.pattern = pattern;
  }
}

export class FileSystemError extends Error {
  readonly code: string;

  constructor(about: string | vscode.Uri = '', code = 'Unknown') {
    super(typeof about === 'string' ? about : about.toString());
    this.name = `${code} (FileSystemError)`;
    this.code = code;
  }

  static FileNotFound = (about?: string | vscode.Uri) => new FileSystemError(about, 'FileNotFound');
  static FileExists = (about?: string | vscode.Uri) => new FileSystemError(about, 'FileExists');
  static FileIsADirectory = (about?: string | vscode.Uri) => new FileSystemError(about, 'FileIsADirectory');
  static FileNotADirectory = (about?: string | vscode.Uri) => new FileSystemError(about, 'FileNotADirectory');
  static NoPermissions = (about?: string | vscode.Uri) => new FileSystemError(about, 'NoPermissions');
  static Unavailable = (about?: string | vscode.Uri) => new FileSystemError(about, 'Unavailable');
}

export class TabInputText {
  readonly uri: vscode.Uri;

  constructor(uri: vscode.Uri) {
    this.uri = uri;
  }
}

export class TabInputTextDiff {
  readonly original: vscode.Uri;
  readonly modified: vscode.Uri;

  constructor(original: vscode.Uri, modified: vscode.Uri) {
    [this.original, this.modified] = [original, modified];
  }
}

export class TabInputCustom {
  readonly uri: vscode.Uri;
  readonly viewType: string;

  constructor(uri: vscode.Uri, viewType: string) {
    [this.uri, this.viewType] = [uri, viewType];
  }
}

export class TabInputWebview {
  readonly viewType: string;

  constructor(viewType: string) {
    this.viewType = viewType;
  }
}

export const ConfigurationTarget = { Global: 1, Workspace: 2, WorkspaceFolder: 3 } as const;
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 } as const;
export const EndOfLine = { LF: 1, CRLF: 2 } as const;
export const ExtensionKind = { UI: 1, Workspace: 2 } as const;
export const ExtensionMode = { Production: 1, Development: 2, Test: 3 } as const;
export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 } as const;
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 } as const;
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 } as const;
export const QuickPickItemKind = { Separator: -1, Default: 0 } as const;
export const QuickInputButtons = {
  Back: { iconPath: new ThemeIcon('arrow-left'), tooltip: 'Back' },
} as const;
export const StatusBarAlignment = { Left: 1, Right: 2 } as const;
export const TextEditorRevealType = {
  Default: 0,
  InCenter: 1,
  InCenterIfOutsideViewport: 2,
  AtTop: 3,
} as const;
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 } as const;
export const TreeItemCheckboxState = { Unchecked: 0, Checked: 1 } as const;
export const UIKind = { Desktop: 1, Web: 2 } as const;
export const ViewColumn = { Active: -1, Beside: -2, One: 1, Two: 2, Three: 3, Four: 4 } as const;
export const LanguageModelChatMessageRole = { User: 1, Assistant: 2 } as const;
export const LanguageModelChatToolMode = { Auto: 1, Required: 2 } as const;
// biome-ignore format: a table of numbers
export const SymbolKind = {
  File: 0, Module: 1, Namespace: 2, Package: 3, Class: 4, Method: 5, Property: 6, Field: 7, Constructor: 8, Enum: 9,
  Interface: 10, Function: 11, Variable: 12, Constant: 13, String: 14, Number: 15, Boolean: 16, Array: 17, Object: 18,
  Key: 19, Null: 20, EnumMember: 21, Struct: 22, Event: 23, Operator: 24, TypeParameter: 25,
} as const;
