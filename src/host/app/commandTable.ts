import { vscodeChatSetupCommands } from '../agents/setupCommands.ts';
import { vscodeChatCommands } from '../agents/utilityCommands.ts';
import { schemaCommands } from '../chat/answerSchema/schemaCommands.ts';
import { applyCommands } from '../chat/apply/applyProposal.ts';
import { chatCommands } from '../chat/commands/chatCommands.ts';
import { compareCommands } from '../chat/commands/compareCommands.ts';
import { messageCommands } from '../chat/commands/messageCommands.ts';
import { contextCommands } from '../chat/context/contextCommands.ts';
import { chatFileCommands } from '../chat/files/chatFileCommands.ts';
import { chatsCommands } from '../chat/list/chatsCommands.ts';
import { outlineCommands } from '../chat/outline/outlineCommands.ts';
import { parameterCommands } from '../chat/parameters/parameterCommands.ts';
import { promptCommands } from '../chat/prompts/promptCommands.ts';
import { chatSearchCommands } from '../chat/search/searchChats.ts';
import { titleCommands } from '../chat/titles/titleCommands.ts';
import { connectionCommands } from '../gateway/connect/connectCommands.ts';
import { localGatewayCommands } from '../gateway/local/localGatewayCommands.ts';
import type { Command } from '../kit/manifest/command.ts';
import type { CommandId } from '../kit/manifest/contributions.ts';
import { modelCommands } from '../models/modelCommands.ts';
import { verifyCommands } from '../models/verify/verifyCommands.ts';
import { requestCopyCommands } from '../requests/requestCopies.ts';
import { requestSendingCommands } from '../requests/requestSending.ts';
import { requestsCommands } from '../requests/requestsCommands.ts';
import { usageCommands } from '../requests/usageCommands.ts';
import { taskEndCommands } from '../tasks/endCommands.ts';
import { generateCommands } from '../tasks/generateCommands.ts';
import { taskResultCommands } from '../tasks/resultCommands.ts';
import { taskCommands } from '../tasks/taskCommands.ts';
import type { Services } from './services.ts';

/** The function of each command. Loaded when a command first runs. */
export const commandTable: Readonly<Record<CommandId, Command<Services>>> = {
  ...connectionCommands,
  ...localGatewayCommands,
  ...modelCommands,
  ...verifyCommands,
  ...vscodeChatCommands,
  ...vscodeChatSetupCommands,
  ...chatCommands,
  ...messageCommands,
  ...compareCommands,
  ...outlineCommands,
  ...chatsCommands,
  ...chatSearchCommands,
  ...titleCommands,
  ...parameterCommands,
  ...chatFileCommands,
  ...promptCommands,
  ...contextCommands,
  ...schemaCommands,
  ...applyCommands,
  ...generateCommands,
  ...taskCommands,
  ...taskEndCommands,
  ...taskResultCommands,
  ...usageCommands,
  ...requestsCommands,
  ...requestCopyCommands,
  ...requestSendingCommands,
};
