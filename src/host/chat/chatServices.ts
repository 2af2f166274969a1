import type * as vscode from 'vscode';
import type { AnswerChecker } from '../../conversations/answerCheck/answerChecker.ts';
import type { ConversationService } from '../../conversations/conversationService.ts';
import type { ConversationWorker } from '../../conversations/worker/conversationWorker.ts';
import { own } from '../kit/kitServices.ts';
import { setContextKey } from '../kit/manifest/contributions.ts';
import { OpenTabs } from '../kit/pages/openTabs.ts';
import { Panels } from '../kit/pages/panels.ts';
import type { ModelServices } from '../models/modelServices.ts';
import { schemaChats } from './answerSchema/schemaChats.ts';
import { SchemaFiles } from './answerSchema/schemaFiles.ts';
import { Proposals } from './apply/proposals.ts';
import { AnswerDocuments } from './commands/answerDocuments.ts';
import { ImportReports } from './files/importReports.ts';
import { ChatsView } from './list/chatsView.ts';
import { DeletedChats } from './list/deletedChats.ts';
import {
  createAnswerChecker,
  createConversationService,
  createConversationWorker,
  createDailyUpkeep,
} from './openConversations.ts';
import { OutlineView } from './outline/outlineView.ts';
import type { KeptParameters } from './parameters/keptParameters.ts';
import { PromptShelf } from './prompts/promptShelf.ts';
import { ReplyTools } from './replies/replyTools.ts';
import type { ChatPanel } from './tab/chatPanel.ts';
import type { ChatOpening } from './tab/chatPanels.ts';
import { ChatPlace } from './tab/chatPlace.ts';
import { ClosedChats } from './tab/closedChats.ts';

export interface ChatServices extends ModelServices {
  readonly chats: Panels<ChatPanel, ChatOpening>;
  readonly openChats: OpenTabs<ChatPanel>;
  readonly closedChats: ClosedChats;
  readonly conversations: ConversationService;
  /** Runs long work on conversations in its own thread. */
  readonly chatWorker: ConversationWorker;
  readonly chatsView: ChatsView;
  readonly outlineView: OutlineView;
  readonly deletedChats: DeletedChats;
  readonly importReports: ImportReports;
  readonly prompts: PromptShelf;
  readonly schemaFiles: SchemaFiles;
  readonly answerChecker: AnswerChecker;
  /** Presets and defaults of parameters, loaded on first use with their schemas. */
  readonly keptParameters: () => Promise<KeptParameters>;
  readonly replyTools: ReplyTools;
  readonly answerDocuments: AnswerDocuments;
  readonly proposals: Proposals;
}

export function createChatServices(context: vscode.ExtensionContext, below: ModelServices): ChatServices {
  const { connection, gateways, modelNotes, log, editor, memory } = below;
  const closedChats = new ClosedChats();
  const chatWorker = createConversationWorker(context);
  const conversations = createConversationService(context, chatWorker, log);
  own(context, createDailyUpkeep(context, conversations, chatWorker, log));
  const replyTools = own(context, new ReplyTools(memory, editor));
  const proposals = own(context, new Proposals());
  const prompts = new PromptShelf(context, editor);
  const answerChecker = createAnswerChecker(context);
  own(context, { dispose: () => void answerChecker.close() });
  // Disposed before the pages, which are to open again after this window.
  const openChats = own(
    context,
    new OpenTabs<ChatPanel>(context.workspaceState, {
      ...{ name: 'chat', memoryKey: 'openChats' },
      idOf: ({ session }) => session.id,
    }),
  );
  const chats: ChatServices['chats'] = own(
    context,
    new Panels(
      { extension: context.extensionUri, log },
      {
        name: 'chat',
        tabs: openChats,
        findsItself: true,
        places: own(context, new ChatPlace(memory)),
        load: async () => {
          const { chatPanels } = await import('./tab/chatPanels.ts');
          return chatPanels(context, {
            ...{ connection, gateways, log, closedChats, conversations, editor, prompts },
            ...{ answerChecker, proposals },
            models: modelNotes,
            tools: replyTools,
            chats: () => chats,
          });
        },
      },
    ),
  );
  const keptParameters = async () =>
    (await import('./parameters/keptParameters.ts')).loadKeptParameters(memory);
  const schemas = schemaChats({ chats, closedChats, conversations }, keptParameters);
  const schemaFiles = own(context, new SchemaFiles(schemas, answerChecker));
  // Disposed after the chats, since it takes over those that are closed then.
  own(context, closedChats);
  const outlineView = own(context, new OutlineView(conversations, chats));
  const chatsView = own(context, new ChatsView(conversations, chats));
  own(
    context,
    chats.onDidChange(() => setContextKey('hasChat', chats.lastActive !== undefined)),
  );
  own(context, { dispose: () => void chatWorker.close() });
  return {
    ...below,
    chats,
    openChats,
    closedChats,
    conversations,
    chatWorker,
    chatsView,
    outlineView,
    deletedChats: new DeletedChats(),
    importReports: own(context, new ImportReports()),
    prompts,
    schemaFiles,
    answerChecker,
    keptParameters,
    replyTools,
    answerDocuments: own(context, new AnswerDocuments()),
    proposals,
  };
}
