// `vscode.languages`, `vscode.lm` and `vscode.chat`, without language servers and without VS Code's own chat.
import type * as vscode from 'vscode';
import { addCommands } from './commands.ts';
import { type Document, openTextDocument } from './documents.ts';
import { noEvent } from './noEvent.ts';
import { CancellationTokenSource, Disposable, EventEmitter, LanguageModelChatMessageRole } from './values.ts';

export class LanguageModelTextPart {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

export class LanguageModelDataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;

  constructor(data: Uint8Array, mimeType: string) {
    [this.data, this.mimeType] = [data, mimeType];
  }

  static image(data: Uint8Array, mimeType: string): LanguageModelDataPart {
    return new LanguageModelDataPart(data, mimeType);
  }
}

export class LanguageModelToolCallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;

  constructor(callId: string, name: string, input: object) {
    [this.callId, this.name, this.input] = [callId, name, input];
  }
}

export class LanguageModelToolResultPart {
  readonly callId: string;
  readonly content: readonly unknown[];

  constructor(callId: string, content: readonly unknown[]) {
    [this.callId, this.content] = [callId, content];
  }
}

export class LanguageModelToolResult {
  readonly content: readonly unknown[];

  constructor(content: readonly unknown[]) {
    this.content = content;
  }
}

export class LanguageModelChatMessage {
  readonly role: number;
  readonly content: readonly unknown[];
  readonly name: string | undefined;

  constructor(role: number, content: string | readonly unknown[], name?: string) {
    [this.role, this.name] = [role, name];
    this.content = typeof content === 'string' ? [new LanguageModelTextPart(content)] : content;
  }

  static User(content: string | readonly unknown[], name?: string): LanguageModelChatMessage {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.User, content, name);
  }

  static Assistant(content: string | readonly unknown[], name?: string): LanguageModelChatMessage {
    return new LanguageModelChatMessage(LanguageModelChatMessageRole.Assistant, content, name);
  }
}

export class LanguageModelError extends Error {
  readonly code: string;

  constructor(message = '', code = '') {
    super(message);
    this.name = 'LanguageModelError';
    this.code = code;
  }

  static NoPermissions = (message?: string) => new LanguageModelError(message, 'NoPermissions');
  static Blocked = (message?: string) => new LanguageModelError(message, 'Blocked');
  static NotFound = (message?: string) => new LanguageModelError(message, 'NotFound');
}

export class ChatRequestTurn {}
export class ChatResponseTurn {}
export class ChatResponseMarkdownPart {
  readonly value: vscode.MarkdownString;

  constructor(value: vscode.MarkdownString) {
    this.value = value;
  }
}

const diagnostics = new Map<string, { uri: vscode.Uri; items: vscode.Diagnostic[] }>();
const changedDiagnostics = new EventEmitter<vscode.DiagnosticChangeEvent>();
const documentSymbols = new Set<vscode.DocumentSymbolProvider>();
const workspaceSymbols = new Set<vscode.WorkspaceSymbolProvider>();
const { token: neverCancelled } = new CancellationTokenSource();

function addTo<T>(set: Set<T>, item: T): Disposable {
  set.add(item);
  return new Disposable(() => set.delete(item));
}

export const languages = {
  getDiagnostics(uri?: vscode.Uri) {
    if (uri) return diagnostics.get(uri.toString())?.items ?? [];
    return [...diagnostics.values()].map(({ uri: of, items }) => [of, items]);
  },
  onDidChangeDiagnostics: changedDiagnostics.event,
  createDiagnosticCollection(name = '') {
    const own = new Set<string>();
    const set = (uri: vscode.Uri, items: vscode.Diagnostic[] = []) => {
      own.add(uri.toString());
      diagnostics.set(uri.toString(), { uri, items });
      setImmediate(() => changedDiagnostics.fire({ uris: [uri] }));
    };
    const clear = () => {
      for (const key of own) diagnostics.delete(key);
      own.clear();
    };
    return {
      name,
      set,
      delete: (uri: vscode.Uri) => diagnostics.delete(uri.toString()),
      clear,
      dispose: clear,
    };
  },
  registerDocumentSymbolProvider: (_: unknown, provider: vscode.DocumentSymbolProvider) =>
    addTo(documentSymbols, provider),
  registerWorkspaceSymbolProvider: (provider: vscode.WorkspaceSymbolProvider) =>
    addTo(workspaceSymbols, provider),
  registerCodeLensProvider: () => new Disposable(() => {}),
  registerCompletionItemProvider: () => new Disposable(() => {}),
  registerDocumentLinkProvider: () => new Disposable(() => {}),
  registerHoverProvider: () => new Disposable(() => {}),
  getLanguages: async () => [
    'css',
    'html',
    'javascript',
    'json',
    'markdown',
    'plaintext',
    'python',
    'typescript',
  ],
  async setTextDocumentLanguage(document: Document, languageId: string) {
    document.languageId = languageId;
    return document;
  },
  match(selector: vscode.DocumentSelector, document: vscode.TextDocument): number {
    const filters = [selector].flat() as readonly (string | vscode.DocumentFilter)[];
    const fits = (filter: string | vscode.DocumentFilter) =>
      typeof filter === 'string'
        ? filter === '*' || filter === document.languageId
        : (filter.scheme ?? document.uri.scheme) === document.uri.scheme &&
          (filter.language ?? document.languageId) === document.languageId;
    return filters.some(fits) ? 10 : 0;
  },
};

addCommands({
  'vscode.executeDocumentSymbolProvider': async (uri) => {
    const document = await openTextDocument(uri as vscode.Uri);
    const found = [...documentSymbols].map((provider) =>
      provider.provideDocumentSymbols(document, neverCancelled),
    );
    return (await Promise.all(found)).flatMap<unknown>((each) => each ?? []);
  },
  'vscode.executeWorkspaceSymbolProvider': async (query) => {
    const found = [...workspaceSymbols].map((provider) =>
      provider.provideWorkspaceSymbols(String(query), neverCancelled),
    );
    return (await Promise.all(found)).flatMap((each) => each ?? []);
  },
});

const tools = new Map<string, vscode.LanguageModelTool<unknown>>();

export const lm = {
  registerTool<T>(name: string, tool: vscode.LanguageModelTool<T>) {
    tools.set(name, tool as vscode.LanguageModelTool<unknown>);
    return new Disposable(() => tools.delete(name));
  },
  get tools() {
    return [...tools.keys()].map((name) => ({ name, description: '', inputSchema: undefined, tags: [] }));
  },
  registerLanguageModelChatProvider: () => new Disposable(() => {}),
  selectChatModels: async () => [],
  onDidChangeChatModels: new EventEmitter<void>().event,
};

export const chat = {
  createChatParticipant: (id: string, requestHandler: vscode.ChatRequestHandler) => ({
    id,
    requestHandler,
    onDidReceiveFeedback: noEvent,
    dispose: () => {},
  }),
};
