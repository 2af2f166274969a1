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
  /** Whoever asks this gateway, with the credential kept under this name; called for each look. */
  readonly reach: (gateway: string, gatewayName: string) => Promise<PolledGateway>;
  /** Read whenever it matters: the settings may change. */
  readonly pace: () => PollOptions;
  readonly clock?: Clock;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

const BEAT_MS = 4_000;
const BEATS_PER_RECOVERY = 3;
/** Within this everything is looked at that waits when the watching begins. */
const SOON_MS = 5_000;
const LONGEST_STOP_MS = 1_000;

/**
 * Watches the tasks of all gateways: one loop in one window, few looks at a time. The other windows say that
 * they live, and take over when the one that watches dies. What it learns is in the ledger before it is told.
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
    this.#wakefulness = new SleepDetector(clock, BEAT_MS);
    this.#looks = new Poller({
      ...{ ledger, reach, pace, clock, random },
      ...{ plan: this.#plan, reports: this.#reports },
      moment: () => this.#moment(),
      onOver: () => this.#tick(),
    });
  }

  /** Joins the other windows, and watches if nobody else does. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#wakefulness = new SleepDetector(this.#clock, BEAT_MS);
    this.#forgetLedger = this.#options.ledger.onDidChange((key) => this.#changed(key));
    this.#tick();
  }

  /** Breaks off what is under way and lets another window watch; ends within a second, whatever hangs. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#callOff?.();
    this.#forgetLedger?.();
    this.#plan.clear();
    const stopped = new AbortController();
    const over = this.#looks.breakOff().finally(() => stopped.abort());
    this.#reports.attempt(() => this.#options.windows.leave());
    await Promise.race([over, pause(this.#clock, LONGEST_STOP_MS, stopped.signal)]);
  }

  /**
   * Looks at a task now, because the user wants to know: in any window, and whether it is watched or not. How
   * it is watched stays as it is.
   *
   * @throws {GatewayError} when the gateway could not be asked
   */
  watchNow(key: string): Promise<void> {
    const look = this.#looks.ask(key);
    this.#tick();
    return look;
  }

  /** There is a new credential or a new address: tasks that waited for it go on. To be told to every window. */
  gatewayChanged(gateway: string): void {
    const lane = this.#plan.lane(gateway);
    const wasPaused = lane.resume();
    lane.spread(this.#clock.monotonic(), SOON_MS, this.#random);
    if (wasPaused) this.#reports.tell({ type: 'resumed', gateway });
    this.#arm();
  }

  /** The gateway answered another request as it should: it does not refuse the credential. */
  gatewayAnswered(gateway: string): void {
    if (!this.#plan.lane(gateway).goOn()) return;
    this.#reports.tell({ type: 'resumed', gateway });
    this.#arm();
  }

  /** Returns what ends it. */
  onEvent(listener: (event: WatchEvent) => void): () => void {
    return this.#reports.listen(listener);
  }

  #tick(): void {
    if (!this.#running) return;
    try {
      // A window that was frozen learns first that another one leads by now.
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
    this.#beatAt = this.#clock.monotonic() + BEAT_MS;
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

  /** Takes note of what other windows did, and of those that died while they sent a request. */
  #catchUp(): void {
    if (this.#beats % BEATS_PER_RECOVERY === 0) this.#recover();
    this.#beats += 1;
    this.#load();
  }

  #recover(): void {
    const { ledger, windows } = this.#options;
    const lost = this.#reports.attempt(() => ledger.recover((window) => windows.isAlive(window))) ?? [];
    for (const { key } of lost) this.#reports.tell({ type: 'lost', key });
  }

  #load(): void {
    const soon = Math.min(SOON_MS, this.#options.pace().intervalMs);
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
    this.#plan.refresh(this.#clock.monotonic(), SOON_MS);
  }

  #moment(): ClockReading {
    return {
      wall: this.#clock.now(),
      monotonic: this.#clock.monotonic(),
      awake: this.#wakefulness.awakeMs,
    };
  }
}
