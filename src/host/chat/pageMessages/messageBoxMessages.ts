import { applyChange } from '../../../base/textChange.ts';
import type { MessageBoxMessage } from '../../../protocol/messageBox.ts';
import type { ChatSession } from '../session/chatSession.ts';

type ChangeMessage = Extract<MessageBoxMessage, { type: 'change-draft' }>;

/** Handles the messages of the message box. */
export async function handleMessageBoxMessage(
  message: MessageBoxMessage,
  session: ChatSession,
): Promise<void> {
  const { unsent } = session;
  switch (message.type) {
    case 'send':
      return session.send(message.text);
    case 'stop':
      return session.stop(message.turnId);
    case 'draft':
      unsent.reportedText = message.text;
      return session.setMessageText(message.text);
    case 'change-draft':
      return applyDraftChange(session, message);
    case 'edit-queued':
      return unsent.putBackQueued();
    case 'remove-queued':
      unsent.queue.take();
      return;
    case 'attach-piece':
      return unsent.attachments.receive(message);
    case 'detach':
      return unsent.attachments.remove(message.index);
    default:
      return message satisfies never;
  }
}

/** Applies a change of the message box. The text is stored once all pieces of the change have arrived. */
function applyDraftChange(session: ChatSession, change: ChangeMessage): void {
  const { unsent } = session;
  unsent.reportedText = applyChange(change.isNew ? '' : unsent.reportedText, change);
  if (!change.hasMore) session.setMessageText(unsent.reportedText);
}
