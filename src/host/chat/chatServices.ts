import * as vscode from 'vscode';
import { errorTrace } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { ConversationService } from '../../conversations/conversationService.ts';
import { ReplyChecker } from '../../conversations/schemaCheck/replyChecker.ts';
import { ConversationWorker } from '../../conversations/worker/conversationWorker.ts';
import type { StorageNotice } from '../../storage/followHealth.ts';
import type { Log } from '../kit/display/log.ts';
import { showStorageNotice } from '../kit/display/storageNotice.ts';
import { disposeWithExtension } from '../kit/kitServices.ts';
import { setContextKey } from '../kit/manifest/contributions.ts';
import { OpenTabs } from '../kit/pages/openTabs.ts';
import { Panels } from '../kit/pages/panels.ts';
import type { ModelServices } from '../models/modelServices.ts';
import { FileProposals } from './apply/fileProposals.ts';
import { ChatsView } from './list/chatsView.ts';
import { DeletedChats } from './list/deletedChats.ts';
import { OutlineView } from './outline/outlineView.ts';
import type { ParameterStore } from './parameters/store/parameterStore.ts';
import { PromptLibrary } from './prompts/promptLibrary.ts';
import { ReplyActions } from './replies/replyActions.ts';
import { type SchemaChats, SchemaFiles } from './responseSchema/schemaFiles.ts';
import type { ChatPanel } from './tab/chatPanel.ts';
import type { ChatOpening } from './tab/chatPanels.ts';
import { ChatPlacement } from './tab/chatPlacement.ts';
import { ClosedChats } from './tab/closedChats.ts';
import { type AllChats, openChat } from './tab/openChat.ts';

export interface ChatServices extends ModelServices {
  readonly chats: Panels<ChatPanel, ChatOpening>;
  readonly openChats: OpenTabs<ChatPanel>;
  readonly closedChats: ClosedChats;
  readonly conversations: ConversationService;
  /** Runs long operations on conversations in its own thread. */
  readonly chatWorker: ConversationWorker;
  readonly chatsView: ChatsView;
  readonly outlineView: OutlineView;
  readonly deletedChats: DeletedChats;
  readonly prompts: PromptLibrary;
  readonly schemaFiles: SchemaFiles;
  /** Checks replies against schemas in its own thread. The thread starts with the first check. */
  readonly replyChecker: ReplyChecker;
  /** Presets and defaults of parameters, loaded on first use with their schemas. */
  readonly loadParameterStore: () => Promise<ParameterStore>;
  readonly replyActions: ReplyActions;
  readonly proposals: FileProposals;
}

export function createChatServices(context: vscode.ExtensionContext, services: ModelServices): ChatServices {
  const { connection, gateways, modelChoices, log, editor, documents, memory } = services;
  const closedChats = new ClosedChats();
  const chatWorker = createConversationWorker(context);
  const conversations = createConversationService(context, chatWorker, log);
  const replyActions = disposeWithExtension(context, new ReplyActions(memory, editor));
  const proposals = disposeWithExtension(context, new FileProposals());
  const prompts = new PromptLibrary(context, editor);
  const checkerProgram = vscode.Uri.joinPath(context.extensionUri, 'dist', 'schemaCheck.js').fsPath;
  const replyChecker = new ReplyChecker(checkerProgram);
  disposeWithExtension(context, { dispose: () => void replyChecker.close() });
  // Disposed before the chats. Otherwise their tabs would be removed from the list that the next window reopens.
  const openChats = disposeWithExtension(
    context,
    new OpenTabs<ChatPanel>(context.workspaceState, {
      name: 'chat',
      memoryKey: 'openChats',
      readId: ({ session }) => session.id,
      createState: (chat) => ({ chat }),
    }),
  );
  const chats: ChatServices['chats'] = disposeWithExtension(
    context,
    new Panels(
      { extension: context.extensionUri, log },
      {
        name: 'chat',
        tabs: openChats,
        hasOwnFindWidget: true,
        locations: disposeWithExtension(context, new ChatPlacement(memory)),
        load: async () => {
          const { createChatPanelKind } = await import('./tab/chatPanels.ts');
          return createChatPanelKind(context, {
            connection,
            gateways,
            log,
            closedChats,
            conversations,
            editor,
            documents,
            prompts,
            replyChecker,
            proposals,
            modelChoices,
            replies: replyActions,
            getChats: () => chats,
          });
        },
      },
    ),
  );
  const loadParameterStore = async () =>
    (await import('./parameters/store/parameterStore.ts')).loadParameterStore(memory);
  const schemaChats = createSchemaChats({ chats, closedChats, conversations }, loadParameterStore);
  const schemaFiles = disposeWithExtension(context, new SchemaFiles(schemaChats, replyChecker));
  // Disposed after the chats, because disposing a tab adds its chat to the closed chats.
  disposeWithExtension(context, closedChats);
  const outlineView = disposeWithExtension(context, new OutlineView(conversations, chats));
  const chatsView = disposeWithExtension(context, new ChatsView(conversations, chats));
  disposeWithExtension(
    context,
    chats.onDidChange(() => setContextKey('hasChat', chats.lastActive !== undefined)),
  );
  disposeWithExtension(context, { dispose: () => void chatWorker.close() });
  return {
    ...services,
    chats,
    openChats,
    closedChats,
    conversations,
    chatWorker,
    chatsView,
    outlineView,
    deletedChats: new DeletedChats(),
    prompts,
    schemaFiles,
    replyChecker,
    loadParameterStore,
    replyActions,
    proposals,
  };
}

/** Creates the access of the schema files to open and stored chats. */
function createSchemaChats(
  allChats: AllChats,
  loadParameterStore: () => Promise<ParameterStore>,
): SchemaChats {
  return {
    listOpen: () => allChats.chats.all.map(({ session }) => session),
    async readStoredSchema(id) {
      const record = (await allChats.conversations.store()).get(id);
      if (!record) return undefined;
      const { parameters, model } = record;
      const defaults =
        model === undefined ? undefined : (await loadParameterStore()).getDefaultParameters(model);
      const { common } = parameters ?? defaults ?? {};
      const schema = isObject(common) ? common.responseSchema : undefined;
      return { schema: isObject(schema) ? schema : undefined };
    },
    openChat: async (id) => (await openChat(allChats, id, { preserveFocus: true, isBeside: true }))?.session,
  };
}

/** Creates the service that stores conversations in a file of the extension's global storage. */
export function createConversationService(
  { globalStorageUri }: vscode.ExtensionContext,
  worker: ConversationWorker,
  log: Log,
): ConversationService {
  return new ConversationService({
    file: locateConversationsFile(globalStorageUri),
    worker,
    onNotice: (notice) => void showStoreNotice(notice),
    onError: (error) => log.error('chat', errorTrace(error)),
  });
}

/** Creates the worker for long operations on conversations. Its thread starts with the first request. */
function createConversationWorker(context: vscode.ExtensionContext): ConversationWorker {
  const program = vscode.Uri.joinPath(context.extensionUri, 'dist', 'conversationsWorker.js').fsPath;
  const file = locateConversationsFile(context.globalStorageUri);
  return new ConversationWorker(program, { file }, (notice) => void showStoreNotice(notice));
}

function locateConversationsFile(globalStorage: vscode.Uri): string {
  return vscode.Uri.joinPath(globalStorage, 'conversations.sqlite').fsPath;
}

/** Notifies the user that the chat file cannot be written or had to be repaired. */
async function showStoreNotice(notice: StorageNotice): Promise<void> {
  await showStorageNotice(notice, {
    file: vscode.l10n.t('chat file'),
    readOnly: vscode.l10n.t('Chats are shown, but changes are not saved.'),
    rows: vscode.l10n.t('chats'),
  });
}
