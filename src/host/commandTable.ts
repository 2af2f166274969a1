import { schemaCommands } from './answerSchema/schemaCommands.ts';
import { applyCommands } from './apply/applyProposal.ts';
import { chatCommands } from './chat/commands/chatCommands.ts';
import { compareCommands } from './chat/commands/compareCommands.ts';
import { messageCommands } from './chat/commands/messageCommands.ts';
import { chatFileCommands } from './chatFiles/chatFileCommands.ts';
import { chatSearchCommands } from './chatSearch/searchChats.ts';
import { chatsCommands } from './chats/chatsCommands.ts';
import { connectionCommands } from './connection/connectCommands.ts';
import { contextCommands } from './context/contextCommands.ts';
import type { CommandId } from './contributions.ts';
import { generateCommands } from './generate/generateCommands.ts';
import { vscodeChatSetupCommands } from './languageModels/setup/setupCommands.ts';
import { vscodeChatCommands } from './languageModels/utility/utilityCommands.ts';
import { localGatewayCommands } from './localGateway/localGatewayCommands.ts';
import { modelCommands } from './models/modelCommands.ts';
import { verifyCommands } from './models/verify/verifyCommands.ts';
import { outlineCommands } from './outline/outlineCommands.ts';
import { parameterCommands } from './parameters/parameterCommands.ts';
import { presetFileCommands } from './parameters/presetFileCommands.ts';
import { promptCommands } from './prompts/promptCommands.ts';
import { requestCopyCommands } from './requests/requestCopies.ts';
import { requestSendingCommands } from './requests/requestSending.ts';
import { requestsCommands } from './requests/requestsCommands.ts';
import type { Command } from './services.ts';
import { taskEndCommands } from './tasks/endCommands.ts';
import { taskResultCommands } from './tasks/resultCommands.ts';
import { taskCommands } from './tasks/taskCommands.ts';
import { titleCommands } from './titles/titleCommands.ts';
import { usageCommands } from './usage/usageCommands.ts';

/** The function of each command. Loaded when a command first runs. */
export const commandTable: Readonly<Record<CommandId, Command>> = {
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
  ...presetFileCommands,
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
