import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { activeChat } from '../tab/activeChat.ts';
import { undoDelete } from './deleting.ts';

async function undoLastDelete(services: ChatServices): Promise<void> {
  const session = (await activeChat(services))?.session;
  if (session) await undoDelete(session);
}

async function quote(services: ChatServices): Promise<void> {
  (await activeChat(services))?.perform('quote');
}

/** The commands for the messages of a chat by their ids. */
export const messageCommands = {
  'chat.undoDelete': undoLastDelete,
  'chat.quote': quote,
} satisfies CommandTable<ChatServices>;
