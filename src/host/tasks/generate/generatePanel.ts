import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import {
  type FromGeneratePage,
  fromGeneratePage,
  type GenerateForm,
  type GenerateState,
  type GenerateTarget,
  type ToGeneratePage,
} from '../../../protocol/generatePage.ts';
import type { ReplyAction } from '../../../protocol/pageMessage.ts';
import type { TaskTile } from '../../../protocol/taskPage.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import { videoRoute } from '../../../wire/apis/videoRoutes.ts';
import type { Connection } from '../../connection/connection.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { createConnectionNotice, createUnlistedModelNotice } from '../../connection/failures/pageNotices.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { revealTab } from '../../kit/display/editorTabs.ts';
import type { Log } from '../../kit/display/log.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { onDidChangeSettings } from '../../kit/manifest/settings.ts';
import { runAction } from '../../kit/noticeActions.ts';
import { onlyPage } from '../../kit/pages/openTabs.ts';
import { Page, type PageFrame, type WithoutReady } from '../../kit/pages/page.ts';
import type { PanelKind } from '../../kit/pages/panels.ts';
import { formatReadableJson } from '../../kit/readableJson.ts';
import type { ModelChoices } from '../../models/modelChoices.ts';
import { createNotSentError } from '../purchase/ledgerMessages.ts';
import {
  confirmSpending,
  describePrice,
  type Purchase,
  type SpendingConsent,
  sendPurchase,
} from '../purchase/purchase.ts';
import { listMediaFolders, type MediaViews } from '../task/mediaViews.ts';
import { createTile } from '../task/taskView.ts';
import { buildRestSchema, listMainFields } from '../task/videoForm.ts';
import { FormDraft } from './formDraft.ts';
import { FormMemory } from './formMemory.ts';
import { ArrivingFrames, pickFrame, readFrames } from './framePictures.ts';
import { readRequestPrompt } from './generateChecks.ts';
import { findFormPath } from './generateRequest.ts';
import { GenerateSession, type Proposal } from './generateSession.ts';

/** The number of the newest tasks that are shown below the form. */
const maxTiles = 24;

interface GenerateServices {
  readonly connection: Connection;
  readonly modelChoices: ModelChoices;
  readonly tasks: TaskService;
  readonly media: MediaViews;
  readonly log: Log;
}

/** The editor tab of the Generate page: a form, and the newest tasks below it. */
export class GeneratePanel {
  readonly panel: vscode.WebviewPanel;
  readonly session: GenerateSession;
  readonly #services: GenerateServices;
  readonly #page: Page<FromGeneratePage, ToGeneratePage>;
  readonly #arriving = new ArrivingFrames();
  #shownPrice = '';

  constructor(frame: PageFrame, session: GenerateSession, services: GenerateServices) {
    this.panel = frame.panel;
    this.session = session;
    this.#services = services;
    const { tasks, media, log } = services;
    const shownResults = listNewest(tasks).flatMap((task) => task.results);
    this.#page = new Page(frame, {
      messages: fromGeneratePage,
      state: () => ({ type: 'state', state: this.#createState() }),
      prepare: () => tasks.open().catch((error) => log.warn('task', errorMessage(error))),
      handle: (message) => this.#handle(message),
      folders: listMediaFolders(tasks.resultsFolder, shownResults),
    });
    this.#page.addDisposables(
      session.onDidChange((change) => this.#show(change)),
      tasks.onDidChange(() => this.#showTilesSoon()),
      media.onDidRead(() => this.#showTilesSoon()),
      onDidChangeSettings(() => this.#showPrice()),
      session,
    );
  }

  /** Reveals the page and focuses the prompt. */
  focusPrompt(): void {
    revealTab(this.panel);
    this.#page.postOnceReady({ type: 'perform', action: 'focus-prompt' });
  }

  /** Shows the gateway's message about a field of the request in the form, until the form is changed. */
  showRefusal(field: string, problem: string): void {
    const { route } = this.session;
    const paths = listMainFields(route).map(({ path }) => path);
    const { frames } = videoRoute(route);
    const refused = { path: findFormPath(field, { paths, frames }), problem };
    const { problems } = this.session.createProposal();
    this.#page.postOnceReady({ type: 'problems', problems: [...problems, refused] });
  }

  /** Whether the task is among the tiles. */
  isShowing(key: string): boolean {
    return listNewest(this.#services.tasks).some((task) => task.key === key);
  }

  async #handle(message: WithoutReady<FromGeneratePage>): Promise<void> {
    const { session } = this;
    switch (message.type) {
      case 'choose-model':
        return runCommand('generate.chooseModel');
      case 'choose-route':
        return runCommand('generate.chooseRoute');
      case 'set-values':
        session.setValues(message.values);
        this.#showPrice();
        return this.#showProblems();
      case 'set-count':
        session.setCount(message.count);
        return this.#showPrice();
      case 'attach-file': {
        const image = await pickFrame();
        return image && session.setFrame(message.frame, image);
      }
      case 'attach-piece': {
        const image = this.#arriving.receive(message);
        return image && session.setFrame(message.frame, image);
      }
      case 'drop-files':
        for (const { frame, image } of await readFrames(message.uris, message.frames)) {
          session.setFrame(frame, image);
        }
        return;
      case 'detach':
        return session.setFrame(message.frame, undefined);
      case 'preview-request':
        return this.#page.post({ type: 'request', json: this.#formatRequest() });
      case 'copy-request':
        return await vscode.env.clipboard.writeText(this.#formatRequest());
      case 'generate':
        return this.#generate(message.submissionToken);
      case 'open-task':
        return runCommand('tasks.openPage', { kind: 'task', key: message.key, preview: true });
      case 'action':
        return this.#runAction(message.action);
      default:
        return message satisfies never;
    }
  }

  /** Creates tasks. Called only after a click of the user. A used submission token does not create tasks. */
  async #generate(submissionToken: string): Promise<void> {
    const { session } = this;
    const proposal = session.createProposal();
    this.#page.post({ type: 'problems', problems: proposal.problems });
    let wasSent = false;
    try {
      const purchase = await this.#preparePurchase(proposal, submissionToken);
      if (!purchase) return;
      await sendPurchase(this.#services, purchase, submissionToken);
      wasSent = true;
      await session.remember();
    } finally {
      this.#page.post({ type: 'submission-result', submissionToken: session.submissionToken, wasSent });
    }
  }

  /** Returns the purchase; undefined if the form, the gateway or the user prevents it. */
  async #preparePurchase(
    { route, model, body, problems }: Proposal,
    submissionToken: string,
  ): Promise<Purchase | undefined> {
    const { session } = this;
    const { current } = this.#services.connection;
    if (problems.length > 0 || current === undefined || model === '') return undefined;
    if (!session.consumeToken(submissionToken) || (await session.shouldWarnUnlisted(current)))
      return undefined;
    const { gateway } = current;
    const { count } = session;
    const purchase = { gateway, route, model, prompt: readRequestPrompt(route, body), request: body, count };
    const { isGiven, hasShownDialog } = await this.#confirmSpending(purchase, current);
    // Returns the focus after a dialog. Without a dialog, this would take the focus from a box that the user types in.
    if (hasShownDialog && this.panel.active) revealTab(this.panel);
    return isGiven ? purchase : undefined;
  }

  async #confirmSpending(purchase: Purchase, { state }: GatewayConnection): Promise<SpendingConsent> {
    const { tasks } = this.#services;
    await tasks.open().catch((error) => {
      throw createNotSentError(error);
    });
    return confirmSpending(purchase, () => tasks.readSpending(), state.models);
  }

  async #runAction(action: ReplyAction): Promise<void> {
    if (action === 'choose-model') await runCommand('generate.chooseModel');
    else if (action === 'choose-format') await runCommand('generate.chooseRoute');
    else if (action === 'copy-details') await this.#copyDetails();
    else if (action === 'open-request') await this.#openRequest();
    else if (action === 'open-help') await this.#openHelp();
    else if (action !== 'move-chat') await runAction(action);
  }

  async #openRequest(): Promise<void> {
    const { error } = this.#services.connection.state;
    if (error) await runCommand('requests.openRequest', { requestId: error.requestId });
  }

  async #openHelp(): Promise<void> {
    const { error } = this.#services.connection.state;
    await runCommand('openHelp', error && failureMessage(error).helpPage);
  }

  async #copyDetails(): Promise<void> {
    const { error } = this.#services.connection.state;
    if (error) await vscode.env.clipboard.writeText(failureMessage(error).details);
  }

  #show(change: 'form' | 'target' | 'pictures'): void {
    if (change === 'pictures') {
      this.#page.post({ type: 'pictures', pictures: this.#createPictures() });
      this.#showProblems();
      return;
    }
    if (change === 'target') this.#page.post({ type: 'target', target: this.#createTarget() });
    else this.#page.post({ type: 'form', target: this.#createTarget(), form: this.#createForm() });
    this.#showPrice();
  }

  #showPrice(): void {
    const price = this.#describePrice();
    if (price === this.#shownPrice) return;
    this.#shownPrice = price;
    this.#page.post({ type: 'price', price });
  }

  #describePrice(): string {
    const { gateway, models } = this.#services.connection.state;
    const { count } = this.session;
    const { route, model, body } = this.session.createProposal();
    return gateway && model !== ''
      ? describePrice({ gateway, route, model, request: body, count }, models)
      : '';
  }

  #createState(): GenerateState {
    this.#shownPrice = this.#describePrice();
    return {
      target: this.#createTarget(),
      form: this.#createForm(),
      pictures: this.#createPictures(),
      problems: [],
      price: this.#shownPrice,
      tiles: this.#createTiles(),
      submissionToken: this.session.submissionToken,
    };
  }

  #createTarget(): GenerateTarget {
    const { label, shortLabel, frames } = videoRoute(this.session.route);
    const { state } = this.#services.connection;
    const { model, unlisted } = this.session;
    const notice = createConnectionNotice(state);
    return {
      gateway: state.gateway?.name,
      model,
      ...(model === undefined && state.phase === 'loading' && { isLoading: true }),
      route: label,
      routeShort: shortLabel,
      frames,
      ...(notice && { notice }),
      ...(unlisted !== undefined && {
        warning: createUnlistedModelNotice(state.gateway?.name ?? '', [unlisted]),
      }),
    };
  }

  #createForm(): GenerateForm {
    const { route, count, remark } = this.session;
    return {
      fields: listMainFields(route),
      rest: buildRestSchema(route),
      values: this.session.values,
      defaults: videoRoute(route).defaults,
      exclusions: videoRoute(route).exclusions,
      count,
      ...(remark !== undefined && { remark }),
    };
  }

  #createPictures(): GenerateState['pictures'] {
    return Object.fromEntries(
      Object.entries(this.session.frames).map(([frame, { mimeType, data }]) => [frame, { mimeType, data }]),
    );
  }

  #showProblems(): void {
    const { problems } = this.session.createProposal();
    this.#page.post({ type: 'problems', problems: problems.filter(({ isMissing }) => !isMissing) });
  }

  #formatRequest(): string {
    return formatReadableJson(this.session.createProposal().body);
  }

  #createTiles(): readonly TaskTile[] {
    const { tasks, media } = this.#services;
    return listNewest(tasks).map((task) =>
      createTile(task, {
        isInFlight: tasks.isInFlight(task),
        progress: tasks.findProgress(task),
        media: (result) => media.find(result, this.panel.webview),
        received: () => undefined,
      }),
    );
  }

  #showTilesSoon(): void {
    this.#page.postSoon('tiles', () => ({ type: 'tiles', tiles: this.#createTiles() }));
  }
}

/** Describes the panel of the Generate page. There is at most one. */
export function describeGeneratePanel(
  context: vscode.ExtensionContext,
  services: GenerateServices,
): PanelKind<GeneratePanel, object> {
  const { connection, modelChoices, log } = services;
  const memory = new FormMemory(context.globalState, modelChoices);
  const pictures = vscode.Uri.joinPath(context.globalStorageUri, 'formPictures').fsPath;
  const draft = new FormDraft(context.workspaceState, pictures, log);
  return {
    title: () => vscode.l10n.t('Generate'),
    reuse: ([open]) => open,
    readId: () => onlyPage,
    create: (frame) => new GeneratePanel(frame, new GenerateSession(connection, memory, draft), services),
    restore: async () => ({}),
  };
}

function listNewest(tasks: TaskService) {
  return tasks.all.slice(0, maxTiles);
}
