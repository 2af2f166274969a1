// Mocha's `spec` reporter, which also writes its counts to a file for scripts/test.mjs. In an extension host,
// whose standard output is discarded, it also writes its lines to a file.
const { appendFileSync, renameSync, writeFileSync } = require('node:fs');
const { format } = require('node:util');
const { reporters } = require('mocha');

const { MODEL_GATEWAY_TEST_COUNTS: counts, MODEL_GATEWAY_TEST_OUTPUT: output } = process.env;
const exitTimeoutMs = 10_000;
/** The maximum number of lines of a failure's cause in the summary. */
const maxLines = 16;

if (output) reporters.Base.consoleLog = (...line) => appendFileSync(output, `${format(...line)}\n`);

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    /** @type {string[]} */
    const failures = [];
    runner.on('fail', (test, error) => failures.push(`${test.fullTitle()}\n${firstLinesOf(error)}`));
    runner.on('pending', (test) => failures.push(test.fullTitle()));
    runner.once('end', () => {
      if (counts) writeResult({ ...countsOf(this.stats), failures });
      if (!output) expectExit();
    });
  }
};

/** The cause, because CI stores only the end of a log. */
function firstLinesOf(error) {
  const lines = String(error?.stack ?? error).split('\n');
  return lines
    .slice(0, maxLines)
    .map((line) => `      ${line}`)
    .join('\n');
}

/** A skipped test has not passed. */
function countsOf({ passes, failures, pending }) {
  return { passed: passes, failed: failures + pending };
}

/** Atomic: the existence of the file means that the tests have ended. */
function writeResult(result) {
  writeFileSync(`${counts}.partial`, JSON.stringify(result));
  renameSync(`${counts}.partial`, counts);
}

/** A test that leaves a server or a timer open would keep this process alive for ever: that is a failure. */
function expectExit() {
  const reportOpenHandles = () => {
    console.error(
      `The tests have ended, but something is still open: ${process.getActiveResourcesInfo().join(', ')}`,
    );
    process.exit(1);
  };
  setTimeout(reportOpenHandles, exitTimeoutMs).unref();
}
