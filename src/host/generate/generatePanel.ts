import * as vscode from 'vscode';
import type {
  FromGeneratePage,
  GenerateForm,
  GenerateState,
  GenerateTarget,
  ToGeneratePage,
} from '../../protocol/generatePage.ts';
import type { ReplyAction } from '../../protocol/pageMessage.ts';
import type { TaskTile } from '../../protocol/taskPage.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import { targetNotice, unlistedNotice } from '../chat/chatView.ts';
import type { Connection } from '../connection/connection.ts';
import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { runCommand } from '../contributions.ts';
import { actionCommand } from '../failureActions.ts';
import type { Log } from '../log.ts';
import { Page } from '../pages/page.ts';
import { nothingSent } from '../tasks/ledgerMessages.ts';
import { type MediaViews, mediaRoots } from '../tasks/mediaViews.ts';
import type { Purchase } from '../tasks/spendingConsent.ts';
import { originOf } from '../tasks/taskGateways.ts';
import { tileOf } from '../tasks/taskView.ts';
import { taskRouteName } from '../tasks/taskWords.ts';
import { ArrivingFrames, pickFrame } from './frames.ts';
import type { GenerateSession } from './generateSession.ts';

/** The newest tasks that are shown below the form. */
const mostTiles = 24;

export interface GenerateServices {
  readonly connection: Connection;
  readonly tasks: TaskService;
  readonly media: MediaViews;
  readonly log: Log;
}

/** The editor tab in which something is made: a form, and the newest tasks below it. */
export class GeneratePanel {
  readonly panel: vscode.WebviewPanel;
  readonly session: GenerateSession;
  readonly #services: GenerateServices;
  readonly #page: Page<FromGeneratePage, ToGeneratePage>;
  readonly #arriving = new ArrivingFrames();
  readonly #subscriptions: vscode.Disposable[];
  #pendingTiles: NodeJS.Timeout | undefined;
  #pageIsThere = false;
  #focusWanted = false;

  constructor(
    panel: vscode.WebviewPanel,
    session: GenerateSession,
    dist: vscode.Uri,
    services: GenerateServices,
  ) {
    this.panel = panel;
    this.session = session;
    this.#services = services;
    const { tasks, media, log } = services;
    panel.webview.options = {
      enableScripts: true,
      localResourceRoots: [
        dist,
        ...mediaRoots(
          tasks.resultsFolder,
          newest(tasks).flatMap((task) => task.results),
        ),
      ],
    };
    this.#subscriptions = [
      session,
      session.onDidChange((what) => this.#show(what)),
      tasks.onDidChange(() => this.#showTilesSoon()),
      media.onDidRead(() => this.#showTilesSoon()),
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.#pageIsThere = false;
      }),
    ];
    panel.onDidDispose(() => this.#dispose());
    this.#page = new Page({
      panel,
      dist,
      element: 'mg-generate',
      messages: async () => (await import('../../protocol/generatePage.ts')).fromGeneratePage,
      handle: (message) => this.#handle(message),
      log,
    });
  }

  /** Brings the page to the front, ready for a prompt. */
  focusPrompt(): void {
    this.panel.reveal();
    if (this.#pageIsThere) this.#page.post({ type: 'perform', action: 'focus-prompt' });
    else this.#focusWanted = true;
  }

  async #handle(message: FromGeneratePage): Promise<void> {
    const { session } = this;
    switch (message.type) {
      case 'ready':
        return this.#welcomePage();
      case 'choose-model':
        return void (await runCommand('generate.chooseModel'));
      case 'choose-route':
        return void (await runCommand('generate.chooseRoute'));
      case 'set-values':
        session.setValues(message.values);
        return this.#showProblems();
      case 'set-count':
        return session.setCount(message.count);
      case 'attach-file': {
        const image = await pickFrame();
        return image && session.setFrame(message.frame, image);
      }
      case 'attach-piece': {
        const image = this.#arriving.receive(message);
        return image && session.setFrame(message.frame, image);
      }
      case 'detach':
        return session.setFrame(message.frame, undefined);
      case 'preview-request':
        return this.#page.post({ type: 'request', json: await this.#requestJson() });
      case 'copy-request':
        return await vscode.env.clipboard.writeText(await this.#requestJson());
      case 'generate':
        return this.#generate(message.submissionToken);
      case 'open-task':
        return void (await runCommand('tasks.openPage', { kind: 'task', key: message.key }));
      case 'action':
        return this.#act(message.action);
    }
  }

  /** The user's own click: the only way anything is made. A submission token that was used makes nothing. */
  async #generate(submissionToken: string): Promise<void> {
    const { session } = this;
    const { current } = this.#services.connection;
    const { route, model, body, problems } = await session.proposal();
    this.#page.post({ type: 'problems', problems });
    let sent = false;
    try {
      if (problems.length > 0 || current === undefined || model === '') return;
      if (!session.consume(submissionToken) || (await session.mustTellUnlisted(current))) return;
      const { promptOf } = await import('./generateChecks.ts');
      const order = { gateway: current.gateway, route, model, prompt: promptOf(route, body), request: body };
      const { count } = session;
      const mayBuy = await this.#mayBuy({ ...order, count }, current);
      if (this.panel.active) this.panel.reveal();
      if (!mayBuy) return;
      const request = { ...order, ...originOf(current.gateway) };
      await this.#services.tasks.create(request, submissionToken, count).catch((error) => {
        throw nothingSent(error);
      });
      sent = true;
      await session.remember();
    } finally {
      this.#page.post({ type: 'submission-result', submissionToken: this.session.submissionToken, sent });
    }
  }

  async #mayBuy(purchase: Purchase, { state }: GatewayConnection): Promise<boolean> {
    const { tasks } = this.#services;
    await tasks.open().catch((error) => {
      throw nothingSent(error);
    });
    const { mayBuy } = await import('../tasks/spendingConsent.ts');
    return mayBuy(purchase, () => tasks.spending(), state.models);
  }

  async #act(action: ReplyAction): Promise<void> {
    if (action === 'connect') await runCommand('connect');
    else if (action === 'use-demo-gateway') await runCommand('useDemoGateway');
    else if (action === 'choose-model') await runCommand('generate.chooseModel');
    else if (action === 'choose-format') await runCommand('generate.chooseRoute');
    else if (action === 'new-chat') await runCommand('newChat');
    else if (action !== 'continue' && action !== 'move-chat') await runCommand(actionCommand(action));
  }

  async #show(what: 'form' | 'target' | 'pictures'): Promise<void> {
    if (what === 'pictures') {
      this.#page.post({ type: 'pictures', pictures: this.#pictures() });
      await this.#showProblems();
    } else if (what === 'target') this.#page.post({ type: 'target', target: await this.#target() });
    else this.#page.post({ type: 'form', target: await this.#target(), form: await this.#form() });
  }

  async #welcomePage(): Promise<void> {
    this.#pageIsThere = true;
    await this.#services.tasks.open().catch((error) => this.#services.log.warn('task', String(error)));
    this.#page.post({ type: 'state', state: await this.#state() });
    if (this.#focusWanted) this.#page.post({ type: 'perform', action: 'focus-prompt' });
    this.#focusWanted = false;
  }

  async #state(): Promise<GenerateState> {
    return {
      target: await this.#target(),
      form: await this.#form(),
      pictures: this.#pictures(),
      problems: [],
      tiles: this.#tiles(),
      submissionToken: this.session.submissionToken,
    };
  }

  async #target(): Promise<GenerateTarget> {
    const { framesOf } = await import('./generateRequest.ts');
    const { state } = this.#services.connection;
    const { unlisted } = this.session;
    const notice =
      unlisted === undefined ? targetNotice(state) : unlistedNotice(state.gateway?.name ?? '', unlisted);
    return {
      gateway: state.gateway?.name,
      model: this.session.model,
      route: taskRouteName(this.session.route),
      frames: framesOf(this.session.route),
      ...(notice && { notice }),
    };
  }

  async #form(): Promise<GenerateForm> {
    const { generateFields, restSchema } = await import('./generateForm.ts');
    const { route, count } = this.session;
    return {
      fields: generateFields(route),
      rest: restSchema(route),
      values: await this.session.values(),
      count,
    };
  }

  #pictures(): GenerateState['pictures'] {
    return Object.fromEntries(
      Object.entries(this.session.frames).map(([frame, { mimeType, data }]) => [frame, { mimeType, data }]),
    );
  }

  async #showProblems(): Promise<void> {
    const { problems } = await this.session.proposal();
    this.#page.post({ type: 'problems', problems: problems.filter(({ missing }) => !missing) });
  }

  async #requestJson(): Promise<string> {
    const { readableRequest } = await import('./generateRequest.ts');
    return readableRequest((await this.session.proposal()).body);
  }

  #tiles(): readonly TaskTile[] {
    const { tasks, media } = this.#services;
    return newest(tasks).map((task) =>
      tileOf(task, {
        inFlight: tasks.isInFlight(task),
        typicalRunMs: tasks.typicalRunMs(task),
        media: (result) => media.of(result, this.panel.webview),
        received: () => undefined,
      }),
    );
  }

  /** A burst of changes is shown once. */
  #showTilesSoon(): void {
    this.#pendingTiles ??= setTimeout(() => {
      this.#pendingTiles = undefined;
      this.#page.post({ type: 'tiles', tiles: this.#tiles() });
    }, 100);
  }

  #dispose(): void {
    clearTimeout(this.#pendingTiles);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

function newest(tasks: TaskService) {
  return tasks.all.slice(0, mostTiles);
}
