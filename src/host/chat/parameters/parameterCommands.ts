import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { activeChat } from '../tab/activeChat.ts';
import { pickPreset } from './presetPicker.ts';

async function editSystemPrompt(services: ChatServices): Promise<void> {
  (await activeChat(services))?.perform('edit-system-prompt');
}

async function parameterPresets(services: ChatServices): Promise<void> {
  const chat = await activeChat(services);
  if (chat) await pickPreset(services, chat.session.target);
}

/** The commands of a chat's parameters by their ids. */
export const parameterCommands = {
  'chat.editSystemPrompt': editSystemPrompt,
  'chat.parameterPresets': parameterPresets,
} satisfies CommandTable<ChatServices>;
