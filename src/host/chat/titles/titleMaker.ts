import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { Log } from '../../kit/display/log.ts';
import { notify } from '../../kit/display/notify.ts';
import { readSetting } from '../../kit/manifest/settings.ts';
import type { FormatChoice } from '../../models/formatChoice.ts';
import type { ChatSession } from '../session/chatSession.ts';
import { createTitlePrompt, requestTitle } from './titleRequest.ts';

interface TitleServices {
  readonly conversations: ConversationService;
  readonly formats: FormatChoice;
  readonly log: Log;
  readonly state: vscode.Memento;
}

/** The key of the stored list with the ids of the chats for which a title was requested. */
const requestedKey = 'titlesTried';

/** The maximum number of ids in this list. */
const maxRequested = 500;

/**
 * Generates titles of new chats after their first reply, if the user has configured a model for titles. Requests a
 * title for each chat only once, even after a failure.
 */
export class TitleMaker {
  readonly #services: TitleServices;
  readonly #followedSessions = new WeakSet<ChatSession>();
  #hasNotified = false;

  constructor(services: TitleServices) {
    this.#services = services;
  }

  /** Generates the title of a chat once its first reply has ended. */
  follow(session: ChatSession): void {
    if (this.#followedSessions.has(session)) return;
    this.#followedSessions.add(session);
    session.onDidChange(({ type }) => {
      if (type === 'streaming' && !session.isStreaming) void this.#generateTitle(session);
    });
  }

  async #generateTitle(session: ChatSession): Promise<void> {
    const { conversations, formats, log } = this.#services;
    const model = readTitleModel();
    const connection = session.target.gateway.connection;
    if (model === undefined || !connection || !hasOnlyFirstReply(session)) return;
    if (!(await this.#noteRequest(session.id))) return;
    try {
      const store = await conversations.store();
      const prompt = createTitlePrompt(store.readPath(session.id));
      if (prompt === undefined) return;
      const format = formats.of(connection.gateway, model);
      const title = await requestTitle(conversations, session.id, prompt, { connection, model, format });
      if (title === undefined) log.warn('chat', `${model} did not write a title`);
      else await conversations.change((latest) => latest.setTitleIfEmpty(session.id, title));
    } catch (error) {
      log.warn('chat', `${model} did not write a title: ${errorMessage(error)}`);
      await this.#notifyOnce(model, errorMessage(error));
    }
  }

  /** Stores that a title is requested for a chat. @returns false if a title was already requested */
  async #noteRequest(chat: string): Promise<boolean> {
    const { state } = this.#services;
    const requestedIds = state.get<readonly string[]>(requestedKey, []);
    if (requestedIds.includes(chat)) return false;
    await state.update(requestedKey, [...requestedIds, chat].slice(-maxRequested));
    return true;
  }

  async #notifyOnce(model: string, reason: string): Promise<void> {
    if (this.#hasNotified) return;
    this.#hasNotified = true;
    const settings = vscode.l10n.t('Open Settings');
    const message = vscode.l10n.t('{0} could not generate a title for the chat: {1}', model, reason);
    if ((await notify('warning', message, settings)) !== settings) return;
    await vscode.commands.executeCommand('workbench.action.openSettings', 'modelGateway.chats.titleModel');
  }
}

/** Whether a chat has no title yet, and only a first reply, which completed. */
function hasOnlyFirstReply({ conversation, title }: ChatSession): boolean {
  const [turn, ...others] = conversation.turns;
  if (title !== '' || !turn || others.length > 0) return false;
  const outcome = turn.result?.outcome.kind;
  return (outcome === 'complete' || outcome === 'truncated') && conversation.isInLaterRequests(turn.id);
}

/** Reads the id of the model that generates titles of new chats; undefined if no model is configured. */
export function readTitleModel(): string | undefined {
  const model = readSetting<unknown>('chats.titleModel');
  return typeof model === 'string' && model.trim() !== '' ? model.trim() : undefined;
}
