import * as vscode from 'vscode';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import { buildMemoryKey } from '../../connection/configuredGateway.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { findGatewayByKey, type Gateway } from '../../connection/gateways.ts';
import { withStatusBarProgress } from '../../kit/display/progress.ts';
import { requestText } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { FormatChoice } from '../../models/formatChoice.ts';
import { pickModel } from '../../models/modelPicker.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import type { ChatServices } from '../chatServices.ts';
import { formatChatName } from '../list/chatRows.ts';
import { readTitleModel } from '../titles/titleMaker.ts';
import { createTitlePrompt, requestTitle } from '../titles/titleRequest.ts';
import { resolveChat } from './resolveChats.ts';

const maxTitleLength = 200;

/**
 * Lets the user enter a title for a chat. If the title is empty, the chat is named after its first question.
 *
 * @param suggested the initial text of the input
 */
async function renameChat(
  conversations: ConversationService,
  { id, beginning, title }: ListedConversation,
  suggested = title,
): Promise<void> {
  const defaultName = formatChatName({ title: '', beginning });
  const typed = await requestText({
    title: vscode.l10n.t('Rename Chat'),
    prompt: vscode.l10n.t('Leave it empty to name the chat after its first question.'),
    placeHolder: defaultName,
    value: suggested || defaultName,
    problem: (text) =>
      text.trim().length > maxTitleLength
        ? vscode.l10n.t('A title can have at most {0} characters.', maxTitleLength)
        : undefined,
  });
  if (typed === undefined) return;
  const name = typed.trim().replace(/\s+/g, ' ');
  await conversations.change((store) => store.rename(id, name === defaultName ? '' : name));
}

async function renameChosenChat(services: ChatServices, row?: unknown): Promise<void> {
  const chat = await resolveChat(services, row, { title: vscode.l10n.t('Choose the chat to rename') });
  if (chat) await renameChat(services.conversations, chat);
}

/** Creates the key that stores the user's choice of a model for titles, per gateway. */
function createTitleModelKey(gateway: Gateway): string {
  return `titleModel/${buildMemoryKey(gateway)}`;
}

/** The ids of the chats whose titles are being generated. */
const chatsInProgress = new Set<string>();

/** Generates the title of a chat. Another call for the same chat is ignored while the first call runs. */
async function generateTitle(services: ChatServices, row?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to generate a title for');
  const chat = await resolveChat(services, row, { title, filter: { hasMessages: true } });
  if (!chat || chatsInProgress.has(chat.id)) return;
  chatsInProgress.add(chat.id);
  try {
    await generateTitleFor(services, chat);
  } finally {
    chatsInProgress.delete(chat.id);
  }
}

/** Generates and stores a title. If the chat already has a title, suggests the new title in the rename dialog. */
async function generateTitleFor(services: ChatServices, chat: ListedConversation): Promise<void> {
  const { t } = vscode.l10n;
  const store = await services.conversations.store();
  const prompt = createTitlePrompt(store.readPath(chat.id));
  if (prompt === undefined) return showStatusMessage(t('This chat has no question yet.'));
  const connection = findConnection(services, chat);
  if (!connection) return showStatusMessage(t('The gateway of this chat is no longer configured.'));
  const model = await resolveTitleModel(services, connection);
  if (model === undefined) return;
  const format = new FormatChoice(services.memory, readModelRules).of(connection.gateway, model);
  const target = { connection, model, format };
  const title = await withStatusBarProgress(t('Generating a title…'), () =>
    requestTitle(services.conversations, chat.id, prompt, target).catch(async (error) => {
      // The next command then lets the user choose another model.
      await services.memory.update(createTitleModelKey(connection.gateway), undefined);
      throw error;
    }),
  );
  if (title === undefined) return showStatusMessage(t('{0} did not generate a title.', model));
  const isStored = await services.conversations.change((latest) => latest.setTitleIfEmpty(chat.id, title));
  if (!isStored) await renameChat(services.conversations, chat, title);
}

/**
 * Finds the connection to a chat's gateway, or to the window's gateway if the chat has no gateway; undefined if the
 * gateway is no longer configured.
 */
function findConnection(
  { connection, gateways }: ChatServices,
  { gateway, gatewayName }: ListedConversation,
): GatewayConnection | undefined {
  const ownGateway = gateway === undefined ? undefined : findGatewayByKey(gateways, gateway, gatewayName);
  return ownGateway ? connection.find(ownGateway) : connection.current;
}

/** Returns the model of the setting, otherwise the stored choice of the user, otherwise lets the user choose. */
async function resolveTitleModel(
  services: ChatServices,
  connection: GatewayConnection,
): Promise<string | undefined> {
  const key = createTitleModelKey(connection.gateway);
  const configured = readTitleModel() ?? services.memory.get<string>(key);
  if (configured !== undefined) return configured;
  const chosen = await pickModel(services, { use: 'chat', of: connection });
  if (chosen) await services.memory.update(key, chosen.id);
  return chosen?.id;
}

/** The commands for the titles of chats, by their ids. */
export const titleCommands = {
  'chats.rename': renameChosenChat,
  'chats.makeTitle': generateTitle,
} satisfies CommandTable<ChatServices>;
