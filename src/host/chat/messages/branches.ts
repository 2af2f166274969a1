import type { BranchMessage } from '../../../protocol/branchMessage.ts';
import type { ChatSession } from '../chatSession.ts';
import { deleteMessage, undoDelete } from '../commands/deleting.ts';

/**
 * Does what the user asks for with the branches of a chat.
 *
 * @param open opens a chat of its own
 */
export async function handleBranch(
  message: BranchMessage,
  session: ChatSession,
  open: (session: ChatSession) => Promise<unknown>,
): Promise<void> {
  switch (message.type) {
    case 'edit-question':
      return session.editQuestion(message.turnId, message.text, message.pasted);
    case 'edit-answer':
      return session.editAnswer(message.turnId, message.text);
    case 'show-branch':
      return session.show(message.messageId);
    case 'delete-message': {
      const turn = session.conversation.turn(message.turnId);
      if (turn) deleteMessage(session, message.of === 'question' ? turn.questionId : turn.answerId);
      return;
    }
    case 'undo-delete':
      return undoDelete(session);
    case 'dismiss-deleted':
      return session.dismissDeleted();
    case 'fork': {
      const fork = await session.forkAfter(message.turnId);
      if (fork) await open(fork);
      return;
    }
    default:
      return message satisfies never;
  }
}
