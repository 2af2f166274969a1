import { join } from 'node:path';
import { TestClock } from './testClock.ts';
import { TestGateway } from './testGateway.ts';
import { createTasksFolder, TestWindow, type TestWindowOptions } from './testWindow.ts';

/** Windows with a shared file, gateway and clock, all new for each test. */
export class TasksWorld {
  clock = new TestClock();
  server = new TestGateway(() => this.clock.now());
  readonly #folder = createTasksFolder();
  readonly #opened: TestWindow[] = [];
  #files = 0;

  /** Call it in a `describe`. */
  static forEachTest(): TasksWorld {
    const world = new TasksWorld();
    beforeEach(() => world.#begin());
    afterEach(() => world.#end());
    after(() => world.#folder.remove());
    return world;
  }

  open(name = 'one', options: Partial<TestWindowOptions> = {}): TestWindow {
    const { clock, server } = this;
    const file = join(this.#folder.path, `${this.#files}.sqlite`);
    const window = new TestWindow({ file, name, clock, getClient: async () => server, ...options });
    this.#opened.push(window);
    return window;
  }

  /** A window with one task, `a`, that runs at the gateway as `task-a`; the window does not watch it yet. */
  openWithTask(options: Partial<TestWindowOptions> = {}): TestWindow {
    const window = this.open('one', options);
    this.server.createTask('a', { id: 'task-a', rawStatus: 'running' });
    window.addRunning('a', 'task-a');
    return window;
  }

  /** Starts watching. */
  async startWatching(window: TestWindow): Promise<TestWindow> {
    window.watcher.start();
    await this.clock.advance(0);
    return window;
  }

  /** Another file, for windows that must not know the earlier ones. */
  useAnotherFile(): void {
    this.#files += 1;
  }

  #begin(): void {
    const clock = new TestClock();
    this.clock = clock;
    this.server = new TestGateway(() => clock.now());
    this.#files += 1;
  }

  async #end(): Promise<void> {
    for (const window of this.#opened.splice(0)) await window.close();
  }
}
