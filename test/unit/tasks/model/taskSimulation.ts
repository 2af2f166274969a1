import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { StorageError } from '../../../../src/storage/database.ts';
import { searchTask } from '../../../../src/tasks/polling/searchTask.ts';
import type { Task } from '../../../../src/tasks/record/task.ts';
import { type SubmitOutcome, submitTask } from '../../../../src/tasks/submitTask.ts';
import { TestClock } from '../../../support/testClock.ts';
import { createDraft, gateway } from '../../../support/testWindow.ts';
import { findServedTask, ModelGateway } from './modelGateway.ts';
import { type CreatePlan, ModelWindow } from './modelWindow.ts';

const maxWindows = 3;
const stepMs = 20_000;
const maxSteps = 45;
/** The most requests for one task without faults: polls until the time limit, or searches and later polls. */
const maxRequests = 20;

/** Simulates the user, the machine and the gateway, with some windows. */
export class TaskSimulation {
  readonly #file: string;
  readonly clock = new TestClock();
  readonly server = new ModelGateway(this.clock);
  readonly disk = { full: false };
  readonly #windows: ModelWindow[] = [];
  readonly #keys: string[] = [];
  /** The ids that were reported as stored. */
  readonly #storedIds = new Set<string>();
  readonly #underWay = new Map<Promise<void>, ModelWindow>();
  readonly #problems: unknown[] = [];
  #opened = 0;
  #randomState = 1;

  /** @param template an empty ledger, closed */
  constructor(file: string, template: string) {
    this.#file = file;
    copyFileSync(template, file);
    this.openWindow();
  }

  get #livingWindows(): readonly ModelWindow[] {
    return this.#windows.filter(({ alive }) => alive);
  }

  /** Returns one of the living windows; opens one if there is none. */
  window(which: number): ModelWindow {
    if (this.#livingWindows.length === 0) this.openWindow();
    return this.#livingWindows[which % this.#livingWindows.length] as ModelWindow;
  }

  key(which: number): string | undefined {
    return this.#keys[which % Math.max(this.#keys.length, 1)];
  }

  openWindow(): void {
    if (this.#livingWindows.length >= maxWindows) return;
    this.#opened += 1;
    const window = new ModelWindow({
      file: this.#file,
      name: `window-${this.#opened}`,
      clock: this.clock,
      server: this.server,
      disk: this.disk,
      random: () => this.#random(),
    });
    this.#windows.push(window);
    window.watcher.start();
  }

  /** The user creates and confirms a task, in one window, or in two windows at the same time. */
  createTask(which: number, model: number, sending: CreatePlan, twice: boolean): void {
    const key = `key-${this.#keys.length + 1}`;
    this.#keys.push(key);
    const facts = { model: `video-${model}`, prompt: `a lake ${model}` };
    const request = { model: facts.model, input: facts.prompt, background: true };
    for (const window of this.#oneOrTwo(which, twice)) {
      const task = this.#try(
        () => window.ledger.create(createDraft(key, { ...facts, request })) ?? window.ledger.get(key),
      );
      if (task) this.#send(window, task, sending);
    }
  }

  /** The user confirms a task that was not sent, in one window, or in two windows at the same time. */
  sendIntent(which: number, key: string, sending: CreatePlan, twice: boolean): void {
    const seen = this.#oneOrTwo(which, twice).map((window) => ({
      window,
      task: this.#try(() => window.ledger.get(key)),
    }));
    for (const { window, task } of seen) if (task?.status === 'intent') this.#send(window, task, sending);
  }

  runAction(
    which: number,
    key: string,
    action: 'resume' | 'stop' | 'discard' | 'cancel' | 'look' | 'find',
  ): void {
    const window = this.window(which);
    const task = this.#try(() => window.ledger.get(key));
    if (!task) return;
    switch (action) {
      case 'resume':
        this.#try(() => window.ledger.setWatching(key, 'on'));
        return;
      case 'stop':
        this.#try(() => window.ledger.setWatching(key, 'stopped'));
        return;
      case 'discard':
        this.#try(() => window.ledger.discard(key));
        return;
      case 'cancel':
        if (task.taskId !== undefined) this.server.cancel(task.taskId);
        return;
      case 'look':
        window.watcher.pollNow(key).catch(() => {});
        return;
      case 'find':
        if (task.status === 'unknown') this.#track(window, this.#find(window, task));
    }
  }

  /** The user closes a window. */
  async closeWindow(window: ModelWindow): Promise<void> {
    await window.close();
    window.kill();
  }

  replaceCredential(): void {
    for (const { watcher } of this.#livingWindows) watcher.resumeGateway(gateway);
  }

  /** All tasks at the gateway end. */
  endTasks(): void {
    for (const id of this.server.tasks.keys()) this.server.cancel(id);
  }

  /** Closes the resources that dead windows left open. */
  forgetDeadWindows(): void {
    for (const window of this.#windows) if (!window.alive) window.die();
  }

  /**
   * Stops all faults, and checks that all work ends within a bounded number of steps and requests.
   *
   * @param idleMs how long the windows are idle afterwards
   */
  async runToEnd(idleMs: number): Promise<void> {
    this.#stopFaults();
    const requestsBefore = this.server.requests;
    await this.#waitForEnd();
    this.#checkRequests(requestsBefore, this.#keys.length);
    this.checkTasks();

    const idleBefore = this.server.requests;
    const lost = this.window(0)
      .ledger.list()
      .filter(({ status }) => status === 'unknown').length;
    await this.clock.advance(idleMs);
    // A late search may have found a task.
    await this.#waitForEnd();
    this.#checkRequests(idleBefore, lost);
    this.checkTasks();
    this.#checkTimers();
  }

  checkTasks(): void {
    assert.deepEqual(this.#problems, []);
    for (const [key, bills] of this.server.bills) assert.ok(bills <= 1, `${key} was billed ${bills} times`);
    const { ledger } = this.window(0);
    const ids = new Set([...this.#storedIds, ...this.#livingWindows.flatMap((window) => window.ids)]);
    for (const id of ids) assert.ok(ledger.find(gateway, id), `the id ${id} is lost`);
    for (const { lateIds } of this.#windows)
      assert.deepEqual(lateIds, [], 'ids that were not stored immediately');
    for (const task of ledger.list()) this.#checkTask(task);
  }

  /** The disk works, no window is frozen or dies, and the gateway replies. */
  #stopFaults(): void {
    this.disk.full = false;
    this.server.health = 'well';
    this.window(0);
    for (const window of this.#livingWindows) {
      window.dieAfter(Number.POSITIVE_INFINITY);
      window.clock.thaw();
      window.watcher.onEvent((event) => event.type === 'storage-failed' && this.#problems.push(event.error));
    }
  }

  async #waitForEnd(): Promise<void> {
    for (let steps = 0; steps < maxSteps && !this.#isQuiet; steps += 1) {
      await this.clock.advance(stepMs);
      // The user enters a new credential only if a window asks for it.
      if (this.#livingWindows.some(({ isPaused }) => isPaused)) this.replaceCredential();
    }
    assert.ok(this.#isQuiet, `does not end: ${JSON.stringify(this.window(0).ledger.listUnfinished())}`);
  }

  #checkRequests(before: number, tasks: number): void {
    const requests = this.server.requests - before;
    assert.ok(requests <= maxRequests * tasks, `${requests} requests for ${tasks} tasks`);
  }

  /** The only timers are those of the heartbeats and of replies that are on their way. */
  #checkTimers(): void {
    const living = this.#livingWindows;
    const awaited = living.reduce((sum, window) => sum + window.awaited, 0);
    assert.equal(this.clock.timers, living.length + awaited, 'timers');
    assert.equal(living.filter(({ isLeader }) => isLeader).length, 1, 'leading windows');
  }

  async close(): Promise<void> {
    this.forgetDeadWindows();
    for (const window of this.#livingWindows) await window.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#file + suffix, { force: true });
  }

  #checkTask(task: Task): void {
    const { key, status, taskId = '', watching } = task;
    const taskText = JSON.stringify(task);
    assert.ok(status !== 'submitting', `is still being submitted: ${taskText}`);
    assert.ok(status !== 'running' || watching !== 'on', `is still watched: ${taskText}`);
    if (status === 'unknown')
      assert.ok(task.requestId && task.submittedAt, `has no request id or time: ${taskText}`);
    if (status === 'refused')
      assert.equal(findServedTask(this.server, key), undefined, `refused, but created: ${taskText}`);
    if (status === 'intent')
      assert.equal(this.server.bills.get(key), undefined, `not sent, but created: ${taskText}`);
    if (taskId !== '') {
      assert.equal(this.server.tasks.get(taskId)?.key, key, `has the id of another task: ${taskText}`);
    }
    const word = this.server.getRawStatus(taskId);
    if (status === 'completed') {
      assert.equal(word, 'completed', taskText);
      assert.equal(task.results.length, 1, `no result: ${taskText}`);
    }
    if (status === 'failed') assert.ok(word === 'failed' || word === 'cancelled', `${word}: ${taskText}`);
    if (status === 'missing') assert.ok(word === undefined || word === 'not_found', `${word}: ${taskText}`);
  }

  /** Whether a living window sends or searches for a task, or has not stored the outcome. */
  get #isSending(): boolean {
    return [...this.#underWay.values()].some(({ alive }) => alive);
  }

  get #isQuiet(): boolean {
    if (this.#isSending) return false;
    const unfinished = this.window(0).ledger.listUnfinished();
    return !unfinished.some(
      ({ status, watching }) => status === 'submitting' || (status === 'running' && watching === 'on'),
    );
  }

  #oneOrTwo(which: number, twice: boolean): readonly ModelWindow[] {
    const first = this.window(which);
    return twice ? [first, this.window(which + 1)] : [first];
  }

  #send(window: ModelWindow, task: Task, sending: CreatePlan): void {
    const request = { model: task.model, input: task.prompt, background: true };
    const { ledger, clock } = window;
    const sent = submitTask(task, request, { ledger, client: window.createSubmitClient(sending), clock });
    this.#track(
      window,
      sent.then((outcome) => this.#storeOutcome(window, outcome)),
    );
  }

  async #storeOutcome(window: ModelWindow, outcome: SubmitOutcome): Promise<void> {
    if (outcome.kind !== 'accepted') return;
    if ((await (outcome.savedLater ?? window.alive)) === true) this.#storedIds.add(outcome.taskId);
  }

  /** The user searches for a lost task, and recognises it among the candidates. */
  async #find({ ledger, reader: client }: ModelWindow, task: Task): Promise<void> {
    const { candidates } = await searchTask(task, { ledger, client });
    const right = candidates.find(({ id }) => this.server.tasks.get(id)?.key === task.key);
    if (right) ledger.accept(task.key, right.id);
  }

  #track(window: ModelWindow, work: Promise<void>): void {
    const tracked = work
      .catch((error) => {
        const expected = error instanceof StorageError || error?.name === 'GatewayError';
        if (!expected) this.#problems.push(error);
      })
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.set(tracked, window);
  }

  /** Runs an action. A user sees errors such as a full disk or a dead window. */
  #try<Result>(action: () => Result): Result | undefined {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return undefined;
    }
  }

  /** Returns the same numbers in the same order in every run. */
  #random(): number {
    this.#randomState = (this.#randomState * 48_271) % 2_147_483_647;
    return this.#randomState / 2_147_483_647;
  }
}
