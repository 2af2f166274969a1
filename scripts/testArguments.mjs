import { parseArgs } from 'node:util';
import { Advice } from './progress.mjs';

/** The same for all, so that a test that fails fails again. */
const usualSeed = '20260920';

/**
 * What `npm test` was asked for: names of parts, test files (which imply their part), `--skip part,part`, and
 * `-g title` for the tests whose title matches, `--long` for the runs that take minutes, `--seed number` for
 * other random runs than the usual ones.
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
  if (!/^\d{1,10}$/.test(values.seed)) throw new Advice(`“${values.seed}” is no seed: it is a whole number.`);
  const files = positionals.filter((word) => word.endsWith('.test.ts'));
  const named = positionals.filter((word) => !files.includes(word));
  const skipped = values.skip.split(',').filter(Boolean);
  const asked = [...named, ...files.map((file) => file.split('/')[1] ?? file)];
  const strange = [...asked, ...skipped].find((part) => !known.includes(part));
  if (strange) throw new Advice(`“${strange}” is no part of the tests. There are: ${known.join(', ')}.`);
  return {
    wanted: known.filter((part) => (asked.length === 0 || asked.includes(part)) && !skipped.includes(part)),
    skipped,
    selection: { files, grep: values.grep, long: values.long, seed: values.seed },
  };
}
