import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { chatPanelType } from '../contributions.ts';
import { openTab } from '../display/tabs.ts';
import type { Log } from '../log.ts';
import type { ModelMemory } from '../models/modelMemory.ts';
import { ChatPanel } from './chatPanel.ts';
import { ChatSession } from './chatSession.ts';
import type { FormatChoice } from './formatChoice.ts';

/** The open chats. */
export class ChatPanels {
  readonly #context: vscode.ExtensionContext;
  readonly #connection: Connection;
  readonly #models: ModelMemory;
  readonly #formats: FormatChoice;
  readonly #log: Log;
  readonly #chats = new Set<ChatPanel>();
  #lastActive: ChatPanel | undefined;

  constructor(
    context: vscode.ExtensionContext,
    connection: Connection,
    models: ModelMemory,
    formats: FormatChoice,
    log: Log,
  ) {
    this.#context = context;
    this.#connection = connection;
    this.#models = models;
    this.#formats = formats;
    this.#log = log;
  }

  /** The chat in front, else the one that was there last. */
  get active(): ChatPanel | undefined {
    return this.#lastActive;
  }

  /** Opens a chat with a model; one that is still empty is used instead of adding another. */
  open(model?: string): ChatPanel {
    const empty = [...this.#chats].find((chat) => chat.session.conversation.turns.length === 0);
    const chat = empty ?? this.#create(model);
    if (empty && model !== undefined) empty.session.chooseModel(model);
    chat.panel.reveal();
    return chat;
  }

  #media(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#context.extensionUri, 'media', name);
  }

  dispose(): void {
    for (const chat of this.#chats) chat.panel.dispose();
  }

  #create(model: string | undefined): ChatPanel {
    const dist = vscode.Uri.joinPath(this.#context.extensionUri, 'dist');
    const panel = openTab(chatPanelType, vscode.l10n.t('New chat'), {
      enableScripts: true,
      localResourceRoots: [dist],
    });
    panel.iconPath = { light: this.#media('chat-light.svg'), dark: this.#media('chat-dark.svg') };
    const session = new ChatSession(this.#connection, this.#models, this.#formats, this.#log, model);
    const chat = new ChatPanel(panel, session, dist, this.#log);
    this.#chats.add(chat);
    this.#lastActive = chat;
    panel.onDidChangeViewState(() => {
      if (panel.active) this.#lastActive = chat;
    });
    panel.onDidDispose(() => {
      this.#chats.delete(chat);
      if (this.#lastActive === chat) this.#lastActive = [...this.#chats].at(-1);
    });
    return chat;
  }
}
