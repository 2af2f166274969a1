import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { TaskRoute } from '../../client/gatewayClient.ts';
import type { Ledger } from '../../tasks/ledger.ts';
import type { WatchEvent } from '../../tasks/polling/watchEvent.ts';
import { groupOf, type Task, type TaskDraft } from '../../tasks/task.ts';
import type { GatewayError } from '../../wire/failure.ts';
import type { Credentials } from '../connection/credentials.ts';
import type { Gateway, Gateways } from '../connection/gateways.ts';
import { notify } from '../display/notify.ts';
import type { Log } from '../log.ts';
import { readResultsFolder } from '../settings.ts';
import { nothingSent, tellNotWritten, tellUnwritten } from './ledgerMessages.ts';
import { followStanding } from './ledgerStanding.ts';
import { gatewayOf, type TaskGateways } from './taskGateways.ts';
import type { TaskRuntime } from './taskRuntime.ts';

/** What is to be made: one request, by the user's own click. */
export interface GenerationRequest {
  readonly gateway: Gateway;
  readonly route: TaskRoute;
  readonly model: string;
  readonly prompt: string;
  /** The body as it will be sent. */
  readonly request: object;
}

/** The gateway that refused the credential. */
export interface Pause {
  readonly gatewayName: string;
  readonly error: GatewayError;
}

/** Another window's first task is noticed within this time. */
const lookForFileMs = 5000;

/** Another window's work shows within this time. */
const lookAroundMs = 1000;
const resultsCheckMs = 15_000;
const changeDelayMs = 100;
/** An estimate may be as old as this. */
const typicalRunLivesMs = 10_000;

/**
 * The user's tasks: what is known of them lies in the ledger, which is opened when it is first needed, or at
 * the start when there is one.
 */
export class Tasks {
  readonly #context: vscode.ExtensionContext;
  readonly #gateways: TaskGateways;
  readonly #log: Log;
  readonly #onDidChange = new vscode.EventEmitter<string | undefined>();
  readonly #onDidPause = new vscode.EventEmitter<Pause>();
  readonly #closing = new AbortController();
  readonly #subscriptions: vscode.Disposable[];
  readonly #typicalRuns = new Map<string, { readonly ms: number | undefined; readonly readAt: number }>();
  readonly #changedKeys = new Set<string | undefined>();
  #pendingChange: NodeJS.Timeout | undefined;
  #opening: Promise<TaskRuntime> | undefined;
  #desk: TaskRuntime | undefined;

  /** Fires with the key of a task that changed, or with nothing when any may have. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires when a gateway refused the credential, and nothing there is watched until there is another. */
  readonly onDidPause = this.#onDidPause.event;

  constructor(
    context: vscode.ExtensionContext,
    gateways: TaskGateways,
    configured: Gateways,
    credentials: Credentials,
    log: Log,
  ) {
    this.#context = context;
    this.#gateways = gateways;
    this.#log = log;
    this.#subscriptions = [
      configured.onDidChange(() => this.#startOver()),
      credentials.onDidChange(() => this.#startOver()),
      gateways.onDidAnswer((gateway) => this.#desk?.watcher.gatewayAnswered(gateway)),
    ];
  }

  /** The open ledger and those who work with it; undefined until it was opened. */
  get desk(): TaskRuntime | undefined {
    return this.#desk;
  }

  /** All tasks, newest first; none before the ledger is open. */
  get all(): readonly Task[] {
    return this.#desk?.ledger.list() ?? [];
  }

  /** How many tasks are being made or watched. */
  get running(): number {
    return this.all.filter((task) => groupOf(task, this.isInFlight(task)) === 'running').length;
  }

  /** Opens the ledger. Rejects with a StorageError, or plainly, when tasks cannot be kept here. */
  open(): Promise<TaskRuntime> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /**
   * Goes on with what was left unfinished. Where no task was ever made it sends nothing and makes no file; it only
   * looks whether another window has made one meanwhile.
   */
  async resume(): Promise<void> {
    await this.#openIfThere();
    const look = setInterval(() => {
      if (this.#opening) clearInterval(look);
      else void this.#openIfThere().catch((error) => this.#log.error('task', String(error)));
    }, lookForFileMs);
    this.#subscriptions.push(new vscode.Disposable(() => clearInterval(look)));
  }

  /** Whether some window is sending the request of this task right now. */
  isInFlight({ key, stage }: Task): boolean {
    if (this.#desk === undefined || (stage !== 'intent' && stage !== 'submitting')) return false;
    const owner = this.#desk.ledger.owner(key);
    return owner !== undefined && this.#desk.windows.isAlive(owner);
  }

  /** How long tasks like this one usually run, by the user's own earlier ones; only asked of running ones. */
  typicalRunMs({ stage, model }: Task): number | undefined {
    if (stage !== 'running' || model === undefined) return undefined;
    const known = this.#typicalRuns.get(model);
    if (known && Date.now() - known.readAt < typicalRunLivesMs) return known.ms;
    const ms = this.#desk?.ledger.typicalRunMs(model);
    this.#typicalRuns.set(model, { ms, readAt: Date.now() });
    return ms;
  }

  /**
   * Makes something, `count` times. Each task is kept before its request leaves. The same submission token makes
   * nothing a second time.
   */
  async make(order: GenerationRequest, submissionToken: string, count: number): Promise<readonly Task[]> {
    const { ledger } = await this.open().catch((error) => {
      throw nothingSent(error);
    });
    const { gateway, ...rest } = order;
    const names = { gateway: gatewayOf(gateway), gatewayName: gateway.name };
    const drafts = Array.from({ length: count }, (_, index) => ({
      ...rest,
      ...names,
      key: `${submissionToken}-${index + 1}`,
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
      if (outcome.kind === 'accepted' && outcome.unwritten) void tellUnwritten(outcome.taskId);
      await this.fetchResults(key);
    } catch (error) {
      this.#log.error('task', String(error));
      void notify('error', nothingSent(error).message);
    }
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
    clearTimeout(this.#pendingChange);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
    this.#onDidPause.dispose();
    const desk = this.#desk;
    this.#desk = undefined;
    await desk?.close();
  }

  get #file(): vscode.Uri {
    return vscode.Uri.joinPath(this.#context.globalStorageUri, 'tasks.sqlite');
  }

  async #open(): Promise<TaskRuntime> {
    await vscode.workspace.fs.createDirectory(this.#context.globalStorageUri);
    const { openTaskRuntime: openTaskDesk } = await import('./taskRuntime.ts');
    const desk = openTaskDesk({
      file: this.#file.fsPath,
      resultsFolder: () => this.resultsFolder.fsPath,
      gateways: this.#gateways,
      onEvent: (event) => this.#hear(event),
      onProgress: ({ key }) => this.#changed(key),
    });
    this.#desk = desk;
    this.#subscriptions.push(new vscode.Disposable(desk.ledger.onDidChange((key) => this.#changed(key))));
    this.#every(lookAroundMs, () => {
      if (desk.ledger.changed()) this.#changed(undefined);
    });
    const onWritable = () => {
      this.#goOn(desk);
      this.#changed(undefined);
    };
    this.#subscriptions.push(followStanding(desk, { file: this.#file.fsPath, log: this.#log, onWritable }));
    this.#changed(undefined);
    return desk;
  }

  async #openIfThere(): Promise<void> {
    const there = await stat(this.#file.fsPath).catch(() => undefined);
    if (there) await this.open();
  }

  /** Takes up the work on what is unfinished. */
  #goOn({ watcher, results }: TaskRuntime): void {
    this.#nameGateways();
    watcher.start();
    this.#fetchResults();
    this.#every(resultsCheckMs, () => this.#fetchResults());
    results.sweep().catch((error) => this.#log.warn('task', String(error)));
  }

  /** What the watcher tells beside what it writes down. */
  #hear(event: WatchEvent): void {
    switch (event.type) {
      case 'paused':
        this.#log.warn('task', `${event.gateway}: ${event.error.message}`);
        this.#onDidPause.fire({ gatewayName: this.#nameOf(event.gateway), error: event.error });
        return;
      case 'ended':
      case 'found':
        this.#fetchResults();
        return;
      case 'woke':
        this.#gateways.forgetAll();
        return;
      case 'storage-failed':
        this.#log.error('task', String(event.error));
        tellNotWritten(event.error);
        return;
      case 'held-off':
        this.#log.warn('task', `${event.gateway} is asked again at ${new Date(event.until).toISOString()}`);
    }
  }

  /** A burst of changes is told once: a thousand tasks change several times a second. */
  #changed(key: string | undefined): void {
    this.#changedKeys.add(key);
    this.#pendingChange ??= setTimeout(() => {
      const [first, ...others] = this.#changedKeys;
      this.#changedKeys.clear();
      this.#pendingChange = undefined;
      if (!this.#closing.signal.aborted) this.#onDidChange.fire(others.length === 0 ? first : undefined);
    }, changeDelayMs);
  }

  /** Any window may fetch: the ledger lets one of them have each result. */
  #fetchResults(): void {
    const desk = this.#desk;
    if (!desk) return;
    for (const { key, results } of desk.ledger.list()) {
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

  #nameGateways(): void {
    try {
      const { standing, ledger } = this.#desk ?? {};
      if (standing?.readOnly === undefined) {
        ledger?.nameGateways((gateway, gatewayName) => this.#gateways.nameOf(gateway, gatewayName));
      }
    } catch (error) {
      this.#log.warn('task', String(error));
    }
  }

  #nameOf(gateway: string): string {
    const task = this.#desk?.ledger.unfinished().find((each) => each.gateway === gateway);
    return this.#gateways.configured(gateway, task?.gatewayName ?? '')?.name ?? gateway;
  }

  /** Addresses or credentials changed: what waited for that goes on. */
  #startOver(): void {
    this.#gateways.forgetAll();
    this.#nameGateways();
    const gateways = new Set(this.#desk?.ledger.unfinished().map(({ gateway }) => gateway));
    for (const gateway of gateways) this.#desk?.watcher.gatewayChanged(gateway);
  }
}

/** Keeps all of them, or none. */
function intendAll(ledger: Ledger, drafts: readonly TaskDraft[]): readonly Task[] {
  const tasks: Task[] = [];
  try {
    for (const draft of drafts) tasks.push(...[ledger.create(draft)].filter((task) => task !== undefined));
    return tasks;
  } catch (error) {
    for (const { key } of tasks) ledger.discard(key);
    throw nothingSent(error);
  }
}
