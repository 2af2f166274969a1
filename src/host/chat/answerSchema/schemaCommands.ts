import * as vscode from 'vscode';
import { withCommon } from '../../../conversations/conversation/chatParameters.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { activeChat } from '../tab/activeChat.ts';

async function editSchema(services: ChatServices): Promise<void> {
  const chat = await activeChat(services);
  if (chat) await services.schemaFiles.open(chat.session);
}

async function removeSchema(services: ChatServices): Promise<void> {
  const chat = await activeChat(services);
  if (!chat) return;
  const { parameters, model } = chat.session.target;
  const before = parameters.for(model);
  if (before.common.responseSchema === undefined)
    return showStatusMessage(vscode.l10n.t('This chat has no response schema.'));
  const without = withCommon(before, 'responseSchema', undefined);
  const isAsked = before.common.responseFormat === 'json_schema';
  parameters.choose(isAsked ? withCommon(without, 'responseFormat', undefined) : without, 'other');
  showStatusMessage(vscode.l10n.t('Removed the response schema of this chat'));
}

/** The commands of the schema that a chat's replies are to match, by their ids. */
export const schemaCommands = {
  'chat.editResponseSchema': editSchema,
  'chat.removeResponseSchema': removeSchema,
} satisfies CommandTable<ChatServices>;
