import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { build } from 'esbuild';
import type { ChildMessage, ChildReport, ParentReply } from './ledgerChildMessages.ts';

/** A gateway that counts the billed tasks, and receives the reports of the windows. */
export class CountingGateway {
  /** The number of requests to make a task, by key. */
  readonly bills = new Map<string, number>();
  readonly ids = new Map<string, string>();
  readonly stored = new Map<string, string>();
  readonly notices = new Map<string, number>();
  readonly setAside: string[] = [];
  recovered = 0;

  handle(message: ChildMessage): Omit<ParentReply, 'requestNumber'> | undefined {
    switch (message.type) {
      case 'create':
        this.bills.set(message.key, (this.bills.get(message.key) ?? 0) + 1);
        return { taskId: this.#createId(message.key) };
      case 'find': {
        const taskId = this.ids.get(message.key);
        return taskId === undefined ? {} : { taskId };
      }
      case 'poll':
        return {};
      default:
        this.#record(message);
        return undefined;
    }
  }

  #record(report: ChildReport): void {
    if (report.type === 'stored') this.stored.set(report.key, report.taskId);
    else if (report.type === 'noticed') {
      this.notices.set(report.key, (this.notices.get(report.key) ?? 0) + 1);
    } else if (report.type === 'recovered') this.recovered += report.count;
    else if (report.setAside !== undefined) this.setAside.push(report.setAside);
  }

  #createId(key: string): string {
    const id = `task-${this.ids.size}`;
    this.ids.set(key, id);
    return id;
  }
}

export interface ChildStart {
  readonly program: string;
  readonly file: string;
  readonly window: string;
  /** Another window that is alive. */
  readonly sibling?: string;
  readonly mode: 'work' | 'finish' | 'once';
  readonly gateway: CountingGateway;
  /** Milliseconds until the gateway replies. */
  readonly delay?: () => number;
}

/** A window in a separate process. */
export class LedgerChild {
  readonly #process: ChildProcess;
  readonly #exit: Promise<unknown>;
  #stderr = '';

  constructor({ program, file, window, sibling = '', mode, gateway, delay = () => 0 }: ChildStart) {
    this.#process = spawn(process.execPath, [program, file, window, sibling, mode], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text;
    });
    this.#exit = once(this.#process, 'exit');
    this.#process.on('message', (message: ChildMessage) => {
      const reply = gateway.handle(message);
      if (reply && 'number' in message)
        setTimeout(() => this.#reply({ ...reply, requestNumber: message.number }), delay());
    });
  }

  /** Kills the child `ms` after it has sent this many messages. */
  async killAfter(messages: number, ms: number): Promise<void> {
    await Promise.race([this.#waitForMessages(messages), this.#exit]);
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (this.#process.exitCode !== null) throw new Error(`The window ended by itself: ${this.#stderr}`);
    await this.kill();
  }

  /** Kills it, if it is alive. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exit;
  }

  /** Waits until the child has done its work. */
  async waitForEnd(): Promise<void> {
    await this.#exit;
    if (this.#process.exitCode !== 0) throw new Error(`The window failed: ${this.#stderr}`);
  }

  async #waitForMessages(messages: number): Promise<void> {
    for (let remaining = messages; remaining > 0; remaining--) await once(this.#process, 'message');
  }

  /** A child that was killed before receives no more messages. */
  #reply(reply: ParentReply): void {
    if (this.#process.connected) this.#process.send(reply, () => undefined);
  }
}

/** Bundles the program of a window into one file, which starts several times as fast. */
export async function bundleLedgerChild(outfile: string): Promise<string> {
  await build({
    entryPoints: ['test/support/ledgerChild.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  return outfile;
}
