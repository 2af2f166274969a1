import type { CommandTable } from '../../kit/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { exportAllChats, exportChat, openAsMarkdown } from './exportCommands.ts';
import { importChats, importChatsFromFolder } from './importCommands.ts';

/** The commands that take chats along, by their ids. */
export const chatFileCommands = {
  'chats.export': exportChat,
  'chats.exportAll': exportAllChats,
  'chats.openAsMarkdown': openAsMarkdown,
  'chats.import': importChats,
  'chats.importFolder': importChatsFromFolder,
} satisfies CommandTable<ChatServices>;
