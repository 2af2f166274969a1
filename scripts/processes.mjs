// Child processes: run one to its end, or start one that is ended with all its descendants. Only built-in modules
// of Node 18: the first install runs this.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Advice } from './progress.mjs';

const windows = process.platform === 'win32';

/** @type {Set<import('node:child_process').ChildProcess>} groups that must not outlive this process */
const startedGroups = new Set();

const endingSignals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs a command to its end and returns its output. Prints nothing; if the command fails, the error contains the
 * output.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export async function run(file, args, options = {}) {
  const child = spawn(...quoteForShell(file, args), {
    ...options,
    shell: needsShell(file),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const code = await waitForEnd(child, file);
  if (code !== 0) throw new Advice(`${[file, ...args].join(' ')}\nended with ${code}:\n\n${output.trim()}`);
  return output;
}

/**
 * Runs a command on this terminal and returns its exit code. A signal to end this process is forwarded to the
 * command; when the command ends, this process ends too.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, heldBack?: boolean }} [options] `heldBack` prints the output
 * when the command has ended, so that several commands can be parallel
 * @returns {Promise<number>}
 */
export async function runHere(file, args, { heldBack = false, ...options } = {}) {
  const child = spawn(file, args, { ...options, stdio: heldBack ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
  /** @type {Buffer[]} */
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => printed.push(bytes));
  const forwardSignal = () => {
    child.once('exit', (code) => process.exit(code ?? 1));
    child.kill('SIGTERM');
  };
  for (const signal of endingSignals) process.on(signal, forwardSignal);
  try {
    return await waitForEnd(child, file);
  } finally {
    for (const signal of endingSignals) process.off(signal, forwardSignal);
    process.stdout.write(Buffer.concat(printed));
  }
}

/**
 * Starts a command as the leader of its own process group, so that `stopGroup` reaches all it starts.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function startGroup(file, args, options) {
  installExitHandlers();
  const child = spawn(...quoteForShell(file, args), {
    ...options,
    shell: needsShell(file),
    detached: !windows,
  });
  startedGroups.add(child);
  return child;
}

/**
 * Ends a process of `startGroup` and everything it started, by force after `patienceMs`, and waits for it.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
export async function stopGroup(child, patienceMs = 5_000) {
  if (isRunning(child)) {
    const exit = once(child, 'exit');
    signalGroup(child, 'SIGTERM');
    const force = setTimeout(() => signalGroup(child, 'SIGKILL'), patienceMs);
    await exit;
    clearTimeout(force);
  }
  signalGroup(child, 'SIGKILL');
  startedGroups.delete(child);
}

/**
 * Ends a process of `startGroup` and everything it started by force, and waits for it.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
export async function killGroup(child) {
  const exit = isRunning(child) ? once(child, 'exit') : undefined;
  signalGroup(child, 'SIGKILL');
  await exit;
  startedGroups.delete(child);
}

function isRunning(child) {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

let hasExitHandlers = false;

/** Ends the process groups first when this process ends, for example by Ctrl+C. */
function installExitHandlers() {
  if (hasExitHandlers) return;
  hasExitHandlers = true;
  process.on('exit', () => {
    for (const child of startedGroups) signalGroup(child, 'SIGKILL');
  });
  for (const signal of endingSignals) {
    process.on(signal, async () => {
      await Promise.all([...startedGroups].map((child) => stopGroup(child)));
      process.exit(process.exitCode ?? 1);
    });
  }
}

function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(windows ? child.pid : -child.pid, signal);
  } catch {
    // The group has already ended.
  }
}

async function waitForEnd(child, file) {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Advice(`Could not start ${file}: ${error.message}`)));
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
}

/** npm and VS Code are batch files on Windows, which only a shell can start. */
function needsShell(file) {
  return windows && (file === 'npm' || file === 'code');
}

/** @returns {[string, readonly string[]]} */
function quoteForShell(file, args) {
  return needsShell(file) ? [file, args.map((arg) => `"${arg}"`)] : [file, args];
}
