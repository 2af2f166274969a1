import * as vscode from 'vscode';
import { textOf } from '../../../conversations/reply.ts';
import { clipped } from '../../display/plainText.ts';
import { pick } from '../../display/prompts.ts';
import { showStatusMessage } from '../../display/statusBar.ts';
import type { CommandTable, Services } from '../../services.ts';
import { activeChat } from '../tab/activeChat.ts';
import { deleteMessage, undoDelete } from './deleting.ts';

const maxWords = 80;

/** Asks which message of the branch that is shown goes. */
async function chooseAndDelete(services: Services): Promise<void> {
  const session = (await activeChat(services))?.session;
  if (!session) return;
  const items = session.conversation.turns.toReversed().flatMap((turn) => [
    {
      id: turn.answerId,
      label: wordsOf(turn.replies[0] ? textOf(turn.replies[0]) : ''),
      description: turn.question.model,
    },
    { id: turn.questionId, label: wordsOf(turn.question.text), description: vscode.l10n.t('You') },
  ]);
  if (items.length === 0) return showStatusMessage(vscode.l10n.t('There is no message to delete yet.'));
  const chosen = await pick(items, {
    title: vscode.l10n.t('Delete which message, with all that follows it?'),
  });
  if (chosen) deleteMessage(session, chosen.id);
}

function wordsOf(text: string): string {
  return clipped(text.trim().split('\n')[0] ?? '', maxWords) || vscode.l10n.t('(no text)');
}

async function undoLastDelete(services: Services): Promise<void> {
  const session = (await activeChat(services))?.session;
  if (session) await undoDelete(session);
}

async function quote(services: Services): Promise<void> {
  (await activeChat(services))?.perform('quote');
}

/** What is done with the messages of a chat, by the ids of the commands. */
export const messageCommands = {
  'chat.deleteMessage': chooseAndDelete,
  'chat.undoDelete': undoLastDelete,
  'chat.quote': quote,
} satisfies CommandTable;
