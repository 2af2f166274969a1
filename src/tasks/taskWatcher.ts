import type { Disposable } from '../base/emitter.ts';
import { type Clock, pause, systemClock } from '../base/node/clock.ts';
import { StorageError } from '../storage/database.ts';
import type { WindowRegistry } from '../storage/windowRegistry.ts';
import type { Ledger } from './ledger/ledger.ts';
import { type PollClient, Poller } from './polling/poller.ts';
import type { PollOptions } from './polling/pollPauses.ts';
import { PollReports } from './polling/pollReports.ts';
import { PollSchedule } from './polling/pollSchedule.ts';
import type { ClockReading } from './polling/pollState.ts';

interface WatcherOptions {
  readonly ledger: Ledger;
  readonly windows: WindowRegistry;
  /** Returns a client with the credential of the account that has this gateway and name. Called for each poll. */
  readonly getClient: (gateway: string, gatewayName: string) => Promise<PollClient>;
  /** Called on each use, because the settings may change. */
  readonly pollOptions: () => PollOptions;
  readonly clock?: Clock;
  /** Random numbers from 0 up to 1. */
  readonly random?: () => number;
}

const heartbeatMs = 4_000;
const heartbeatsPerRecovery = 3;
/** The period over which the first polls are spread. */
const soonMs = 5_000;
const maxStopMs = 1_000;

/**
 * Polls the tasks of all gateways, a few at a time. Only one window, the leader, polls. All windows write heartbeats,
 * and another window becomes the leader if the leader dies. Results are stored in the ledger before they are reported.
 */
export class TaskWatcher {
  readonly #options: WatcherOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #schedule: PollSchedule;
  readonly #poller: Poller;
  readonly #reports = new PollReports();
  readonly onEvent = this.#reports.onEvent;
  #sleepDetector: SleepDetector;
  #ledgerSubscription: Disposable | undefined;
  #cancelTimer: (() => void) | undefined;
  #isRunning = false;
  #isLeader = false;
  #heartbeats = 0;
  #heartbeatAt = 0;

  constructor(options: WatcherOptions) {
    const { ledger, getClient, pollOptions, clock = systemClock, random = Math.random } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#schedule = new PollSchedule(random, (gateway) =>
      this.#reports.report({ type: 'resumed', gateway }),
    );
    this.#sleepDetector = new SleepDetector(clock, heartbeatMs);
    this.#poller = new Poller({
      ledger,
      getClient,
      pollOptions,
      clock,
      random,
      schedule: this.#schedule,
      reports: this.#reports,
      readClocks: () => this.#readClocks(),
      onDone: () => this.#tick(),
    });
  }

  /** Starts the heartbeats, and polls unless another window leads. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#sleepDetector = new SleepDetector(this.#clock, heartbeatMs);
    this.#ledgerSubscription = this.#options.ledger.onDidChange((key) => this.#handleChange(key));
    this.#tick();
  }

  /** Aborts polls, so that another window can become the leader. Resolves within a second. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#cancelTimer?.();
    this.#ledgerSubscription?.dispose();
    this.#schedule.clear();
    const stopController = new AbortController();
    const leaving = this.#attempt(() => this.#options.windows.leave());
    const stopping = Promise.all([this.#poller.abortAll(), leaving]).finally(() => stopController.abort());
    await Promise.race([stopping, pause(this.#clock, maxStopMs, stopController.signal)]);
  }

  /**
   * Polls a task at once on the user's request, in any window, even if the task is not scheduled. Its schedule
   * does not change.
   *
   * @throws {GatewayError} if the poll failed
   */
  pollNow(key: string): Promise<void> {
    const poll = this.#poller.pollNow(key);
    this.#tick();
    return poll;
  }

  /** Resumes tasks after a change of the credential or the address. Call it in every window. */
  resumeGateway(gateway: string): void {
    const queue = this.#schedule.getQueue(gateway);
    const wasPaused = queue.resume();
    queue.spread(this.#clock.monotonic(), soonMs, this.#random);
    if (wasPaused) this.#reports.report({ type: 'resumed', gateway });
    this.#scheduleTick();
  }

  /**
   * Resumes tasks after the success of another request to the gateway, which proves that the credential is valid.
   *
   * @param isSameAccount whether the credential belongs to the account with this name
   */
  resumeAccount(gateway: string, isSameAccount: (gatewayName: string) => boolean): void {
    if (!this.#schedule.getQueue(gateway).unpause(isSameAccount)) return;
    this.#reports.report({ type: 'resumed', gateway });
    this.#scheduleTick();
  }

  #tick(): void {
    if (!this.#isRunning) return;
    try {
      // A window that was frozen must first check whether another window leads.
      if (this.#clock.monotonic() >= this.#heartbeatAt) this.#sendHeartbeat();
      this.#poller.begin();
    } finally {
      this.#scheduleTick();
    }
  }

  #scheduleTick(): void {
    this.#cancelTimer?.();
    if (!this.#isRunning) return;
    const at = Math.min(this.#heartbeatAt, this.#poller.findNextTime());
    this.#cancelTimer = this.#clock.after(Math.max(0, at - this.#clock.monotonic()), () => this.#tick());
  }

  #sendHeartbeat(): void {
    const { windows } = this.#options;
    const hasSlept = this.#sleepDetector.tick();
    this.#heartbeatAt = this.#clock.monotonic() + heartbeatMs;
    void this.#attempt(() => {
      windows.writeHeartbeat();
      this.#reports.recordStorageSuccess();
    });
    this.#setLeader(this.#tryToLead());
    if (this.#isLeader) this.#catchUp();
    this.#poller.abortHanging();
    if (hasSlept) this.#handleWake();
  }

  /** If the file cannot be used, the role of this window does not change until the next heartbeat. */
  #tryToLead(): boolean {
    try {
      return this.#options.windows.tryToLead();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.kind !== 'busy') this.#reports.reportStorageFailure(error);
      return this.#isLeader;
    }
  }

  #setLeader(isLeader: boolean): void {
    if (isLeader === this.#isLeader) return;
    this.#isLeader = isLeader;
    this.#heartbeats = 0;
    if (!isLeader) this.#schedule.clear();
    this.#reports.report({ type: 'leading', isLeader });
  }

  /** Reads the changes of other windows, and finds requests of dead windows. */
  #catchUp(): void {
    if (this.#heartbeats % heartbeatsPerRecovery === 0) void this.#recover();
    this.#heartbeats += 1;
    this.#load();
  }

  async #recover(): Promise<void> {
    const { ledger, windows } = this.#options;
    const unknown = await this.#attempt(() => ledger.recover((window) => windows.isAlive(window)));
    for (const { key } of unknown ?? []) this.#reports.report({ type: 'unknown', key });
  }

  #load(): void {
    const soon = Math.min(soonMs, this.#options.pollOptions().intervalMs);
    void this.#attempt(() =>
      this.#schedule.load(this.#options.ledger.listUnfinished(), this.#readClocks(), soon),
    );
  }

  #handleChange(key: string | undefined): void {
    if (!this.#isLeader) return;
    if (key === undefined) this.#load();
    else this.#update(key);
    this.#scheduleTick();
  }

  #update(key: string): void {
    const { ledger, pollOptions } = this.#options;
    void this.#attempt(() =>
      this.#schedule.update(key, ledger.get(key), this.#readClocks(), pollOptions().intervalMs),
    );
  }

  /** Reads or writes at once, or as soon as no other window writes. It must be possible to repeat `act` later. */
  #attempt<Result>(act: () => Result): Promise<Result | undefined> {
    return this.#reports.attempt(() => this.#options.ledger.change(act));
  }

  #handleWake(): void {
    this.#reports.report({ type: 'woke' });
    void this.#poller.abortAll();
    this.#schedule.refresh(this.#clock.monotonic(), soonMs);
  }

  #readClocks(): ClockReading {
    return {
      wall: this.#clock.now(),
      monotonic: this.#clock.monotonic(),
      awake: this.#sleepDetector.awakeMs,
    };
  }
}

/**
 * Detects a sleep of the machine by a regular tick. A gap between two ticks means a sleep or a suspended process.
 * A change of the wall clock does not count as a sleep (F82).
 */
export class SleepDetector {
  readonly #clock: Clock;
  readonly #tickMs: number;
  #uptime: number;
  #monotonic: number;
  #awakeMs = 0;

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
    this.#uptime = clock.uptime();
    this.#monotonic = clock.monotonic();
  }

  /** @returns whether this is the first tick after a sleep */
  tick(): boolean {
    const uptime = this.#clock.uptime();
    const monotonic = this.#clock.monotonic();
    const elapsedMs = monotonic - this.#monotonic;
    const maxElapsedMs = 2 * this.#tickMs;
    const hasSlept = Math.max(elapsedMs, uptime - this.#uptime) > maxElapsedMs;
    this.#awakeMs += Math.min(elapsedMs, maxElapsedMs);
    this.#uptime = uptime;
    this.#monotonic = monotonic;
    return hasSlept;
  }

  /** Milliseconds awake, up to the last tick. */
  get awakeMs(): number {
    return this.#awakeMs;
  }
}
