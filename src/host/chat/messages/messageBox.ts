import type { MessageBoxMessage } from '../../../protocol/messageBox.ts';
import type { ChatSession } from '../chatSession.ts';

type ChangeMessage = Extract<MessageBoxMessage, { type: 'change-draft' }>;

/** Does what the user asks for in the message box. */
export async function handleMessageBox(message: MessageBoxMessage, session: ChatSession): Promise<void> {
  const { unsent } = session;
  switch (message.type) {
    case 'send':
      return session.ask(message.text);
    case 'stop':
      return session.stop(message.turnId);
    case 'draft':
      return session.write(unsent.told.become(message.text));
    case 'change-draft':
      return writeChanged(session, message);
    case 'edit-queued':
      return unsent.giveBackQueued();
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

/** Takes over what changed in the message box, once all of it is there. */
function writeChanged(session: ChatSession, change: ChangeMessage): void {
  const { told } = session.unsent;
  if (change.isNew) told.become('');
  const text = told.change(change);
  if (!change.more) session.write(text);
}
