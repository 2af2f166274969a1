import { type Clock, pause, systemClock } from './clock.ts';
import type { Ledger } from './ledger.ts';
import type { ClockReading } from './polling/polledTask.ts';
import { type PolledGateway, Poller, type PollOptions } from './polling/poller.ts';
import { PollReports } from './polling/pollReports.ts';
import { PollSchedule } from './polling/pollSchedule.ts';
import { SleepDetector } from './polling/sleepDetector.ts';
import type { WatchEvent } from './polling/watchEvent.ts';
import type { WindowRegistry } from './windowRegistry.ts';

export interface WatcherOptions {
  readonly ledger: Ledger;
  readonly windows: WindowRegistry;
  /** Returns a client of this gateway with the credential kept under this name. Called for each poll. */
  readonly reach: (gateway: string, gatewayName: string) => Promise<PolledGateway>;
  /** Called whenever it matters, since the settings may change. */
  readonly pace: () => PollOptions;
  readonly clock?: Clock;
  /** Random numbers from 0 up to 1. */
  readonly random?: () => number;
}

const heartbeatMs = 4_000;
const heartbeatsPerRecovery = 3;
/** Within this time all waiting tasks are polled after polling begins. */
const soonMs = 5_000;
const maxStopMs = 1_000;

/**
 * Polls the tasks of all gateways: one loop in one window, few polls at once. The other windows show that
 * they are alive, and one takes over when the leader dies. Results are in the ledger before they are
 * reported.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #plan: PollSchedule;
  readonly #looks: Poller;
  readonly #reports = new PollReports();
  #wakefulness: SleepDetector;
  #forgetLedger: (() => void) | undefined;
  #callOff: (() => void) | undefined;
  #running = false;
  #leading = false;
  #beats = 0;
  #beatAt = 0;

  constructor(options: WatcherOptions) {
    const { ledger, reach, pace, clock = systemClock, random = Math.random } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#plan = new PollSchedule(random, (gateway) => this.#reports.tell({ type: 'resumed', gateway }));
    this.#wakefulness = new SleepDetector(clock, heartbeatMs);
    this.#looks = new Poller({
      ...{ ledger, reach, pace, clock, random },
      ...{ plan: this.#plan, reports: this.#reports },
      moment: () => this.#moment(),
      onOver: () => this.#tick(),
    });
  }

  /** Joins the other windows, and polls unless another one does. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#wakefulness = new SleepDetector(this.#clock, heartbeatMs);
    this.#forgetLedger = this.#options.ledger.onDidChange((key) => this.#changed(key));
    this.#tick();
  }

  /** Aborts polls and lets another window lead. Resolves within a second. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#callOff?.();
    this.#forgetLedger?.();
    this.#plan.clear();
    const stopped = new AbortController();
    const over = this.#looks.breakOff().finally(() => stopped.abort());
    this.#reports.attempt(() => this.#options.windows.leave());
    await Promise.race([over, pause(this.#clock, maxStopMs, stopped.signal)]);
  }

  /**
   * Polls a task at once, for the user: in any window, also a task that is not polled otherwise. Its schedule
   * stays the same.
   *
   * @throws {GatewayError} when the gateway could not be asked
   */
  watchNow(key: string): Promise<void> {
    const look = this.#looks.ask(key);
    this.#tick();
    return look;
  }

  /** Resumes tasks after a new credential or a new address. Call it in every window. */
  gatewayChanged(gateway: string): void {
    const lane = this.#plan.lane(gateway);
    const wasPaused = lane.resume();
    lane.spread(this.#clock.monotonic(), soonMs, this.#random);
    if (wasPaused) this.#reports.tell({ type: 'resumed', gateway });
    this.#arm();
  }

  /** Resumes tasks after the gateway answered another request, which proves the credential. */
  gatewayAnswered(gateway: string): void {
    if (!this.#plan.lane(gateway).goOn()) return;
    this.#reports.tell({ type: 'resumed', gateway });
    this.#arm();
  }

  /** @returns a function that ends the subscription */
  onEvent(listener: (event: WatchEvent) => void): () => void {
    return this.#reports.listen(listener);
  }

  #tick(): void {
    if (!this.#running) return;
    try {
      // A window that was frozen must first learn whether another one leads.
      if (this.#clock.monotonic() >= this.#beatAt) this.#beat();
      this.#looks.begin();
    } finally {
      this.#arm();
    }
  }

  #arm(): void {
    this.#callOff?.();
    if (!this.#running) return;
    const at = Math.min(this.#beatAt, this.#looks.nextAt());
    this.#callOff = this.#clock.after(Math.max(0, at - this.#clock.monotonic()), () => this.#tick());
  }

  #beat(): void {
    const { windows } = this.#options;
    const slept = this.#wakefulness.tick();
    this.#beatAt = this.#clock.monotonic() + heartbeatMs;
    this.#reports.attempt(() => {
      windows.beat();
      this.#reports.storageWorks();
    });
    this.#lead(this.#reports.attempt(() => windows.tryLead()) ?? this.#leading);
    if (this.#leading) this.#catchUp();
    this.#looks.breakOffHanging();
    if (slept) this.#wake();
  }

  #lead(leads: boolean): void {
    if (leads === this.#leading) return;
    this.#leading = leads;
    this.#beats = 0;
    if (!leads) this.#plan.clear();
    this.#reports.tell({ type: 'leading', leads });
  }

  /** Reads what other windows wrote, and finds requests of windows that died. */
  #catchUp(): void {
    if (this.#beats % heartbeatsPerRecovery === 0) this.#recover();
    this.#beats += 1;
    this.#load();
  }

  #recover(): void {
    const { ledger, windows } = this.#options;
    const lost = this.#reports.attempt(() => ledger.recover((window) => windows.isAlive(window))) ?? [];
    for (const { key } of lost) this.#reports.tell({ type: 'lost', key });
  }

  #load(): void {
    const soon = Math.min(soonMs, this.#options.pace().intervalMs);
    this.#reports.attempt(() => this.#plan.load(this.#options.ledger.unfinished(), this.#moment(), soon));
  }

  #changed(key: string | undefined): void {
    if (!this.#leading) return;
    if (key === undefined) this.#load();
    else this.#update(key);
    this.#arm();
  }

  #update(key: string): void {
    const { ledger, pace } = this.#options;
    this.#reports.attempt(() => this.#plan.update(key, ledger.get(key), this.#moment(), pace().intervalMs));
  }

  #wake(): void {
    this.#reports.tell({ type: 'woke' });
    void this.#looks.breakOff();
    this.#plan.refresh(this.#clock.monotonic(), soonMs);
  }

  #moment(): ClockReading {
    return {
      wall: this.#clock.now(),
      monotonic: this.#clock.monotonic(),
      awake: this.#wakefulness.awakeMs,
    };
  }
}
