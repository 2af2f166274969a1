import { parseArgs } from 'node:util';
import { Advice } from './progress.mjs';

/** The same seed for every run, so that failures are reproducible. */
const usualSeed = '20260920';

/**
 * Parses the arguments of `npm test`: names of parts, test files (which imply their part), `--skip part,part`, and
 * `-g title` for the tests whose title matches, `--long` for the runs that take minutes, `--seed number` for
 * another seed of random runs.
 *
 * @param {string[]} args
 * @param {readonly string[]} known names of all parts, in their order
 */
export function readTestArguments(args, known) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      skip: { type: 'string', default: '' },
      grep: { type: 'string', short: 'g' },
      long: { type: 'boolean', default: false },
      seed: { type: 'string', default: usualSeed },
    },
  });
  if (!/^\d{1,10}$/.test(values.seed))
    throw new Advice(`--seed expects a whole number, not “${values.seed}”.`);
  const files = positionals.filter((word) => word.endsWith('.test.ts'));
  const named = positionals.filter((word) => !files.includes(word));
  const skipped = values.skip.split(',').filter(Boolean);
  const requested = [...named, ...files.map((file) => file.split('/')[1] ?? file)];
  const unknown = [...requested, ...skipped].find((part) => !known.includes(part));
  if (unknown) throw new Advice(`There is no test part “${unknown}”. The parts are: ${known.join(', ')}.`);
  return {
    wanted: known.filter(
      (part) => (requested.length === 0 || requested.includes(part)) && !skipped.includes(part),
    ),
    skipped,
    selection: { files, grep: values.grep, long: values.long, seed: values.seed },
  };
}
