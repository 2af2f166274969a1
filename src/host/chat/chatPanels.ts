import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import type { Log } from '../log.ts';
import type { ModelNotes } from '../models/modelNotes.ts';
import type { PanelKind } from '../pages/panels.ts';
import { readFormatRules } from '../settings.ts';
import { ChatPanel } from './chatPanel.ts';
import { ChatSession } from './chatSession.ts';
import { FormatChoice } from './formatChoice.ts';

/** The model to open a chat with; undefined for the one used last. */
export interface ChatOpening {
  readonly model?: string | undefined;
}

/** Describes chat panels. A chat that is still empty is reused. */
export function chatPanels(
  context: vscode.ExtensionContext,
  connection: Connection,
  models: ModelNotes,
  log: Log,
): PanelKind<ChatPanel, ChatOpening> {
  const formats = new FormatChoice(context.globalState, readFormatRules);
  return {
    title: () => vscode.l10n.t('New Chat'),
    reuse(open, { model }) {
      const empty = open.find(({ session }) => session.conversation.turns.length === 0);
      if (model !== undefined) empty?.session.chooseModel(model);
      return empty;
    },
    create: (frame, { model }) =>
      new ChatPanel(frame, new ChatSession(connection, models, formats, log, model)),
  };
}
