import * as vscode from 'vscode';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { setContextKey } from '../../kit/manifest/contributions.ts';
import type { ChatSession } from '../session/chatSession.ts';

const maxChats = 10;

/** The last closed chats of this window, with their whole state, so that they can be reopened. */
export class ClosedChats {
  #sessions: readonly ChatSession[] = [];
  #isDiscarding = false;

  /**
   * Adds a chat whose tab was closed, or disposes the chat if it is empty. The oldest chats above the limit are
   * disposed, except chats with arriving replies.
   *
   * @returns whether the chat was added
   */
  add(session: ChatSession): boolean {
    if (this.#isDiscarding || !session.isWorthStoring) {
      session.dispose();
      return false;
    }
    const sessions = [...this.#sessions, session];
    const surplusSessions = new Set(sessions.slice(0, -maxChats).filter(({ isStreaming }) => !isStreaming));
    for (const each of surplusSessions) each.dispose();
    this.#setSessions(sessions.filter((each) => !surplusSessions.has(each)));
    if (!session.isStreaming)
      showStatusMessage(vscode.l10n.t('Chat closed. Use Reopen Closed Chat to reopen it.'));
    return true;
  }

  /** Calls `close`, and disposes the chats whose tabs it closes, such as deleted chats, instead of adding them. */
  discardDuring(close: () => void): void {
    this.#isDiscarding = true;
    try {
      close();
    } finally {
      this.#isDiscarding = false;
    }
  }

  /** Returns and removes the chat with an id, by default the last closed chat. The caller then owns the chat. */
  take(id = this.#sessions.at(-1)?.id): ChatSession | undefined {
    const session = this.#sessions.find((each) => each.id === id);
    this.#setSessions(this.#sessions.filter((each) => each !== session));
    return session;
  }

  dispose(): void {
    for (const session of this.#sessions) session.dispose();
    this.#sessions = [];
  }

  #setSessions(sessions: readonly ChatSession[]): void {
    this.#sessions = sessions;
    setContextKey('hasClosedChats', sessions.length > 0);
  }
}
