import * as vscode from 'vscode';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { setContextKey } from '../../kit/manifest/contributions.ts';
import type { ChatSession } from '../chatSession.ts';

const maxKept = 10;

/** The chats of this window that were closed last, with all they hold, to be opened again. */
export class ClosedChats {
  #sessions: readonly ChatSession[] = [];
  #isLettingGo = false;

  /**
   * Keeps a chat whose tab was closed, unless nothing is in it. The oldest of too many is disposed of, unless its
   * reply arrives.
   *
   * @returns whether the chat is kept
   */
  keep(session: ChatSession): boolean {
    if (this.#isLettingGo || !session.isWorthKeeping) {
      session.dispose();
      return false;
    }
    const sessions = [...this.#sessions, session];
    const forgotten = new Set(sessions.slice(0, -maxKept).filter(({ isStreaming }) => !isStreaming));
    for (const each of forgotten) each.dispose();
    this.#become(sessions.filter((each) => !forgotten.has(each)));
    if (!session.isStreaming)
      showStatusMessage(vscode.l10n.t('Chat closed. Use Reopen Closed Chat to reopen it.'));
    return true;
  }

  /** Keeps none of the chats whose tabs `close` closes, such as deleted ones. */
  lettingGo(close: () => void): void {
    this.#isLettingGo = true;
    try {
      close();
    } finally {
      this.#isLettingGo = false;
    }
  }

  /** Returns the chat that was closed last, or the one of an id. It belongs to the caller from then on. */
  take(id = this.#sessions.at(-1)?.id): ChatSession | undefined {
    const session = this.#sessions.find((each) => each.id === id);
    this.#become(this.#sessions.filter((each) => each !== session));
    return session;
  }

  dispose(): void {
    for (const session of this.#sessions) session.dispose();
    this.#sessions = [];
  }

  #become(sessions: readonly ChatSession[]): void {
    this.#sessions = sessions;
    setContextKey('hasClosedChats', sessions.length > 0);
  }
}
