import * as vscode from 'vscode';
import { readCodeBlocks } from '../../../conversations/conversation/codeBlocks.ts';
import { replyText } from '../../../conversations/conversation/reply.ts';
import { textFormats } from '../../../wire/apis/textFormats.ts';
import { removeHidden } from '../../kit/display/plainText.ts';
import { pick } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { modelArgument, resolveModel } from '../../models/modelCommands.ts';
import { pickModel } from '../../models/modelPicker.ts';
import type { ChatServices } from '../chatServices.ts';
import { undoDelete } from '../session/deleteMessage.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import { openChat } from '../tab/openChat.ts';
import { moveChat } from './moveChat.ts';
import { createPageCommand, resolveActiveChat } from './resolveChats.ts';

/**
 * Opens a new chat with the model of a row, otherwise with the last used model.
 *
 * @param isLate whether the chat opens after a delay. The user may then already be typing elsewhere.
 */
async function newChat({ chats, connection }: ChatServices, row?: unknown, isLate?: unknown): Promise<void> {
  const chat = await chats.open({ model: modelArgument(row)?.id });
  chat.perform(isLate === true ? 'focus-composer-late' : 'focus-composer');
  const { gateway, phase } = connection.state;
  if (gateway && phase === 'idle') await connection.refresh();
}

/**
 * Chooses the model of a row for the last active chat. Opens a new chat instead if that chat uses another gateway
 * than the window, because the model of the row belongs to the window's gateway.
 */
async function useInChat(services: ChatServices, row?: unknown): Promise<void> {
  const { chats, connection } = services;
  const chat = chats.lastActive;
  const model = await resolveModel(services, row);
  if (model === undefined) return;
  if (!chat || chat.session.target.gateway.connection !== connection.current) return newChat(services, model);
  chat.session.target.chooseModel(model.id);
  chat.perform('focus-composer');
}

async function chooseModel(services: ChatServices): Promise<void> {
  const chat = await resolveActiveChat(services);
  if (chat === undefined) return;
  const { target } = chat.session;
  const { gateway } = target;
  if (gateway.boundGateway && !gateway.connection) return moveChat(services);
  const model = await pickModel(services, { use: 'chat', current: target.model, of: gateway.connection });
  if (model === undefined) return;
  target.chooseModel(model.id);
  chat.perform('focus-composer');
}

/** Lets the user choose the API format of the chat's model. The choice is stored for later chats with that model. */
async function chooseFormat(services: ChatServices): Promise<void> {
  const chat = await resolveActiveChat(services);
  if (chat === undefined) return;
  const { target } = chat.session;
  const items = textFormats.map(({ id, label, route }) => ({
    id,
    label,
    description: id === target.format ? vscode.l10n.t('current') : '',
    detail: `${route.method} ${route.path}`,
  }));
  const chosen = await pick(items, {
    title: vscode.l10n.t('Choose an API format for {0}', target.model ?? ''),
  });
  if (chosen === undefined) return;
  await target.chooseFormat(chosen.id);
  chat.perform('focus-composer');
}

async function undoLastDelete(services: ChatServices): Promise<void> {
  const session = (await resolveActiveChat(services))?.session;
  if (session) await undoDelete(session);
}

async function resendQuestion(services: ChatServices): Promise<void> {
  const session = (await resolveActiveChat(services))?.session;
  if (session?.isStreaming)
    showStatusMessage(vscode.l10n.t('A reply is still being received. Stop it first.'));
  else await session?.resend();
}

async function copyReply(services: ChatServices): Promise<void> {
  const reply = findLastReplyText(await resolveActiveChat(services));
  if (reply) await copyToClipboard(removeHidden(reply), vscode.l10n.t('Reply copied'));
  else showStatusMessage(vscode.l10n.t('There is no reply to copy yet.'));
}

/** Copies a code block of the last reply. Lets the user choose if the reply has several code blocks. */
async function copyCode(services: ChatServices): Promise<void> {
  const blocks = readCodeBlocks(findLastReplyText(await resolveActiveChat(services)));
  if (blocks.length === 0) return showStatusMessage(vscode.l10n.t('The last reply has no code block.'));
  const items = blocks.map((block) => ({
    label: block.code.trim().split('\n')[0] ?? '',
    description: block.language,
    block,
  }));
  const chosen =
    items.length === 1
      ? items[0]
      : await pick(items, { title: vscode.l10n.t('Choose the code block to copy') });
  if (chosen) await copyToClipboard(removeHidden(chosen.block.code), vscode.l10n.t('Code copied'));
}

/**
 * Reopens the last closed chat. If no chat was closed in this window, for example after a restart, opens the stored
 * chat that changed last.
 */
async function reopenChat(services: ChatServices): Promise<void> {
  const { chats, closedChats, conversations } = services;
  const session = closedChats.take();
  if (session) return (await chats.open({ session })).perform('focus-composer');
  const openIds = new Set(chats.all.map((chat) => chat.session.id));
  const { conversations: newest } = (await conversations.store()).list({}, openIds.size + 1);
  const last = newest.find(({ id }) => !openIds.has(id));
  const chat = last && (await openChat(services, last.id));
  if (chat) chat.perform('focus-composer');
  else showStatusMessage(vscode.l10n.t('There is no closed chat to reopen.'));
}

function findLastReplyText(chat: ChatPanel | undefined): string {
  const reply = chat?.session.conversation.lastTurn?.replies[0];
  return reply ? replyText(reply) : '';
}

async function copyToClipboard(text: string, confirmation: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  showStatusMessage(confirmation);
}

/** The commands of the chat by their ids. */
export const chatCommands = {
  newChat,
  'models.useInChat': useInChat,
  'chat.chooseModel': chooseModel,
  'chat.chooseFormat': chooseFormat,
  'chat.move': moveChat,
  'chat.undoDelete': undoLastDelete,
  'chat.quote': createPageCommand('quote'),
  'chat.stop': async (services) => (await resolveActiveChat(services))?.session.stop(),
  'chat.again': resendQuestion,
  'chat.copyReply': copyReply,
  'chat.copyCode': copyCode,
  'chat.reopen': reopenChat,
  'chat.find': createPageCommand('find'),
  'chat.focusComposer': createPageCommand('focus-composer'),
  'chat.focusLastReply': createPageCommand('focus-last-reply'),
} satisfies CommandTable<ChatServices>;
