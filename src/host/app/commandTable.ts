import { vsCodeChatCommands } from '../agents/vsCodeChatCommands.ts';
import { applyCommands } from '../chat/commands/applyProposal.ts';
import { chatCommands } from '../chat/commands/chatCommands.ts';
import { chatsCommands } from '../chat/commands/chatsCommands.ts';
import { compareCommands } from '../chat/commands/compareCommands.ts';
import { contextCommands } from '../chat/commands/contextCommands.ts';
import { chatFileCommands } from '../chat/commands/importCommands.ts';
import { outlineCommands } from '../chat/commands/outlineCommands.ts';
import { parameterCommands } from '../chat/commands/parameterCommands.ts';
import { promptCommands } from '../chat/commands/promptCommands.ts';
import { chatSearchCommands } from '../chat/commands/searchChats.ts';
import { titleCommands } from '../chat/commands/titleCommands.ts';
import { connectionCommands } from '../gateway/connect/connectCommands.ts';
import { localGatewayCommands } from '../gateway/local/localGatewayCommands.ts';
import type { Command } from '../kit/manifest/command.ts';
import type { CommandId } from '../kit/manifest/contributions.ts';
import { modelCommands } from '../models/modelCommands.ts';
import { spendingCommands } from '../models/spendingCommands.ts';
import { verifyCommands } from '../models/verifyCommands.ts';
import { requestCopyCommands } from '../requests/requestCopies.ts';
import { requestsCommands } from '../requests/requestsCommands.ts';
import { generateCommands } from '../tasks/generateCommands.ts';
import { taskResultCommands } from '../tasks/resultCommands.ts';
import { taskCommands } from '../tasks/taskCommands.ts';
import { taskEndCommands } from '../tasks/taskEndCommands.ts';
import type { Services } from './services.ts';

/** The function of each command. Loaded when a command first runs. */
export const commandTable: Readonly<Record<CommandId, Command<Services>>> = {
  ...connectionCommands,
  ...localGatewayCommands,
  ...modelCommands,
  ...spendingCommands,
  ...verifyCommands,
  ...vsCodeChatCommands,
  ...chatCommands,
  ...compareCommands,
  ...outlineCommands,
  ...chatsCommands,
  ...chatSearchCommands,
  ...titleCommands,
  ...parameterCommands,
  ...chatFileCommands,
  ...promptCommands,
  ...contextCommands,
  ...applyCommands,
  ...generateCommands,
  ...taskCommands,
  ...taskEndCommands,
  ...taskResultCommands,
  ...requestsCommands,
  ...requestCopyCommands,
};
