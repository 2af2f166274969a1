// Progress output of the commands: one line for each step.

const slowAfterMs = 2_000;

/**
 * Runs one step and prints one line for it: its title, its duration, and the note that the step made
 * (`say('already there')`), if any. A long step prints its title first.
 *
 * @template T
 * @param {string} title
 * @param {(say: (note: string) => void) => Promise<T> | T} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const started = performance.now();
  let note = '';
  const announce = setTimeout(() => console.log(`  … ${title}`), slowAfterMs);
  try {
    const result = await work((words) => {
      note = words;
    });
    console.log(`  ✓ ${title}${note && `: ${note}`} (${duration(started)})`);
    return result;
  } catch (error) {
    console.log(`  ✗ ${title} (${duration(started)})`);
    throw error;
  } finally {
    clearTimeout(announce);
  }
}

/**
 * The time since `started` (of `performance.now()`) as text.
 *
 * @param {number} started
 */
export function duration(started) {
  const seconds = (performance.now() - started) / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A failure whose message advises the user; it needs no stack trace. */
export class Advice extends Error {}

/**
 * Runs a command's main function; on failure prints the error and sets the exit code.
 *
 * @param {() => Promise<void>} main
 */
export async function command(main) {
  try {
    await main();
  } catch (error) {
    console.error(`\n${error instanceof Advice ? error.message : (error?.stack ?? error)}`);
    process.exitCode = 1;
  }
}
