import { globSync } from 'node:fs';
import { join } from 'node:path';

const timeoutMs = 60_000;

/**
 * Called by VS Code inside its extension host: runs the bundled tests in this folder. scripts/hostTests.mjs passes
 * its options in the environment.
 */
export async function run(): Promise<void> {
  const { default: Mocha } = await import('mocha');
  const {
    MODEL_GATEWAY_TEST_REPORTER: reporter,
    MODEL_GATEWAY_TEST_FILES: files,
    MODEL_GATEWAY_TEST_GREP: grep,
  } = process.env;
  const mocha = new Mocha({ ui: 'bdd', color: false, forbidOnly: true, timeout: timeoutMs, reporter, grep });
  const chosen = files?.split(',') ?? globSync('**/*.test.js', { cwd: __dirname });
  for (const file of chosen) mocha.addFile(join(__dirname, file));
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
