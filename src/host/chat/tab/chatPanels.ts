import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import type { AnswerChecker } from '../../../conversations/answerCheck/answerChecker.ts';
import { maxCompared } from '../../../conversations/conversation/comparison.ts';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { Connection } from '../../connection/connection.ts';
import { type Gateways, gatewayOfKey } from '../../connection/gateways.ts';
import type { LastEditor } from '../../kit/display/lastEditor.ts';
import type { Log } from '../../kit/display/log.ts';
import { notify } from '../../kit/display/notify.ts';
import type { PanelKind, Panels } from '../../kit/pages/panels.ts';
import { parameterCheck } from '../../kit/pages/parameterSchema.ts';
import { FormatChoice } from '../../models/formatChoice.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';
import { readModelRules } from '../../models/modelSettings.ts';
import { CodeApplying } from '../apply/codeApplying.ts';
import type { Proposals } from '../apply/proposals.ts';
import { ChatSession } from '../chatSession.ts';
import { CodeCompletion } from '../context/codeCompletion.ts';
import { ContextTools } from '../context/contextTools.ts';
import { checkedParameters, maxChatLength } from '../parameters/checkedParameters.ts';
import { KeptParameters } from '../parameters/keptParameters.ts';
import { UnfitDefaults } from '../parameters/unfitParameters.ts';
import { PromptCompletion } from '../prompts/promptCompletion.ts';
import type { PromptShelf } from '../prompts/promptShelf.ts';
import type { ReplyTools } from '../replies/replyTools.ts';
import { TitleMaker } from '../titles/titleMaker.ts';
import { ChatPanel } from './chatPanel.ts';
import { chatTitle } from './chatTitle.ts';
import type { ClosedChats } from './closedChats.ts';

/** What to open: the chat itself, else an empty one with this model, or with the one used last. */
export interface ChatOpening {
  readonly model?: string | undefined;
  readonly session?: ChatSession | undefined;
}

interface ChatPanelServices {
  readonly connection: Connection;
  readonly models: ModelNotes;
  readonly log: Log;
  /** All chats, in which a chat opens others. */
  readonly chats: () => Panels<ChatPanel, ChatOpening>;
  readonly closedChats: ClosedChats;
  readonly tools: ReplyTools;
  readonly editor: LastEditor;
  readonly proposals: Proposals;
  readonly conversations: ConversationService;
  readonly gateways: Gateways;
  readonly prompts: PromptShelf;
  readonly answerChecker: AnswerChecker;
}

/** Describes chat panels. A chat that is still empty is reused, with the draft in it. */
export async function chatPanels(
  context: vscode.ExtensionContext,
  {
    connection,
    models,
    log,
    chats,
    closedChats,
    tools,
    editor: lastEditor,
    conversations,
    gateways,
    prompts,
    answerChecker,
    proposals,
  }: ChatPanelServices,
): Promise<PanelKind<ChatPanel, ChatOpening>> {
  const chatOf = (session: ChatSession) => chats().all.find((chat) => chat.session === session);
  const editor = () => lastEditor.writable;
  const contextTools = new ContextTools(new CodeApplying(proposals, editor));
  context.subscriptions.push(contextTools);
  const chatTools = {
    replies: tools,
    completions: [new PromptCompletion(prompts, chatOf), new CodeCompletion(editor)],
    promptMemory: prompts.memory,
    context: contextTools,
    answerChecker,
  };
  const formats = new FormatChoice(context.globalState, readModelRules);
  const accept = await parameterCheck();
  const kept = new KeptParameters(context.globalState, accept);
  const unfitDefaults = new UnfitDefaults();
  const titles = new TitleMaker({ conversations, formats, log, state: context.globalState });
  const services = { connection, models, formats, kept, conversations, log };
  const newSession = (model?: string) => {
    const session = new ChatSession(services, { model });
    session.target.onDidChange(() => void unfitDefaults.tell(session.target));
    void unfitDefaults.tell(session.target);
    return session;
  };
  /** Does nothing for a chat that was deleted since. */
  const reopenTab = async (session: ChatSession) => {
    const isThere = closedChats.take(session.id) ?? chatOf(session);
    if (isThere) await chats().open({ session });
  };
  const tabs = {
    open: (session: ChatSession) => chats().open({ session }),
    closed: (session: ChatSession) => {
      if (closedChats.keep(session) && session.isStreaming)
        void tellArriving(session, () => reopenTab(session));
    },
  };
  /** Opens a chat that is kept; undefined where it is gone. */
  const reopen = async (id: string): Promise<ChatSession | undefined> => {
    const reopened = await conversations.reopen(id);
    if (!reopened) return undefined;
    const { gateway, gatewayName, model, parameters } = reopened.record;
    return new ChatSession(services, {
      reopened,
      model,
      compared: reopened.unsent.models?.slice(0, maxCompared),
      ...(gateway !== undefined && { gateway: gatewayOfKey(gateways, gateway, gatewayName) }),
      ...(parameters && { parameters: checkedParameters(parameters, accept, maxChatLength).parameters }),
    });
  };
  conversations.onDidChange((changed) => {
    const shown = chats().all.filter(({ session }) => changed?.includes(session.id) ?? true);
    if (shown.length > 0)
      void showTitles(shown, conversations).catch((error) => log.error('chat', errorMessage(error)));
  });
  return {
    title: ({ session }) => chatTitle(session),
    idOf: ({ session }) => session?.id,
    reuse(open, { model, session }) {
      if (session) return sameChat(open, session);
      const empty = open.find((chat) => chat.session.isUnused);
      if (model !== undefined) empty?.session.target.chooseModel(model);
      return empty;
    },
    restore: async (remembered) => {
      const id = isObject(remembered) ? remembered.chat : undefined;
      if (typeof id !== 'string') return undefined;
      // One in which nothing was asked or typed is not on disk.
      return { session: await reopen(id) };
    },
    create: (frame, { model, session = newSession(model) }) => {
      titles.follow(session);
      return new ChatPanel(frame, session, tabs, chatTools);
    },
  };
}

/** The tab of a chat. What another click has just read of the same chat is let go. */
function sameChat(open: readonly ChatPanel[], session: ChatSession): ChatPanel | undefined {
  const same = open.find((chat) => chat.session.id === session.id);
  if (same && same.session !== session) session.dispose();
  return same;
}

/** Says that the reply of a closed chat still arrives. */
async function tellArriving(session: ChatSession, reopen: () => Promise<unknown>): Promise<void> {
  const [open, stop] = [vscode.l10n.t('Open'), vscode.l10n.t('Stop')];
  const words = vscode.l10n.t(
    'The reply in “{0}” continues in the background and is saved.',
    chatTitle(session),
  );
  const chosen = await notify('info', words, open, stop);
  if (chosen === open) await reopen();
  else if (chosen === stop) session.stop();
}

/** Shows the titles that chats have now. */
async function showTitles(open: readonly ChatPanel[], conversations: ConversationService): Promise<void> {
  const store = await conversations.store();
  for (const { session } of open) session.called(store.get(session.id)?.title ?? '');
}
