import { cpSync, existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { CallPatches, type PatchedCall } from './patchedCalls.ts';

/** How the n-th call fails. */
export type CallFailure =
  /** It reports an error and has no effect. */
  | 'error'
  /** It has its whole effect and reports an error. */
  | 'late error'
  /** It writes a part of the bytes and reports an error. */
  | 'part'
  /** The disk is full from this call on. */
  | 'full disk'
  /** The process ends before the call. */
  | 'crash'
  /** The process ends after the call has written a part of the bytes. */
  | 'part, crash';

export const callFailures: readonly CallFailure[] = [
  ...(['error', 'late error', 'part', 'full disk', 'crash', 'part, crash'] as const),
];

/** A call of a run without failures. */
export interface CountedCall {
  readonly name: string;
  /** Whether it can write a part of its bytes. */
  readonly isDivisible: boolean;
  readonly needsSpace: boolean;
}

/** How long a flow waits on a full disk for a state that may not come, in milliseconds. */
const maxFullMs = 200;

/** The process has ended: no call has an effect any more. */
export class ProcessEndedError extends Error {
  override readonly name = 'ProcessEndedError';
}

/**
 * Counts the calls that a flow makes to the file system in one folder, to SQLite and to its own sockets, and lets
 * one of them fail.
 */
export class FailingCalls {
  readonly calls: CountedCall[] = [];
  readonly #folder: string;
  readonly #nth: number;
  readonly #failure: CallFailure;
  readonly #patches: CallPatches;
  #isInside = false;
  #hasCrashed = false;
  #isFull = false;
  #failedCall: string | undefined;
  #openConnections = 0;

  /** @param nth counted from 1; with 0 no call fails */
  constructor(folder: string, nth = 0, failure: CallFailure = 'error') {
    this.#folder = folder;
    this.#nth = nth;
    this.#failure = failure;
    this.#patches = new CallPatches(folder, (call) => this.#runCall(call));
  }

  /** The name of the call that failed. */
  get failedCall(): string | undefined {
    return this.#failedCall;
  }

  /** The number of open connections to databases at the end of the flow. */
  get openConnections(): number {
    return this.#openConnections;
  }

  get hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  /** Runs a flow with failing calls. After a crash, the folder is as it was at that moment. */
  async run<Result>(flow: () => Promise<Result>): Promise<Result | undefined> {
    await this.#patches.apply();
    try {
      return await flow();
    } catch (error) {
      if (!this.#hasCrashed) throw error;
      return undefined;
    } finally {
      this.stop();
      this.#openConnections = [...this.#patches.databases].filter(({ isOpen }) => isOpen).length;
      if (this.#hasCrashed) await this.#restoreFolder();
    }
  }

  /** Runs calls that do not count: those of the test, and calls of Node.js within a call. */
  runUncounted<Result>(read: () => Result): Result {
    const wasInside = this.#isInside;
    this.#isInside = true;
    try {
      return read();
    } finally {
      this.#isInside = wasInside;
    }
  }

  /** Lets every later call pass. */
  stop(): void {
    this.#isInside = true;
    this.#patches.restore();
  }

  /** Waits until a condition holds, the process ends or the disk has been full for a while. */
  async waitUntil(condition: () => boolean): Promise<void> {
    const startedAt = performance.now();
    while (!this.#hasCrashed && !condition()) {
      if (this.#isFull && performance.now() - startedAt > maxFullMs) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (this.#hasCrashed) throw new ProcessEndedError('The process has ended.');
  }

  #runCall(call: PatchedCall): unknown {
    if (this.#isInside) return call.act();
    if (this.#hasCrashed) return call.fail(new ProcessEndedError('The process has ended.'));
    const needsSpace = needsDiskSpace(call);
    this.calls.push({ name: call.name, isDivisible: call.actInPart !== undefined, needsSpace });
    if (this.#isFull && needsSpace) return call.fail(createFullDiskError(call));
    if (this.calls.length === this.#nth) return this.#failCall(call);
    return this.runUncounted(call.act);
  }

  #failCall(call: PatchedCall): unknown {
    this.#failedCall = `call ${this.#nth} (${call.name}): ${this.#failure}`;
    const error = createCallError(call, this.#nth);
    switch (this.#failure) {
      case 'error':
        return call.fail(error, call.isClosing === true);
      case 'late error':
        return call.actThenFail(error);
      case 'part':
        return (call.actInPart ?? call.fail)(error);
      case 'full disk':
        this.#isFull = true;
        return call.fail(createFullDiskError(call));
      case 'crash':
        this.#saveFolder();
        return call.fail(new ProcessEndedError('The process has ended.'));
      case 'part, crash':
        return this.#tear(call);
    }
  }

  /** Saves the folder once a part of the bytes is written: when the call returns, or when its promise settles. */
  #tear(call: PatchedCall): unknown {
    const log = call.log;
    const before = log !== undefined && existsSync(log) ? statSync(log).size : 0;
    const ended = new ProcessEndedError('The process has ended.');
    const saveFolder = () => {
      this.#saveFolder();
      if (log !== undefined) this.#tearLog(log, before);
    };
    let result: unknown;
    try {
      result = this.runUncounted(() => call.actInPart?.(ended));
    } catch (error) {
      saveFolder();
      throw error;
    }
    if (result instanceof Promise) return result.finally(saveFolder);
    saveFolder();
    return result;
  }

  /** Removes the second half of the last transaction from the log. */
  #tearLog(log: string, before: number): void {
    const torn = log.replace(this.#folder, this.#copy);
    const { size } = statSync(log);
    if (size > before) truncateSync(torn, before + Math.floor((size - before) / 2));
  }

  get #copy(): string {
    return `${this.#folder}.at-crash`;
  }

  #saveFolder(): void {
    this.runUncounted(() => cpSync(this.#folder, this.#copy, { recursive: true }));
    this.#hasCrashed = true;
    this.#patches.endSockets();
  }

  async #restoreFolder(): Promise<void> {
    for (const database of this.#patches.databases) if (database.isOpen) database.close();
    for (const file of this.#patches.files) await (file as FileHandle).close().catch(() => undefined);
    rmSync(this.#folder, { recursive: true, force: true });
    renameSync(this.#copy, this.#folder);
  }
}

/** Whether the call fails on a full disk. */
function needsDiskSpace({ layer, name, writes }: PatchedCall): boolean {
  if (layer === 'sqlite') return name.startsWith('run ') || name === 'exec COMMIT';
  return layer === 'file' && writes && !/close|rm|truncate|unlink/i.test(name);
}

/** Calls that write alternate between a full disk and a broken one. */
function createCallError({ layer, name, writes }: PatchedCall, nth: number): Error {
  const isFull = writes && nth % 2 === 0;
  if (layer === 'sqlite') return createSqliteError(isFull);
  if (layer === 'socket') return createSystemError('ECONNRESET', name);
  return createSystemError(isFull ? 'ENOSPC' : 'EIO', name);
}

function createFullDiskError({ layer, name }: PatchedCall): Error {
  return layer === 'sqlite' ? createSqliteError(true) : createSystemError('ENOSPC', name);
}

function createSqliteError(isFull: boolean): Error {
  const message = isFull ? 'database or disk is full' : 'disk I/O error';
  const errcode = isFull ? 13 : 10;
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode, errstr: message });
}

function createSystemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: failed by the test, ${syscall}`), { code, syscall });
}
