import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Database } from '../../../src/storage/database.ts';
import { WindowRegistry } from '../../../src/storage/windowRegistry.ts';
import { openLedgerDatabase } from '../../support/ledgers.ts';

const heartbeatMs = 4_000;
const yearMs = 365 * 86_400_000;

/** Windows of one machine. They send heartbeats on time, unless they are frozen or dead. */
class Machine {
  readonly #database: Database;
  readonly #windows: SimulatedWindow[] = [];
  monotonic = 1000;
  wall = Date.UTC(2030, 0, 1);

  constructor(database: Database) {
    this.#database = database;
  }

  open(): SimulatedWindow {
    const window = new SimulatedWindow(
      new WindowRegistry(this.#database, {
        window: `window ${this.#windows.length}`,
        now: () => this.wall,
        monotonic: () => this.monotonic,
      }),
    );
    this.#windows.push(window);
    window.tick();
    window.due = this.monotonic + heartbeatMs;
    return window;
  }

  pass(ms: number): void {
    for (let remaining = ms; remaining > 0; remaining -= 500) {
      this.monotonic += 500;
      this.wall += 500;
      for (const window of this.#windows) {
        if (window.isAwake && this.monotonic >= window.due) {
          window.tick();
          window.due = this.monotonic + heartbeatMs;
        }
      }
    }
  }

  leaders(): readonly SimulatedWindow[] {
    return this.#windows.filter(({ isAwake, windows }) => isAwake && windows.isLeader());
  }
}

class SimulatedWindow {
  readonly windows: WindowRegistry;
  isAwake = true;
  due = 0;

  constructor(windows: WindowRegistry) {
    this.windows = windows;
  }

  tick(): void {
    this.windows.writeHeartbeat();
    this.windows.tryToLead();
  }
}

describe('the window registry', () => {
  let database: Database;
  let machine: Machine;

  beforeEach(() => {
    database = openLedgerDatabase();
    machine = new Machine(database);
  });

  afterEach(() => database.close());

  it('makes the first window the leader, and does not replace it', () => {
    const first = machine.open();
    machine.open();
    machine.open();
    machine.pass(120_000);
    assert.deepEqual(machine.leaders(), [first]);
  });

  it('makes another window the leader as soon as the leader leaves', () => {
    const [first, second] = [machine.open(), machine.open()];
    first.windows.leave();
    first.isAwake = false;
    assert.equal(first.windows.isLeader(), false);
    second.tick();
    assert.deepEqual(machine.leaders(), [second]);
    assert.equal(second.windows.isAlive('window 0'), false);
  });

  it('F85 makes another window the leader within 15 seconds of the death of the leader', () => {
    for (let offset = 500; offset <= heartbeatMs; offset += 500) {
      const first = machine.open();
      machine.pass(20_000);
      machine.pass(offset);
      const second = machine.open();
      for (const window of machine.leaders()) window.isAwake = false;
      first.isAwake = false;
      machine.pass(15_000);
      assert.deepEqual(machine.leaders(), [second], `second opened ${offset} ms later`);
      second.windows.leave();
      second.isAwake = false;
    }
  });

  it('F85 does not make a frozen leader the leader again when it wakes', () => {
    const [first, second] = [machine.open(), machine.open()];
    machine.pass(10_000);
    first.isAwake = false;
    machine.pass(60_000);
    first.isAwake = true;
    assert.equal(first.windows.isLeader(), false);
    machine.pass(60_000);
    assert.deepEqual(machine.leaders(), [second]);
  });

  it('F71 makes a new window the leader within two heartbeats after a crash long ago', () => {
    const first = machine.open();
    machine.pass(10_000);
    first.isAwake = false;
    machine.wall += 3 * 86_400_000;
    const second = machine.open();
    machine.pass(2 * heartbeatMs);
    assert.deepEqual(machine.leaders(), [second]);
  });

  it('does not count a window as closed because of a late heartbeat', () => {
    const [first, second] = [machine.open(), machine.open()];
    machine.pass(20_000);
    first.isAwake = false;
    machine.pass(7_000);
    first.isAwake = true;
    machine.pass(20_000);
    assert.deepEqual(machine.leaders(), [first]);
    assert.equal(second.windows.isAlive('window 0'), true);
  });

  it('always counts its own window as open, and an unknown window never', () => {
    const { windows } = machine.open();
    assert.deepEqual([windows.isAlive('window 0'), windows.isAlive('unknown')], [true, false]);
  });

  it('forgets closed windows', () => {
    for (let n = 0; n < 5; n++) {
      const killed = machine.open();
      machine.pass(1000);
      killed.isAwake = false;
    }
    machine.open();
    machine.pass(120_000);
    assert.equal(database.all('SELECT id FROM windows').length, 1);
  });

  for (const [name, jump] of [
    ['forward by a year', yearMs],
    ['back by a year', -yearMs],
    ['forward by an hour', 3_600_000],
    ['back by a few seconds', -7_000],
  ] as const) {
    it(`F82 does not replace a live leader, and replaces a dead one, when the clock jumps ${name}`, () => {
      const [first, second] = [machine.open(), machine.open()];
      machine.pass(10_000);
      machine.wall += jump;
      machine.pass(30_000);
      assert.deepEqual(machine.leaders(), [first]);
      first.isAwake = false;
      machine.pass(2_000);
      machine.wall += jump;
      machine.pass(16_000);
      assert.deepEqual(machine.leaders(), [second]);
    });
  }

  it('F82 never has two leaders, and has one within 20 s, after any sequence of events', () => {
    const event = fc.oneof(
      fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 500, max: 30_000 }) }),
      fc.record({
        type: fc.constant('jump' as const),
        ms: fc.constantFrom(yearMs, -yearMs, 60_000, -60_000),
      }),
      fc.record({ type: fc.constantFrom('freeze', 'wake', 'leave'), which: fc.nat({ max: 5 }) }),
      fc.record({ type: fc.constant('open' as const) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const own = openLedgerDatabase();
        try {
          playEvents(new Machine(own), events);
        } finally {
          own.close();
        }
      }),
      { numRuns: 100, seed: 4 },
    );
  });
});

type MachineEvent =
  | { readonly type: 'pass' | 'jump'; readonly ms: number }
  | { readonly type: string; readonly which: number }
  | { readonly type: 'open' };

function playEvents(machine: Machine, events: readonly MachineEvent[]): void {
  const windows = [machine.open(), machine.open()];
  for (const event of events) {
    const window = 'which' in event ? windows[event.which % windows.length] : undefined;
    if (event.type === 'pass' && 'ms' in event) machine.pass(event.ms);
    else if (event.type === 'jump' && 'ms' in event) machine.wall += event.ms;
    else if (event.type === 'open') windows.push(machine.open());
    else if (window) applyEvent(window, event.type);
    assert.ok(machine.leaders().length <= 1, 'two windows lead');
  }
  machine.pass(20_000);
  const alive = windows.filter(({ isAwake }) => isAwake);
  assert.equal(machine.leaders().length, Math.min(alive.length, 1), 'no window leads');
}

function applyEvent(window: SimulatedWindow, type: string): void {
  if (type === 'leave' && window.isAwake) window.windows.leave();
  window.isAwake = type === 'wake';
}
