import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import sqlite, { type DatabaseSync } from 'node:sqlite';

/** A call to the file system, SQLite or a socket that is about to run. */
export interface PatchedCall {
  readonly layer: 'file' | 'sqlite' | 'socket';
  readonly name: string;
  readonly writes: boolean;
  /** Whether the resource is released even if the call fails. */
  readonly isClosing?: boolean;
  /** The log of a database that the call commits to. */
  readonly log?: string | undefined;
  readonly act: () => unknown;
  /** Reports the error, in the way of this call. `hasEffect`: whether the call has its effect before. */
  readonly fail: (error: Error, hasEffect?: boolean) => unknown;
  readonly actThenFail: (error: Error) => unknown;
  /** Writes a part of the bytes and fails; absent if the call does not write bytes. */
  readonly actInPart?: ((error: Error) => unknown) | undefined;
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;
type Functions = Record<string, AnyFunction>;

const reads = ['read', 'readFile', 'stat', 'lstat', 'fstat', 'statfs', 'readdir', 'access', 'realpath'];
const writes = [
  'open',
  'write',
  'writeFile',
  'appendFile',
  'rm',
  'rename',
  'mkdir',
  'mkdtemp',
  'copyFile',
  'link',
  'unlink',
  'truncate',
  'ftruncate',
  'chmod',
  'fchmod',
  'fsync',
  'symlink',
  'utimes',
  'close',
];
const handleCalls = ['read', 'readFile', 'stat', 'write', 'writeFile', 'sync', 'truncate', 'chmod', 'close'];
/** Without `close`, which does not fail in SQLite. */
const databaseCalls = ['exec', 'prepare'];
const statementCalls = ['run', 'get', 'all', 'iterate'];

/** Replaces the functions of Node.js that the program calls, and restores them. */
export class CallPatches {
  readonly databases = new Set<DatabaseSync>();
  readonly files = new Set<unknown>();
  readonly #folder: string;
  readonly #run: (call: PatchedCall) => unknown;
  readonly #descriptors = new Set<unknown>();
  readonly #sockets = new Set<net.Socket>();
  readonly #undo: (() => void)[] = [];

  /** @param run runs or fails each call that concerns the folder, SQLite or a socket of the flow */
  constructor(folder: string, run: (call: PatchedCall) => unknown) {
    this.#folder = folder;
    this.#run = run;
  }

  async apply(): Promise<void> {
    const handle = await fs.promises.open(import.meta.filename);
    const handles = Object.getPrototypeOf(handle) as Functions;
    await handle.close();
    for (const name of [...reads, ...writes]) {
      this.#patchFile(fs as unknown as Functions, `${name}Sync`, false);
      this.#patchFile(fs.promises as unknown as Functions, name, true);
    }
    for (const name of handleCalls) this.#patchHandle(handles, name);
    this.#patchSqlite();
    this.#patchSockets(net.Socket.prototype as unknown as Functions);
    syncBuiltinESMExports();
  }

  restore(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    syncBuiltinESMExports();
  }

  /** Ends the connections, as the end of the process does. */
  endSockets(): void {
    const ended = new Error('The process has ended.');
    for (const socket of this.#sockets) setImmediate(() => socket.destroy(ended));
  }

  #replace(functions: Functions, name: string, wrap: (original: AnyFunction) => AnyFunction): void {
    const original = functions[name];
    if (original === undefined) return;
    const isOwn = Object.hasOwn(functions, name);
    functions[name] = wrap(original);
    this.#undo.push(() => {
      if (isOwn) functions[name] = original;
      else delete functions[name];
    });
  }

  #patchFile(functions: Functions, name: string, isAsync: boolean): void {
    const patches = this;
    this.#replace(
      functions,
      name,
      (original) =>
        function (this: unknown, ...args) {
          const act = (...passed: unknown[]) => original.apply(this, passed);
          if (!patches.#isInFolder(args)) return act(...args);
          const opens = (result: unknown) => patches.#trackOpened(name, args[0], result);
          const half = createHalfWrite(name.replace(/Sync$/, ''), args, act);
          return patches.#run({
            layer: 'file',
            name,
            writes: !reads.includes(name.replace(/Sync$/, '')),
            isClosing: name === 'closeSync',
            ...createOutcomes(() => act(...args), isAsync, half),
            act: () => (isAsync ? (act(...args) as Promise<unknown>).then(opens) : opens(act(...args))),
            ...(name.startsWith('open') && {
              actThenFail: (error: Error) => closeAndThrow(act(...args), error),
            }),
          });
        },
    );
  }

  #isInFolder(args: readonly unknown[]): boolean {
    if (typeof args[0] === 'number') return this.#descriptors.has(args[0]);
    return args.some((each) => typeof each === 'string' && each.startsWith(this.#folder));
  }

  #trackOpened<Result>(name: string, firstArgument: unknown, result: Result): Result {
    if (name === 'openSync') this.#descriptors.add(result);
    if (name === 'closeSync') this.#descriptors.delete(firstArgument);
    if (name === 'open') this.files.add(result);
    return result;
  }

  #patchHandle(handles: Functions, name: string): void {
    const patches = this;
    this.#replace(
      handles,
      name,
      (original) =>
        function (this: unknown, ...args) {
          const act = (...passed: unknown[]) => original.apply(this, passed);
          if (!patches.files.has(this)) return act(...args);
          return patches.#run({
            layer: 'file',
            name: `FileHandle.${name}`,
            writes: !reads.includes(name),
            isClosing: name === 'close',
            ...createOutcomes(
              () => act(...args),
              true,
              createHalfHandleWrite(name, this as FileHandle, args, act),
            ),
          });
        },
    );
  }

  #patchSqlite(): void {
    const patches = this;
    const patch = (functions: Functions, name: string) =>
      this.#replace(
        functions,
        name,
        (original) =>
          function (this: unknown, ...args) {
            const act = () => original.apply(this, args);
            if (this instanceof sqlite.DatabaseSync) patches.databases.add(this);
            const commits = name === 'exec' && args[0] === 'COMMIT';
            return patches.#run({
              layer: 'sqlite',
              name: `${name} ${describeSql(this, args)}`,
              writes: name === 'run' || name === 'exec',
              ...createOutcomes(act, false, commits ? act : undefined),
              log: commits ? `${(this as DatabaseSync).location()}-wal` : undefined,
            });
          },
      );
    for (const name of databaseCalls) patch(sqlite.DatabaseSync.prototype as unknown as Functions, name);
    for (const name of statementCalls) patch(sqlite.StatementSync.prototype as unknown as Functions, name);
  }

  #patchSockets(sockets: Functions): void {
    const patches = this;
    const destroy = (socket: net.Socket, error: Error) => void setImmediate(() => socket.destroy(error));
    const patch = (name: string, failed: (socket: net.Socket) => unknown) =>
      this.#replace(
        sockets,
        name,
        (original) =>
          function (this: unknown, ...args) {
            const socket = this as net.Socket;
            const act = (...passed: unknown[]) => original.apply(this, passed);
            if (name === 'connect') patches.#sockets.add(socket);
            const [chunk] = args;
            if (!patches.#sockets.has(socket) || chunk === null) return act(...args);
            const part = toBytes(chunk);
            return patches.#run({
              layer: 'socket',
              name: `Socket.${name}`,
              writes: true,
              act: () => act(...args),
              fail: (error, hasEffect = false) => {
                if (hasEffect) act(...args);
                destroy(socket, error);
                return failed(socket);
              },
              actThenFail: (error) => {
                const result = act(...args);
                // The bytes leave the process before the connection breaks.
                setTimeout(() => socket.destroy(error), 5);
                return result;
              },
              actInPart:
                part &&
                ((error) => {
                  act(part.subarray(0, part.length >> 1));
                  setTimeout(() => socket.destroy(error), 5);
                  return failed(socket);
                }),
            });
          },
      );
    patch('connect', (socket) => socket);
    patch('write', () => false);
    patch('push', () => true);
  }
}

/** Closes what a call has opened, because the program does not get it. */
function closeAndThrow(opened: unknown, error: Error): unknown {
  if (opened instanceof Promise) {
    return opened.then(async (file: FileHandle) => {
      await file.close();
      throw error;
    });
  }
  fs.closeSync(opened as number);
  throw error;
}

type Half = (() => unknown) | undefined;

/** Creates the functions that fail a call of the file system or SQLite. */
function createOutcomes(act: () => unknown, isAsync: boolean, half: Half) {
  const failing = async (before: Half, error: Error) => {
    await before?.();
    throw error;
  };
  const failingNow = (before: Half, error: Error) => {
    before?.();
    throw error;
  };
  const failed = isAsync ? failing : failingNow;
  return {
    act,
    fail: (error: Error, hasEffect = false) => failed(hasEffect ? act : undefined, error),
    actThenFail: (error: Error) => failed(act, error),
    actInPart: half && ((error: Error) => failed(half, error)),
  };
}

/** Creates a function that writes half of the bytes of a call; undefined if the call does not write bytes. */
function createHalfWrite(name: string, args: readonly unknown[], act: AnyFunction): Half {
  const [target, data, ...rest] = args;
  const bytes = toBytes(data);
  if (name === 'copyFile') {
    return () => fs.writeFileSync(String(data), takeHalf(fs.readFileSync(String(target))));
  }
  const divides = name === 'write' || name === 'writeFile' || name === 'appendFile';
  return divides && bytes
    ? () => act(target, takeHalf(bytes), ...rest.slice(name === 'write' ? 3 : 0))
    : undefined;
}

function createHalfHandleWrite(
  name: string,
  file: FileHandle,
  args: readonly unknown[],
  act: AnyFunction,
): Half {
  const bytes = toBytes(args[0]);
  if (!bytes) return undefined;
  if (name === 'writeFile') return () => act(takeHalf(bytes));
  if (name !== 'write') return undefined;
  const [, offset = 0, length = bytes.length, position = null] = args as [
    ...(readonly [unknown, number?, number?, (number | null)?]),
  ];
  return () => (length > 1 ? act(bytes, offset, length >> 1, position) : file.fd);
}

function takeHalf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.length >> 1);
}

function toBytes(data: unknown): Uint8Array | undefined {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof Uint8Array ? data : undefined;
}

/** Returns the beginning of the SQL text. */
function describeSql(target: unknown, args: readonly unknown[]): string {
  const sql = target instanceof sqlite.StatementSync ? target.sourceSQL : String(args[0]);
  return sql.trim().slice(0, 60).replaceAll(/\s+/g, ' ');
}
