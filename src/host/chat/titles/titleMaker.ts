import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { Log } from '../../kit/display/log.ts';
import { notify } from '../../kit/display/notify.ts';
import { readSetting } from '../../kit/manifest/settings.ts';
import type { FormatChoice } from '../../models/formatChoice.ts';
import type { ChatSession } from '../chatSession.ts';
import { askForTitle, titlePrompt } from './titleRequest.ts';

interface TitleServices {
  readonly conversations: ConversationService;
  readonly formats: FormatChoice;
  readonly log: Log;
  readonly state: vscode.Memento;
}

const triedKey = 'titlesTried';
/** Of so many chats it is known that a title was asked for. */
const maxTried = 500;

/**
 * Makes titles of new chats, after their first reply, by the model that the user chose for it; by default none is
 * asked. Each chat is tried once, whatever comes of it.
 */
export class TitleMaker {
  readonly #services: TitleServices;
  readonly #followed = new WeakSet<ChatSession>();
  #hasTold = false;

  constructor(services: TitleServices) {
    this.#services = services;
  }

  follow(session: ChatSession): void {
    if (this.#followed.has(session)) return;
    this.#followed.add(session);
    session.onDidChange(({ type }) => {
      if (type === 'streaming' && !session.isStreaming) void this.#afterReply(session);
    });
  }

  async #afterReply(session: ChatSession): Promise<void> {
    const { conversations, formats, log } = this.#services;
    const model = readTitleModel();
    const connection = session.target.gateway.now;
    if (model === undefined || !connection || !isFirstReply(session) || !(await this.#isFirstTry(session.id)))
      return;
    try {
      const store = await conversations.store();
      const prompt = titlePrompt(store.path(session.id));
      if (prompt === undefined) return;
      const format = formats.of(connection.gateway, model);
      const title = await askForTitle(conversations, session.id, prompt, { connection, model, format });
      if (title === undefined) log.warn('chat', `${model} wrote no title`);
      else await conversations.change((each) => each.nameUnlessNamed(session.id, title));
    } catch (error) {
      log.warn('chat', `no title by ${model}: ${errorMessage(error)}`);
      await this.#tellOnce(model, errorMessage(error));
    }
  }

  /** Whether no title of this chat was asked for before. From now on one was. */
  async #isFirstTry(chat: string): Promise<boolean> {
    const { state } = this.#services;
    const tried = state.get<readonly string[]>(triedKey, []);
    if (tried.includes(chat)) return false;
    await state.update(triedKey, [...tried, chat].slice(-maxTried));
    return true;
  }

  async #tellOnce(model: string, why: string): Promise<void> {
    if (this.#hasTold) return;
    this.#hasTold = true;
    const settings = vscode.l10n.t('Open Settings');
    const told = vscode.l10n.t('{0} could not make a title for the chat: {1}', model, why);
    if ((await notify('warning', told, settings)) !== settings) return;
    await vscode.commands.executeCommand('workbench.action.openSettings', 'modelGateway.chats.titleModel');
  }
}

/** Whether the only reply of a chat that the user gave no title has just come whole. */
function isFirstReply({ conversation, title }: ChatSession): boolean {
  const [turn, ...others] = conversation.turns;
  const outcome = turn?.result?.outcome.kind;
  const isWhole = outcome === 'complete' || outcome === 'truncated';
  return (
    title === '' && turn !== undefined && others.length === 0 && isWhole && conversation.carries(turn.id)
  );
}

/** Returns the id of the model that generates titles of new chats; undefined if none is configured. */
export function readTitleModel(): string | undefined {
  const model = readSetting<unknown>('chats.titleModel');
  return typeof model === 'string' && model.trim() !== '' ? model.trim() : undefined;
}
