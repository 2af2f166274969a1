import * as vscode from 'vscode';
import { setContextKey } from '../../contributions.ts';
import { showStatusMessage } from '../../display/statusBar.ts';
import type { ChatSession } from '../chatSession.ts';

const maxKept = 10;

/** The chats of this window that were closed last, with all they hold, to be opened again. */
export class ClosedChats {
  #sessions: readonly ChatSession[] = [];
  #isLettingGo = false;

  /** Keeps a chat whose tab was closed, unless nothing is in it. The oldest of too many is let go. */
  keep(session: ChatSession): void {
    if (this.#isLettingGo || !session.isWorthKeeping) {
      session.dispose();
      return;
    }
    const sessions = [...this.#sessions, session];
    for (const forgotten of sessions.slice(0, -maxKept)) forgotten.dispose();
    this.#become(sessions.slice(-maxKept));
    showStatusMessage(vscode.l10n.t('Chat closed. Reopen Closed Chat brings it back.'));
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
