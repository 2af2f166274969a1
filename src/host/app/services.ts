import type * as vscode from 'vscode';
import type { AnswerChecker } from '../../conversations/answerCheck/answerChecker.ts';
import type { ConversationService } from '../../conversations/conversationService.ts';
import type { ConversationWorker } from '../../conversations/worker/conversationWorker.ts';
import type { KeptFailures } from '../../requests/kept/keptFailures.ts';
import type { RequestHistory } from '../../requests/requestHistory.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import { OfferedModels } from '../agents/languageModels/list/offeredModels.ts';
import { schemaChats } from '../chat/answerSchema/schemaChats.ts';
import { SchemaFiles } from '../chat/answerSchema/schemaFiles.ts';
import { Proposals } from '../chat/apply/proposals.ts';
import { AnswerDocuments } from '../chat/commands/answerDocuments.ts';
import { ImportReports } from '../chat/files/importReports.ts';
import { ChatsView } from '../chat/list/chatsView.ts';
import { DeletedChats } from '../chat/list/deletedChats.ts';
import {
  createAnswerChecker,
  createConversationService,
  createConversationWorker,
  createDailyUpkeep,
} from '../chat/openConversations.ts';
import { OutlineView } from '../chat/outline/outlineView.ts';
import type { KeptParameters } from '../chat/parameters/keptParameters.ts';
import { PromptShelf } from '../chat/prompts/promptShelf.ts';
import { ReplyTools } from '../chat/replies/replyTools.ts';
import type { ChatPanel } from '../chat/tab/chatPanel.ts';
import type { ChatOpening } from '../chat/tab/chatPanels.ts';
import { ChatPlace } from '../chat/tab/chatPlace.ts';
import { ClosedChats } from '../chat/tab/closedChats.ts';
import { UsageDocument } from '../chat/usage/usageDocument.ts';
import { Connection } from '../connection/connection.ts';
import { GatewayContextKeys } from '../connection/contextKeys.ts';
import { Credentials } from '../connection/credentials.ts';
import { Gateways, localEntry } from '../connection/gateways.ts';
import { LocalGateway } from '../connection/localGateway.ts';
import { LocalUpstreams } from '../connection/localUpstreams.ts';
import { PlainHttpConsent } from '../connection/plainHttp.ts';
import { StatusBar } from '../connection/statusBar.ts';
import { ConnectionReports } from '../gateway/check/connectionReports.ts';
import { CrashRestart } from '../gateway/local/crashRestart.ts';
import { LocalGatewayView } from '../gateway/local/localGatewayView.ts';
import { type CommandId, gatewayLogName, setContextKey } from '../kit/contributions.ts';
import { LastEditor } from '../kit/display/lastEditor.ts';
import { Log } from '../kit/log.ts';
import { OpenTabs, onlyPage, type TabKind } from '../kit/pages/openTabs.ts';
import { Panels } from '../kit/pages/panels.ts';
import { UsedViews } from '../kit/usedViews.ts';
import { ModelNotes } from '../models/modelNotes.ts';
import { readModelRules } from '../models/modelSettings.ts';
import { ModelsView } from '../models/modelsView.ts';
import { Offers } from '../models/offers.ts';
import { openRequestHistory } from '../requests/openRequestHistory.ts';
import { RequestDocuments } from '../requests/requestDocuments.ts';
import { RequestDrafts } from '../requests/requestDrafts.ts';
import { RequestsView } from '../requests/requestsView.ts';
import type { GeneratePanel } from '../tasks/generate/generatePanel.ts';
import { MediaViews } from '../tasks/mediaViews.ts';
import { createTaskService } from '../tasks/openTaskService.ts';
import { RemoteTasks } from '../tasks/remoteTasks.ts';
import { TaskGateways } from '../tasks/taskGateways.ts';
import { TaskNotices } from '../tasks/taskNotices.ts';
import type { TaskOpening, TaskPanel } from '../tasks/taskPanel.ts';
import { TasksView } from '../tasks/tasksView.ts';

/** Everything the commands work with. */
export interface Services {
  readonly log: Log;
  readonly gateways: Gateways;
  readonly credentials: Credentials;
  readonly localGateway: LocalGateway;
  /** What the local gateway itself tells. */
  readonly gatewayLog: Log;
  /** The keys of the local gateway's upstreams, by their names and addresses. */
  readonly upstreamKeys: Credentials;
  readonly localUpstreams: LocalUpstreams;
  readonly localGatewayView: LocalGatewayView;
  readonly plainHttp: PlainHttpConsent;
  readonly connection: Connection;
  /** The checks of connections that were shown. */
  readonly connectionReports: ConnectionReports;
  readonly chats: Panels<ChatPanel, ChatOpening>;
  readonly modelNotes: ModelNotes;
  /** The models that VS Code's own chat offers. */
  readonly offeredModels: OfferedModels;
  readonly openChats: OpenTabs<ChatPanel>;
  readonly openTasks: OpenTabs<TaskPanel>;
  readonly openForm: OpenTabs<GeneratePanel>;
  readonly closedChats: ClosedChats;
  readonly conversations: ConversationService;
  readonly usageDocument: UsageDocument;
  readonly chatsView: ChatsView;
  readonly outlineView: OutlineView;
  readonly deletedChats: DeletedChats;
  readonly modelsView: ModelsView;
  readonly tasks: TaskService;
  readonly taskGateways: TaskGateways;
  readonly remoteTasks: RemoteTasks;
  readonly tasksView: TasksView;
  readonly usedViews: UsedViews;
  readonly offers: Offers;
  readonly taskPages: Panels<TaskPanel, TaskOpening>;
  readonly generatePages: Panels<GeneratePanel, object>;
  /** Does what takes time with conversations. */
  readonly chatWorker: ConversationWorker;
  readonly importReports: ImportReports;
  /** What is remembered beyond this window. */
  readonly memory: vscode.Memento;
  readonly prompts: PromptShelf;
  readonly schemaFiles: SchemaFiles;
  readonly answerChecker: AnswerChecker;
  /** The parameters that outlive a chat, loaded with what they are checked by. */
  readonly keptParameters: () => Promise<KeptParameters>;
  readonly editor: LastEditor;
  readonly replyTools: ReplyTools;
  readonly answerDocuments: AnswerDocuments;
  readonly proposals: Proposals;
  /** What was asked of gateways, and what they replied. */
  readonly requests: RequestHistory;
  readonly keptFailures: KeptFailures;
  readonly requestsView: RequestsView;
  readonly requestDocuments: RequestDocuments;
  readonly requestDrafts: RequestDrafts;
}

/** A command. VS Code passes further arguments, such as a row of a view. */
export type Command = (services: Services, ...args: readonly unknown[]) => unknown;

/** A feature's commands by their ids. */
export type CommandTable = Readonly<Partial<Record<CommandId, Command>>>;

/** Creates all services. VS Code disposes them with the extension. */
export function createServices(context: vscode.ExtensionContext): Services {
  const own = <Service extends vscode.Disposable>(service: Service): Service => {
    context.subscriptions.push(service);
    return service;
  };
  const log = own(new Log());
  const gateways = own(new Gateways(context));
  const credentials = own(new Credentials(context, log));
  const gatewayLog = own(new Log(gatewayLogName));
  const localGateway = own(new LocalGateway(context, log, gatewayLog));
  const upstreamKeys = own(new Credentials(context, gatewayLog, 'upstreamKey/'));
  const localUpstreams = own(new LocalUpstreams(localGateway, upstreamKeys, log));
  const plainHttp = new PlainHttpConsent(context);
  const connection = own(new Connection(context, gateways, credentials, localGateway, plainHttp, log));
  const {
    history: requests,
    failures,
    subscriptions,
  } = openRequestHistory(context, connection, localGateway, log);
  for (const subscription of subscriptions) own(subscription);
  own(
    localUpstreams.onDidChangeModels(() => {
      if (localGateway.isRunning) connection.of(localEntry).update();
    }),
  );
  const crashRestart = own(
    new CrashRestart(localGateway, log, () => void connection.of(localEntry).refresh()),
  );
  const modelNotes = new ModelNotes(context.globalState, readModelRules);
  const offers = own(new Offers(context.globalState));
  const modelsView = own(new ModelsView(connection, modelNotes, localUpstreams, offers));
  const offeredModels = own(
    new OfferedModels({
      ...{ connection, gateways, credentials, localGateway, modelNotes },
      memory: context.globalState,
    }),
  );
  const taskGateways = own(new TaskGateways(connection, gateways, localGateway));
  const tasks = createTaskService(context, { taskGateways, gateways, credentials, log });
  const remoteTasks = own(new RemoteTasks(connection, tasks));
  const tasksView = own(new TasksView(tasks, remoteTasks, context.globalState));
  const media = own(new MediaViews());
  const panelContext = { extension: context.extensionUri, log };
  const closedChats = new ClosedChats();
  const chatWorker = createConversationWorker(context);
  const conversations = createConversationService(context, chatWorker, log);
  own(createDailyUpkeep(context, conversations, chatWorker, log));
  const usageDocument = own(
    new UsageDocument({
      sumUsage: async (queries) => {
        // Its faults are told as everywhere, before the worker meets them.
        await conversations.store();
        return chatWorker.ask('sumUsage', queries);
      },
      videoUsage: () => tasks.usage(),
    }),
  );
  const editor = own(new LastEditor());
  const tools = own(new ReplyTools(context.globalState, editor));
  const proposals = own(new Proposals());
  const prompts = new PromptShelf(context, editor);
  const answerChecker = createAnswerChecker(context);
  own({ dispose: () => void answerChecker.close() });
  // Disposed before the pages, which are to open again after this window.
  const openTabs = <P extends { readonly panel: vscode.WebviewPanel }>(kind: TabKind<P>) =>
    own(new OpenTabs<P>(context.workspaceState, kind));
  const openChats = openTabs<ChatPanel>({
    ...{ name: 'chat', memoryKey: 'openChats' },
    idOf: ({ session }) => session.id,
  });
  const openTasks = openTabs<TaskPanel>({ name: 'task', memoryKey: 'openTasks', idOf: ({ key }) => key });
  const openForm = openTabs<GeneratePanel>({
    ...{ name: 'generate', memoryKey: 'openGenerate' },
    idOf: () => onlyPage,
  });
  const chats: Services['chats'] = own(
    new Panels(panelContext, {
      name: 'chat',
      tabs: openChats,
      findsItself: true,
      places: own(new ChatPlace(context.globalState)),
      load: async () => {
        const { chatPanels } = await import('../chat/tab/chatPanels.ts');
        return chatPanels(context, {
          ...{
            connection,
            gateways,
            models: modelNotes,
            log,
            closedChats,
            conversations,
            tools,
            editor,
            prompts,
            answerChecker,
            proposals,
          },
          chats: () => chats,
        });
      },
    }),
  );
  const keptParameters = async () =>
    (await import('../chat/parameters/keptParameters.ts')).loadKeptParameters(context.globalState);
  const schemas = schemaChats({ chats, closedChats, conversations }, keptParameters);
  const schemaFiles = own(new SchemaFiles(schemas, answerChecker));
  // Disposed after the chats, since it takes over those that are closed then.
  own(closedChats);
  const outlineView = own(new OutlineView(conversations, chats));
  const chatsView = own(new ChatsView(conversations, chats));
  const generatePages = own(
    new Panels(panelContext, {
      name: 'generate',
      tabs: openForm,
      load: async () =>
        (await import('../tasks/generate/generatePanel.ts')).generatePanels(context, {
          connection,
          modelNotes,
          tasks,
          media,
          log,
        }),
    }),
  );
  const taskPages = own(
    new Panels(panelContext, {
      name: 'task',
      tabs: openTasks,
      load: async () => (await import('../tasks/taskPanel.ts')).taskPanels(tasks, media),
    }),
  );
  own(chats.onDidChange(() => setContextKey('hasChat', chats.lastActive !== undefined)));
  const isTaskOnScreen = (key: string) =>
    taskPages.all.some((page) => page.panel.visible && page.key === key) ||
    generatePages.all.some((page) => page.panel.visible && page.shows(key)) ||
    tasksView.shows(key);
  own(new TaskNotices(tasks, isTaskOnScreen));
  own({ dispose: () => void chatWorker.close() });
  own(new StatusBar(connection, tasks));
  own(new GatewayContextKeys(gateways, localGateway));
  return {
    log,
    gateways,
    credentials,
    localGateway,
    gatewayLog,
    upstreamKeys,
    localUpstreams,
    localGatewayView: own(new LocalGatewayView(localGateway, localUpstreams, crashRestart)),
    plainHttp,
    connection,
    connectionReports: own(new ConnectionReports()),
    chats,
    modelNotes,
    offeredModels,
    openChats,
    openTasks,
    openForm,
    closedChats,
    conversations,
    usageDocument,
    chatsView,
    outlineView,
    deletedChats: new DeletedChats(),
    modelsView,
    tasks,
    taskGateways,
    remoteTasks,
    tasksView,
    offers,
    usedViews: new UsedViews(context.globalState),
    taskPages,
    generatePages,
    chatWorker,
    memory: context.globalState,
    importReports: own(new ImportReports()),
    prompts,
    schemaFiles,
    answerChecker,
    keptParameters,
    editor,
    replyTools: tools,
    answerDocuments: own(new AnswerDocuments()),
    proposals,
    requests,
    keptFailures: failures,
    requestsView: own(new RequestsView(requests)),
    requestDocuments: own(new RequestDocuments(requests)),
    requestDrafts: own(new RequestDrafts()),
  };
}
