import * as vscode from 'vscode';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import { memoryKey } from '../../connection/configuredGateway.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { type Gateway, gatewayOfKey } from '../../connection/gateways.ts';
import { withStatusBarProgress } from '../../kit/display/progress.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { FormatChoice } from '../../models/formatChoice.ts';
import { pickModel } from '../../models/modelPicker.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import type { ChatServices } from '../chatServices.ts';
import { renameChat } from '../list/renameChat.ts';
import { readTitleModel } from '../titles/titleMaker.ts';
import { requestTitle, titlePrompt } from '../titles/titleRequest.ts';
import { resolveChat } from './resolveChats.ts';

/** The key under which the user's choice of a model for titles is stored, per gateway. */
function titleModelKey(gateway: Gateway): string {
  return `titleModel/${memoryKey(gateway)}`;
}

/** The ids of the chats whose titles are being generated. */
const inProgress = new Set<string>();

/** Generates the title of one chat. A second call for the same chat is ignored while the first one runs. */
async function makeTitle(services: ChatServices, row?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to generate a title for');
  const chat = await resolveChat(services, row, { title, filter: { hasMessages: true } });
  if (!chat || inProgress.has(chat.id)) return;
  inProgress.add(chat.id);
  try {
    await makeTitleOf(services, chat);
  } finally {
    inProgress.delete(chat.id);
  }
}

/** Generates and stores a title. If the user has set a title, opens the rename dialog with the new one instead. */
async function makeTitleOf(services: ChatServices, chat: ListedConversation): Promise<void> {
  const { t } = vscode.l10n;
  const store = await services.conversations.store();
  const prompt = titlePrompt(store.path(chat.id));
  if (prompt === undefined) return showStatusMessage(t('This chat has no question yet.'));
  const connection = connectionOf(services, chat);
  if (!connection) return showStatusMessage(t('The gateway of this chat is no longer configured.'));
  const model = await modelFor(services, connection);
  if (model === undefined) return;
  const format = new FormatChoice(services.memory, readModelRules).of(connection.gateway, model);
  const target = { connection, model, format };
  const title = await withStatusBarProgress(t('Generating a title…'), () =>
    requestTitle(services.conversations, chat.id, prompt, target).catch(async (error) => {
      // The user has to choose a model again the next time.
      await services.memory.update(titleModelKey(connection.gateway), undefined);
      throw error;
    }),
  );
  if (title === undefined) return showStatusMessage(t('{0} did not generate a title.', model));
  const isStored = await services.conversations.change((each) => each.setTitleIfEmpty(chat.id, title));
  if (!isStored) await renameChat(services.conversations, chat, title);
}

/** The gateway of a chat; the window's gateway for a chat that has none. */
function connectionOf(
  { connection, gateways }: ChatServices,
  { gateway, gatewayName }: ListedConversation,
): GatewayConnection | undefined {
  const ownGateway = gateway === undefined ? undefined : gatewayOfKey(gateways, gateway, gatewayName);
  return ownGateway ? connection.find(ownGateway) : connection.current;
}

/** The model of the setting, otherwise the earlier choice of the user, otherwise a new choice. */
async function modelFor(services: ChatServices, connection: GatewayConnection): Promise<string | undefined> {
  const key = titleModelKey(connection.gateway);
  const known = readTitleModel() ?? services.memory.get<string>(key);
  if (known !== undefined) return known;
  const chosen = await pickModel(services, { use: 'chat', of: connection });
  if (chosen) await services.memory.update(key, chosen.id);
  return chosen?.id;
}

export const titleCommands = { 'chats.makeTitle': makeTitle } satisfies CommandTable<ChatServices>;
