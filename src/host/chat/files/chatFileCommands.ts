import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { exportChats } from './exportCommands.ts';
import { importChats } from './importCommands.ts';

/** The commands that take chats along, by their ids. */
export const chatFileCommands = {
  'chats.export': exportChats,
  'chats.import': importChats,
} satisfies CommandTable<ChatServices>;
