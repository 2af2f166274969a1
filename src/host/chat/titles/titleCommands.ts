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
import { chosenChat, isAsked } from '../list/chosenChats.ts';
import { renameChat } from '../list/renameChat.ts';
import { readTitleModel } from './titleMaker.ts';
import { askForTitle, titlePrompt } from './titleRequest.ts';

/** The model of each gateway that the user chose to make titles by the command. */
class TitleModels {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  of(gateway: Gateway): string | undefined {
    return this.#state.get<string>(key(gateway));
  }

  async remember(gateway: Gateway, model: string): Promise<void> {
    await this.#state.update(key(gateway), model);
  }

  /** Asks again the next time. */
  async forget(gateway: Gateway): Promise<void> {
    await this.#state.update(key(gateway), undefined);
  }
}

function key(gateway: Gateway): string {
  return `titleModel/${memoryKey(gateway)}`;
}

/** The ids of the chats whose titles are being made. */
const underWay = new Set<string>();

/** Lets a model write the title of one chat. A second click meanwhile asks for no second one. */
async function makeTitle(services: ChatServices, row?: unknown): Promise<void> {
  const title = vscode.l10n.t('Choose the chat to generate a title for');
  const chat = await chosenChat(services, row, { title, isSuitable: isAsked });
  if (!chat || underWay.has(chat.id)) return;
  underWay.add(chat.id);
  try {
    await makeTitleOf(services, chat);
  } finally {
    underWay.delete(chat.id);
  }
}

/** A title that the user gave is only replaced by the user. */
async function makeTitleOf(services: ChatServices, chat: ListedConversation): Promise<void> {
  const { t } = vscode.l10n;
  const store = await services.conversations.store();
  const prompt = titlePrompt(store.path(chat.id));
  if (prompt === undefined) return showStatusMessage(t('This chat has no question yet.'));
  const connection = connectionOf(services, chat);
  if (!connection) return showStatusMessage(t('The gateway of this chat is not configured any more.'));
  const model = await modelFor(services, connection);
  if (model === undefined) return;
  const format = new FormatChoice(services.memory, readModelRules).of(connection.gateway, model);
  const asking = { connection, model, format };
  const title = await withStatusBarProgress(t('Making a title…'), () =>
    askForTitle(services.conversations, chat.id, prompt, asking).catch(async (error) => {
      await new TitleModels(services.memory).forget(connection.gateway);
      throw error;
    }),
  );
  if (title === undefined) return showStatusMessage(t('{0} wrote no title.', model));
  const isNamed = await services.conversations.change((each) => each.nameUnlessNamed(chat.id, title));
  if (!isNamed) await renameChat(services.conversations, chat, title);
}

function connectionOf(
  { connection, gateways }: ChatServices,
  { gateway, gatewayName }: ListedConversation,
): GatewayConnection | undefined {
  const earlier = gateway === undefined ? undefined : gatewayOfKey(gateways, gateway, gatewayName);
  return earlier ? connection.find(earlier) : connection.current;
}

/** The model of the setting, else the one that the user chose for this before, else one to choose. */
async function modelFor(services: ChatServices, connection: GatewayConnection): Promise<string | undefined> {
  const { gateway } = connection;
  const models = new TitleModels(services.memory);
  const known = readTitleModel() ?? models.of(gateway);
  if (known !== undefined) return known;
  const chosen = await pickModel(services, { use: 'chat', of: connection });
  if (chosen) await models.remember(gateway, chosen.id);
  return chosen?.id;
}

export const titleCommands = { 'chats.makeTitle': makeTitle } satisfies CommandTable<ChatServices>;
