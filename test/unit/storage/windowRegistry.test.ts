import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Database } from '../../../src/storage/database.ts';
import { WindowRegistry } from '../../../src/storage/windowRegistry.ts';
import { openLedgerDatabase } from '../../support/ledgers.ts';

const heartbeatMs = 4_000;
const yearMs = 365 * 86_400_000;

/** Windows of one machine. They beat when their time has come, unless they are frozen or dead. */
class Machine {
  readonly #database: Database;
  readonly #windows: PlayedWindow[] = [];
  monotonic = 1000;
  wall = Date.UTC(2030, 0, 1);

  constructor(database: Database) {
    this.#database = database;
  }

  open(): PlayedWindow {
    const window = new PlayedWindow(
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
    for (let left = ms; left > 0; left -= 500) {
      this.monotonic += 500;
      this.wall += 500;
      for (const window of this.#windows) {
        if (window.awake && this.monotonic >= window.due) {
          window.tick();
          window.due = this.monotonic + heartbeatMs;
        }
      }
    }
  }

  leaders(): readonly PlayedWindow[] {
    return this.#windows.filter(({ awake, windows }) => awake && windows.isLeader());
  }
}

class PlayedWindow {
  readonly windows: WindowRegistry;
  awake = true;
  due = 0;

  constructor(windows: WindowRegistry) {
    this.windows = windows;
  }

  tick(): void {
    this.windows.heartbeat();
    this.windows.tryToLead();
  }
}

describe('windows', () => {
  let database: Database;
  let machine: Machine;

  beforeEach(() => {
    database = openLedgerDatabase();
    machine = new Machine(database);
  });

  afterEach(() => database.close());

  it('the first leads, and goes on doing so', () => {
    const first = machine.open();
    machine.open();
    machine.open();
    machine.pass(120_000);
    assert.deepEqual(machine.leaders(), [first]);
  });

  it('one that leaves gives the lead up at once', () => {
    const [first, second] = [machine.open(), machine.open()];
    first.windows.leave();
    first.awake = false;
    assert.equal(first.windows.isLeader(), false);
    second.tick();
    assert.deepEqual(machine.leaders(), [second]);
    assert.equal(second.windows.isAlive('window 0'), false);
  });

  it('F85 another leads within 15 seconds of its death', () => {
    for (let offset = 500; offset <= heartbeatMs; offset += 500) {
      const first = machine.open();
      machine.pass(20_000);
      machine.pass(offset);
      const second = machine.open();
      for (const window of machine.leaders()) window.awake = false;
      first.awake = false;
      machine.pass(15_000);
      assert.deepEqual(machine.leaders(), [second], `second opened ${offset} ms later`);
      second.windows.leave();
      second.awake = false;
    }
  });

  it('F85 a frozen one stops when it wakes, and the other goes on', () => {
    const [first, second] = [machine.open(), machine.open()];
    machine.pass(10_000);
    first.awake = false;
    machine.pass(60_000);
    first.awake = true;
    assert.equal(first.windows.isLeader(), false);
    machine.pass(60_000);
    assert.deepEqual(machine.leaders(), [second]);
  });

  it('F71 after a crash long ago, it leads within 5 seconds and a heartbeat', () => {
    const first = machine.open();
    machine.pass(10_000);
    first.awake = false;
    machine.wall += 3 * 86_400_000;
    const second = machine.open();
    machine.pass(2 * heartbeatMs);
    assert.deepEqual(machine.leaders(), [second]);
  });

  it('a late heartbeat does not make a window count as closed', () => {
    const [first, second] = [machine.open(), machine.open()];
    machine.pass(20_000);
    first.awake = false;
    machine.pass(7_000);
    first.awake = true;
    machine.pass(20_000);
    assert.deepEqual(machine.leaders(), [first]);
    assert.equal(second.windows.isAlive('window 0'), true);
  });

  it('this one always counts as open, and an unknown one never', () => {
    const { windows } = machine.open();
    assert.deepEqual([windows.isAlive('window 0'), windows.isAlive('nobody')], [true, false]);
  });

  it('closed ones are forgotten', () => {
    for (let n = 0; n < 5; n++) {
      const dying = machine.open();
      machine.pass(1000);
      dying.awake = false;
    }
    machine.open();
    machine.pass(120_000);
    assert.equal(database.all('SELECT id FROM windows').length, 1);
  });

  for (const [name, jump] of [
    ['forth', yearMs],
    ['back', -yearMs],
    ['forth by an hour', 3_600_000],
    ['back by a few seconds', -7_000],
  ] as const) {
    it(`F82 a clock that jumps ${name} makes no open window count as closed, nor the other way round`, () => {
      const [first, second] = [machine.open(), machine.open()];
      machine.pass(10_000);
      machine.wall += jump;
      machine.pass(30_000);
      assert.deepEqual(machine.leaders(), [first]);
      first.awake = false;
      machine.pass(2_000);
      machine.wall += jump;
      machine.pass(16_000);
      assert.deepEqual(machine.leaders(), [second]);
    });
  }

  it('F82 whatever happens, soon one of the open windows leads, and never two for long', () => {
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
          playOut(new Machine(own), events);
        } finally {
          own.close();
        }
      }),
      { numRuns: 100, seed: 4 },
    );
  });
});

type Happening =
  | { readonly type: 'pass' | 'jump'; readonly ms: number }
  | { readonly type: string; readonly which: number }
  | { readonly type: 'open' };

function playOut(machine: Machine, events: readonly Happening[]): void {
  const windows = [machine.open(), machine.open()];
  for (const event of events) {
    const window = 'which' in event ? windows[event.which % windows.length] : undefined;
    if (event.type === 'pass' && 'ms' in event) machine.pass(event.ms);
    else if (event.type === 'jump' && 'ms' in event) machine.wall += event.ms;
    else if (event.type === 'open') windows.push(machine.open());
    else if (window) befall(window, event.type);
    assert.ok(machine.leaders().length <= 1, 'two lead');
  }
  machine.pass(20_000);
  const alive = windows.filter(({ awake }) => awake);
  assert.equal(machine.leaders().length, Math.min(alive.length, 1), 'nobody leads');
}

function befall(window: PlayedWindow, what: string): void {
  if (what === 'leave' && window.awake) window.windows.leave();
  window.awake = what === 'wake';
}
