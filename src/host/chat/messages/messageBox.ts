import type { MessageBoxMessage } from '../../../protocol/messageBox.ts';
import type { ChatSession } from '../chatSession.ts';

/** Does what the user asks for in the message box. */
export async function handleMessageBox(message: MessageBoxMessage, session: ChatSession): Promise<void> {
  const { unsent } = session;
  switch (message.type) {
    case 'send':
      return session.ask(message.text);
    case 'stop':
      return session.stop(message.turnId);
    case 'draft':
      return session.write(message.text);
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
