import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import { maxCompared } from '../../../conversations/conversation/comparison.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { ReplyChecker } from '../../../conversations/schemaCheck/replyChecker.ts';
import type { Connection } from '../../connection/connection.ts';
import { findGatewayByKey, type Gateways } from '../../connection/gateways.ts';
import type { LastEditor } from '../../kit/display/lastEditor.ts';
import type { Log } from '../../kit/display/log.ts';
import { notify } from '../../kit/display/notify.ts';
import type { TextDocuments } from '../../kit/display/textDocuments.ts';
import type { PanelKind, Panels } from '../../kit/pages/panels.ts';
import { loadParameterFilter } from '../../kit/pages/parameterSchema.ts';
import { FormatChoice } from '../../models/formatChoice.ts';
import type { ModelChoices } from '../../models/modelChoices.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import { CodeApplier } from '../apply/codeApplier.ts';
import type { FileProposals } from '../apply/fileProposals.ts';
import { ContextCompletion } from '../completion/contextCompletion.ts';
import { ContextMessages } from '../pageMessages/contextMessages.ts';
import { InvalidDefaults } from '../parameters/invalidParameters.ts';
import { checkParameters, maxChatParametersLength } from '../parameters/store/checkParameters.ts';
import { ParameterStore } from '../parameters/store/parameterStore.ts';
import { PromptCompletion } from '../prompts/promptCompletion.ts';
import type { PromptLibrary } from '../prompts/promptLibrary.ts';
import type { ReplyActions } from '../replies/replyActions.ts';
import { ChatSession } from '../session/chatSession.ts';
import { formatChatTitle } from '../session/chatTitle.ts';
import { TitleMaker } from '../titles/titleMaker.ts';
import { ChatPanel } from './chatPanel.ts';
import type { ClosedChats } from './closedChats.ts';

/** The chat to open: an existing chat, otherwise an empty chat with this model. The default is the last used model. */
export interface ChatOpening {
  readonly model?: string | undefined;
  readonly session?: ChatSession | undefined;
}

interface ChatPanelServices {
  readonly connection: Connection;
  readonly modelChoices: ModelChoices;
  readonly log: Log;
  /** Returns all chats, so that a chat can open other chats. */
  readonly getChats: () => Panels<ChatPanel, ChatOpening>;
  readonly closedChats: ClosedChats;
  readonly replies: ReplyActions;
  readonly editor: LastEditor;
  readonly documents: TextDocuments;
  readonly proposals: FileProposals;
  readonly conversations: ConversationService;
  readonly gateways: Gateways;
  readonly prompts: PromptLibrary;
  readonly replyChecker: ReplyChecker;
}

/** Creates the kind of chat panels. If a chat without questions is open, it is reused as the new chat. */
export async function createChatPanelKind(
  context: vscode.ExtensionContext,
  {
    connection,
    modelChoices,
    log,
    getChats,
    closedChats,
    replies,
    editor: lastEditor,
    documents,
    conversations,
    gateways,
    prompts,
    replyChecker,
    proposals,
  }: ChatPanelServices,
): Promise<PanelKind<ChatPanel, ChatOpening>> {
  const findPanel = (session: ChatSession) => getChats().all.find((chat) => chat.session === session);
  const getEditor = () => lastEditor.writable;
  const chatTools = {
    replies,
    completions: [new PromptCompletion(prompts, findPanel), new ContextCompletion(getEditor)],
    promptMemory: prompts.memory,
    context: new ContextMessages(new CodeApplier(proposals, getEditor), documents),
    replyChecker,
  };
  const formats = new FormatChoice(context.globalState, readModelRules);
  const accept = await loadParameterFilter();
  const parameterStore = new ParameterStore(context.globalState, accept);
  const invalidDefaults = new InvalidDefaults();
  const titleMaker = new TitleMaker({ conversations, formats, log, state: context.globalState });
  const services = { connection, modelChoices, formats, parameterStore, conversations, log };
  const createSession = (model?: string) => {
    const session = new ChatSession(services, { model });
    session.target.onDidChange(() => void invalidDefaults.warn(session.target));
    void invalidDefaults.warn(session.target);
    return session;
  };
  /** Reopens the tab of a chat, unless the chat was deleted in the meantime. */
  const reopenTab = async (session: ChatSession) => {
    const isClosed = closedChats.take(session.id) !== undefined;
    if (isClosed || findPanel(session)) await getChats().open({ session });
  };
  const tabs = {
    open: (session: ChatSession) => getChats().open({ session }),
    handleClosed: (session: ChatSession) => {
      if (closedChats.add(session) && session.isStreaming)
        void notifyArriving(session, () => reopenTab(session));
    },
  };
  /** Opens a stored chat; undefined if the chat does not exist any more. */
  const reopen = async (id: string): Promise<ChatSession | undefined> => {
    const reopened = await conversations.reopen(id);
    if (!reopened) return undefined;
    const { gateway, gatewayName, model, parameters } = reopened.record;
    return new ChatSession(services, {
      reopened,
      model,
      compared: reopened.draft.models?.slice(0, maxCompared),
      ...(gateway !== undefined && { gateway: findGatewayByKey(gateways, gateway, gatewayName) }),
      ...(parameters && {
        parameters: checkParameters(parameters, accept, maxChatParametersLength).parameters,
      }),
    });
  };
  conversations.onDidChange((changed) => {
    const changedChats = getChats().all.filter(({ session }) => changed?.includes(session.id) ?? true);
    if (changedChats.length > 0)
      void updateTitles(changedChats, conversations).catch((error) => log.error('chat', errorMessage(error)));
  });
  return {
    title: ({ session }) => formatChatTitle(session),
    readId: ({ session }) => session?.id,
    reuse(open, { model, session }) {
      if (session) return reuseTab(open, session);
      const unusedChat = open.find((chat) => chat.session.isUnused);
      if (model !== undefined) unusedChat?.session.target.chooseModel(model);
      return unusedChat;
    },
    restore: async (storedState) => {
      const id = isObject(storedState) ? storedState.chat : undefined;
      if (typeof id !== 'string') return undefined;
      // A chat without a question or a draft is not stored. It is restored as an empty chat.
      return { session: await reopen(id) };
    },
    create: (frame, { model, session = createSession(model) }) => {
      titleMaker.follow(session);
      return new ChatPanel(frame, session, tabs, chatTools);
    },
  };
}

/** Finds the open tab of a chat. If the tab has another session of the same chat, disposes `session`. */
function reuseTab(open: readonly ChatPanel[], session: ChatSession): ChatPanel | undefined {
  const tab = open.find((chat) => chat.session.id === session.id);
  if (tab && tab.session !== session) session.dispose();
  return tab;
}

/** Notifies the user that the reply in a closed chat still arrives. Offers to open the chat or stop the reply. */
async function notifyArriving(session: ChatSession, reopen: () => Promise<unknown>): Promise<void> {
  const [open, stop] = [vscode.l10n.t('Open'), vscode.l10n.t('Stop')];
  const message = vscode.l10n.t(
    'The reply in “{0}” continues in the background and is saved.',
    formatChatTitle(session),
  );
  const chosen = await notify('info', message, open, stop);
  if (chosen === open) await reopen();
  else if (chosen === stop) session.stop();
}

/** Applies the titles in the store to open chats. */
async function updateTitles(open: readonly ChatPanel[], conversations: ConversationService): Promise<void> {
  const store = await conversations.store();
  for (const { session } of open) session.applyStoredTitle(store.get(session.id)?.title ?? '');
}
