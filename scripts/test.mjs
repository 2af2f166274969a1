// `npm test`: everything that can be tested without a display or an account. The output ends with the name and cause of
// each failure, and the numbers of passed and failed tests. testArguments.mjs lists the arguments.
import { Advice, duration } from './progress.mjs';
import { underPinnedNode } from './setup.mjs';
import { readTestArguments } from './testArguments.mjs';

await underPinnedNode(import.meta.url, async () => {
  const { parts, startDownloads, sum } = await import('./testParts.mjs');
  const { wanted, skipped, selection } = readTestArguments(process.argv.slice(2), Object.keys(parts));
  const counts = [];
  startDownloads(wanted);
  console.log(
    `Random tests use the seed ${selection.seed}. Use --seed NUMBER to repeat a run or to try another seed.`,
  );
  for (const name of wanted) {
    counts.push(await runPart(name, () => parts[name](selection)));
  }
  const total = sum(counts);
  if (total.passed + total.failed === 0) {
    console.log('\nNo test matches the arguments.');
    total.failed = 1;
  }
  if (skipped.length) console.log(`\nSkipped by --skip: ${skipped.join(', ')}`);
  if (total.failures.length)
    console.log(`\nFailed:\n${total.failures.map((name) => `  ${name}`).join('\n')}`);
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 ? 1 : 0;
});

/** A part that could not run counts as one failure. */
async function runPart(name, run) {
  const started = performance.now();
  console.log(`\n── ${name} ${'─'.repeat(40 - name.length)}`);
  const counts = await run().catch((error) => {
    console.error(`\n${error instanceof Advice ? error.message : error.stack}\n`);
    return { passed: 0, failed: 1, failures: [name] };
  });
  console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed (${duration(started)})`);
  return counts;
}
