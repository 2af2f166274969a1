import * as vscode from 'vscode';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { setContextKey } from '../../kit/manifest/contributions.ts';
import type { ChatSession } from '../session/chatSession.ts';

const maxChats = 10;

/** The last closed chats of this window, with their full state, so that they can be reopened. */
export class ClosedChats {
  #sessions: readonly ChatSession[] = [];
  #isDiscarding = false;

  /**
   * Keeps a chat whose tab was closed; an empty chat is disposed instead. The oldest chats above the limit are
   * disposed, except chats with arriving replies.
   *
   * @returns whether the chat is kept
   */
  add(session: ChatSession): boolean {
    if (this.#isDiscarding || !session.isWorthStoring) {
      session.dispose();
      return false;
    }
    const sessions = [...this.#sessions, session];
    const surplus = new Set(sessions.slice(0, -maxChats).filter(({ isStreaming }) => !isStreaming));
    for (const each of surplus) each.dispose();
    this.#setSessions(sessions.filter((each) => !surplus.has(each)));
    if (!session.isStreaming)
      showStatusMessage(vscode.l10n.t('Chat closed. Use Reopen Closed Chat to reopen it.'));
    return true;
  }

  /** Disposes the chats whose tabs `close` closes, such as deleted chats, instead of keeping them. */
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
