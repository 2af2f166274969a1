import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Defines a test that mounts a small disk. On a machine that does not allow this, the test is not defined, so it does not
 * count as passed.
 */
export function itOnSmallDisk(title: string, test: Mocha.Func | Mocha.AsyncFunc): Mocha.Test | undefined {
  const disk = SmallDisk.mount(1);
  disk?.remove();
  return disk && it(title, test);
}

/** A separate file system with little space. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Undefined if this user is not allowed to mount a disk. */
  static mount(megabytes: number): SmallDisk | undefined {
    const path = mkdtempSync(join(tmpdir(), 'small-disk-'));
    const owner = `uid=${process.getuid?.() ?? 0},gid=${process.getgid?.() ?? 0}`;
    if (runAsSuperuser('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,${owner}`, 'tmpfs', path)) {
      return new SmallDisk(path);
    }
    rmSync(path, { recursive: true });
    return undefined;
  }

  /** Takes all the free space. */
  fill(): void {
    const descriptor = openSync(this.#filler, 'a');
    try {
      for (let size = 1 << 20; size >= 1; size >>= 1) writeUntilFull(descriptor, Buffer.alloc(size));
    } finally {
      closeSync(descriptor);
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  /** Makes all further writes fail. */
  makeReadOnly(): void {
    if (!runAsSuperuser('mount', '-o', 'remount,ro', this.path))
      throw new Error('the disk could not be made read-only');
  }

  /** Allows writes again. */
  makeWritable(): void {
    if (!runAsSuperuser('mount', '-o', 'remount,rw', this.path))
      throw new Error('the disk could not be made writable');
  }

  remove(): void {
    runAsSuperuser('umount', '-l', this.path);
    rmSync(this.path, { recursive: true, force: true });
  }

  get #filler(): string {
    return join(this.path, 'filler');
  }
}

function runAsSuperuser(...command: readonly [string, ...string[]]): boolean {
  const asSuperuser = process.getuid?.() === 0 ? command : (['sudo', '-n', ...command] as const);
  const [program, ...programArguments] = asSuperuser;
  try {
    execFileSync(program, programArguments, { stdio: 'ignore', timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

function writeUntilFull(descriptor: number, bytes: Buffer): void {
  try {
    while (writeSync(descriptor, bytes) === bytes.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
