import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { GatewayClient, TaskRoute } from '../../client/gatewayClient.ts';
import type { Ledger } from '../../tasks/ledger.ts';
import type { SubmitOutcome } from '../../tasks/submit.ts';
import { groupOf, type Task, type TaskDraft } from '../../tasks/task.ts';
import type { WatchEvent } from '../../tasks/watchEvent.ts';
import { GatewayError } from '../../wire/failure.ts';
import { asGatewayError, type Connection } from '../connection.ts';
import type { Credentials } from '../credentials.ts';
import type { LocalGateway } from '../localGateway.ts';
import type { Log } from '../log.ts';
import { demoProfile, type Profile, type Profiles } from '../profiles.ts';
import { readResultsFolder } from '../settings.ts';
import type { TaskDesk } from './taskDesk.ts';

/** What is to be made: one request, by the user's own click. */
export interface Order {
  readonly profile: Profile;
  readonly route: TaskRoute;
  readonly model: string;
  readonly prompt: string;
  /** The body as it will be sent. */
  readonly request: object;
}

/** The profile whose gateway refused the credential. */
export interface Pause {
  readonly profile: string;
  readonly error: GatewayError;
}

/** Another window's work shows within this time. */
const lookAroundMs = 1000;
const resultsCheckMs = 15_000;

/**
 * The user's tasks: what is known of them lies in the ledger, which is opened when it is first needed, or at
 * the start when there is one.
 */
export class Tasks {
  readonly #context: vscode.ExtensionContext;
  readonly #connection: Connection;
  readonly #profiles: Profiles;
  readonly #localGateway: LocalGateway;
  readonly #log: Log;
  readonly #onDidChange = new vscode.EventEmitter<string | undefined>();
  readonly #onDidPause = new vscode.EventEmitter<Pause>();
  readonly #clients = new Map<string, Promise<GatewayClient>>();
  readonly #closing = new AbortController();
  readonly #subscriptions: vscode.Disposable[];
  #opening: Promise<TaskDesk> | undefined;
  #desk: TaskDesk | undefined;

  /** Fires with the key of a task that changed, or with nothing when any may have. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires when a gateway refused the credential, and nothing there is watched until there is another. */
  readonly onDidPause = this.#onDidPause.event;

  constructor(
    context: vscode.ExtensionContext,
    connection: Connection,
    profiles: Profiles,
    credentials: Credentials,
    localGateway: LocalGateway,
    log: Log,
  ) {
    this.#context = context;
    this.#connection = connection;
    this.#profiles = profiles;
    this.#localGateway = localGateway;
    this.#log = log;
    this.#subscriptions = [
      profiles.onDidChange(() => this.#startOver()),
      credentials.onDidChange(() => this.#startOver()),
      localGateway.onDidStop(() => this.#forgetClient(demoGateway)),
    ];
  }

  /** The open ledger and those who work with it; undefined until it was opened. */
  get desk(): TaskDesk | undefined {
    return this.#desk;
  }

  /** All tasks, newest first; none before the ledger is open. */
  get all(): readonly Task[] {
    return this.#desk?.ledger.list() ?? [];
  }

  /** How many tasks are being made or watched. */
  get running(): number {
    const unfinished = this.#desk?.ledger.unfinished() ?? [];
    return unfinished.filter((task) => groupOf(task, this.isInFlight(task)) === 'running').length;
  }

  /** Opens the ledger. Rejects with a StorageError, or plainly, when tasks cannot be kept here. */
  open(): Promise<TaskDesk> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Goes on with what was left unfinished. Reads and sends nothing when no task was ever made. */
  async resume(): Promise<void> {
    const there = await stat(this.#file.fsPath).catch(() => undefined);
    if (there) await this.open();
  }

  /** Whether some window is sending the request of this task right now. */
  isInFlight({ key, stage }: Task): boolean {
    if (this.#desk === undefined || (stage !== 'intent' && stage !== 'submitting')) return false;
    const owner = this.#desk.ledger.owner(key);
    return owner !== undefined && this.#desk.windows.isAlive(owner);
  }

  /** How long tasks like this one usually run, by the user's own earlier ones; only asked of running ones. */
  typicalRunMs({ stage, model }: Task): number | undefined {
    return stage === 'running' && model !== undefined ? this.#desk?.ledger.typicalRunMs(model) : undefined;
  }

  /**
   * Makes something, `count` times. Each task is kept before its request leaves. The same ticket makes
   * nothing a second time.
   */
  async make(order: Order, ticket: string, count: number): Promise<readonly Task[]> {
    const { ledger } = await this.open().catch(refused);
    const { profile, ...rest } = order;
    const names = { gateway: gatewayOf(profile), profile: profile.name };
    const drafts = Array.from({ length: count }, (_, index) => ({
      ...rest,
      ...names,
      key: `${ticket}-${index + 1}`,
    }));
    const tasks = intendAll(ledger, drafts);
    for (const { key } of tasks) void this.send(key);
    return tasks;
  }

  /** Sends the request of a task that was kept and never sent. Never throws: the ledger tells how it went. */
  async send(key: string): Promise<void> {
    const desk = await this.open();
    const task = desk.ledger.get(key);
    const request = desk.ledger.history(key)?.request;
    if (!task || !request) return;
    try {
      const outcome = await desk.send(task, request, this.#closing.signal);
      this.#log.info('task', `${task.model ?? ''}: ${outcome.kind}`);
      if ('unwritten' in outcome && outcome.unwritten) this.#tellUnwritten(outcome);
      await this.fetchResults(key);
    } catch (error) {
      this.#log.error('task', String(error));
      void vscode.window.showErrorMessage(
        vscode.l10n.t('Nothing was sent, because it could not be written down first. {0}', String(error)),
      );
    }
  }

  /** The client of the gateway a task lives at, whatever the window is connected to now. */
  reach(gateway: string, profileName: string): Promise<GatewayClient> {
    const known = this.#clients.get(gateway);
    if (known) return known;
    const client = this.#openClient(gateway, profileName);
    this.#clients.set(gateway, client);
    client.catch(() => this.#clients.delete(gateway));
    return client;
  }

  /** Fetches what a task made and is not saved yet; another window's downloads are left to it. */
  async fetchResults(key: string, signal?: AbortSignal): Promise<void> {
    const signals = [this.#closing.signal, ...(signal ? [signal] : [])];
    await this.#desk?.results.fetchAll(key, AbortSignal.any(signals));
  }

  /** Where the files of results go. */
  get resultsFolder(): vscode.Uri {
    const chosen = readResultsFolder();
    return chosen === undefined
      ? vscode.Uri.joinPath(this.#context.globalStorageUri, 'results')
      : vscode.Uri.file(chosen);
  }

  async dispose(): Promise<void> {
    this.#closing.abort();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
    this.#onDidPause.dispose();
    const desk = this.#desk;
    this.#desk = undefined;
    await desk?.close();
    for (const client of this.#clients.values()) client.then((open) => open.close()).catch(() => {});
  }

  get #file(): vscode.Uri {
    return vscode.Uri.joinPath(this.#context.globalStorageUri, 'tasks.sqlite');
  }

  async #open(): Promise<TaskDesk> {
    await vscode.workspace.fs.createDirectory(this.#context.globalStorageUri);
    const { openTaskDesk } = await import('./taskDesk.ts');
    const desk = openTaskDesk({
      file: this.#file.fsPath,
      resultsFolder: () => this.resultsFolder.fsPath,
      reach: (gateway, profile) => this.reach(gateway, profile),
      onEvent: (event) => this.#hear(event),
      locate: (task, address) => this.#locate(task, address),
      onProgress: ({ key }) => this.#changed(key),
    });
    this.#desk = desk;
    this.#subscriptions.push(new vscode.Disposable(desk.ledger.onDidChange((key) => this.#changed(key))));
    this.#every(lookAroundMs, () => {
      if (desk.ledger.changed()) this.#changed(undefined);
    });
    if (desk.readOnly) this.#tellReadOnly(desk.readOnly);
    else this.#goOn(desk);
    if (desk.setAside !== undefined) void this.#tellSetAside(desk.setAside);
    this.#changed(undefined);
    return desk;
  }
  /** Takes up the work on what is unfinished. */
  #goOn({ watcher, results }: TaskDesk): void {
    watcher.start();
    this.#fetchResults();
    this.#every(resultsCheckMs, () => this.#fetchResults());
    results.sweep().catch((error) => this.#log.warn('task', String(error)));
  }

  #tellReadOnly(why: 'newer' | 'unwritable'): void {
    const text =
      why === 'newer'
        ? vscode.l10n.t(
            'The file of tasks was written by a newer version of Model Gateway. Tasks are shown, but none is made or watched; update the extension.',
          )
        : vscode.l10n.t(
            'The file of tasks cannot be written. Tasks are shown, but none is made or watched; check the permissions of {0}.',
            this.#file.fsPath,
          );
    void vscode.window.showWarningMessage(text);
  }

  /** What the watcher tells beside what it writes down. */
  #hear(event: WatchEvent): void {
    switch (event.type) {
      case 'paused':
        this.#log.warn('task', `${event.gateway}: ${event.error.message}`);
        this.#onDidPause.fire({ profile: this.#profileNameOf(event.gateway), error: event.error });
        return;
      case 'ended':
      case 'found':
        this.#fetchResults();
        return;
      case 'woke':
        for (const gateway of this.#clients.keys()) this.#forgetClient(gateway);
        return;
      case 'storage-failed':
        this.#log.error('task', String(event.error));
        void vscode.window.showErrorMessage(
          vscode.l10n.t(
            'What became of a task could not be written down, and is tried again. {0}',
            String(event.error),
          ),
        );
        return;
      case 'held-off':
        this.#log.warn('task', `${event.gateway} is asked again at ${new Date(event.until).toISOString()}`);
    }
  }

  #changed(key: string | undefined): void {
    if (!this.#closing.signal.aborted) this.#onDidChange.fire(key);
  }

  /** Any window may fetch: the ledger lets one of them have each result. */
  #fetchResults(): void {
    const desk = this.#desk;
    if (!desk) return;
    for (const { key, results } of desk.ledger.unfinished()) {
      for (const { index, state } of results) {
        if (state === 'waiting' || state === 'fetching')
          void desk.results.fetch(key, index, this.#closing.signal);
      }
    }
  }

  #every(ms: number, act: () => void): void {
    const timer = setInterval(() => {
      try {
        act();
      } catch (error) {
        this.#log.warn('task', String(error));
      }
    }, ms);
    this.#subscriptions.push(new vscode.Disposable(() => clearInterval(timer)));
  }

  #openClient(gateway: string, profileName: string): Promise<GatewayClient> {
    const profile = this.#profileOf(gateway, profileName);
    if (profile === undefined) return Promise.reject(noProfile(gateway));
    return this.#connection.open(profile).catch((error) => {
      throw asGatewayError(error, profile);
    });
  }

  async #locate({ gateway }: Task, address: string): Promise<string> {
    if (gateway !== demoGateway || !address.startsWith('http://127.0.0.1:')) return address;
    const { pathname, search } = new URL(address);
    const { baseUrl } = await this.#localGateway.start();
    return new URL(pathname + search, baseUrl).href;
  }

  #profileOf(gateway: string, name: string): Profile | undefined {
    if (gateway === demoGateway) return demoProfile;
    const there = this.#profiles.all
      .map((profile) => ({ kind: 'gateway', ...profile }) as const)
      .filter((profile) => gatewayOf(profile) === gateway);
    return there.find((profile) => profile.name === name) ?? there[0];
  }

  #profileNameOf(gateway: string): string {
    const task = this.#desk?.ledger.unfinished().find((each) => each.gateway === gateway);
    return this.#profileOf(gateway, task?.profile ?? '')?.name ?? gateway;
  }

  /** Addresses or credentials changed: what waited for that goes on. */
  #startOver(): void {
    for (const gateway of this.#clients.keys()) this.#forgetClient(gateway);
    const gateways = new Set(this.#desk?.ledger.unfinished().map(({ gateway }) => gateway));
    for (const gateway of gateways) this.#desk?.watcher.gatewayChanged(gateway);
  }

  #forgetClient(gateway: string): void {
    this.#clients
      .get(gateway)
      ?.then((client) => client.close())
      .catch(() => {});
    this.#clients.delete(gateway);
  }

  /** The id is the one thing that must not be lost, so it is shown while it is only in memory. */
  #tellUnwritten(outcome: SubmitOutcome): void {
    if (outcome.kind !== 'accepted') return;
    const copy = vscode.l10n.t('Copy task id');
    const text = vscode.l10n.t(
      'The task {0} was made, but could not be written down yet; that is tried again. Note the id.',
      outcome.taskId,
    );
    void vscode.window.showErrorMessage(text, copy).then((chosen) => {
      if (chosen === copy) return vscode.env.clipboard.writeText(outcome.taskId);
      return undefined;
    });
  }

  async #tellSetAside(file: string): Promise<void> {
    this.#log.warn('task', `the file of tasks was damaged and set aside: ${file}`);
    const reveal = vscode.l10n.t('Reveal file');
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t(
        'The file in which tasks are kept was damaged. It was set aside, and a new one was begun with what could be saved.',
      ),
      reveal,
    );
    if (chosen === reveal) await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(file));
  }
}

const demoGateway = 'demo';

/** What cannot be written down is not sent: the user would pay for what nobody remembers. */
function refused(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new Error(vscode.l10n.t('Nothing was sent: it cannot be written down first. {0}', why), {
    cause: error,
  });
}

/** Keeps all of them, or none. */
function intendAll(ledger: Ledger, drafts: readonly TaskDraft[]): readonly Task[] {
  const tasks: Task[] = [];
  try {
    for (const draft of drafts) tasks.push(...[ledger.intend(draft)].filter((task) => task !== undefined));
    return tasks;
  } catch (error) {
    for (const { key } of tasks) ledger.discard(key);
    return refused(error);
  }
}

/** The name under which the ledger knows a profile's gateway: the origin, since names and paths may change. */
export function gatewayOf(profile: Profile): string {
  return profile.kind === 'demo' ? demoGateway : new URL(profile.baseUrl).origin;
}

function noProfile(gateway: string): GatewayError {
  return new GatewayError({
    kind: 'authentication',
    message: vscode.l10n.t('No profile leads to {0} any more. Connect to it again.', gateway),
    requestedAt: new Date(),
    requestId: '',
    sent: false,
  });
}
