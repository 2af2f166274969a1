import { join } from 'node:path';

const timeoutMs = 60_000;

/**
 * Called by VS Code inside its extension host: runs bundled tests. The scripts pass the files and other options in the
 * environment.
 */
export async function run(): Promise<void> {
  const { default: Mocha } = await import('mocha');
  const {
    MODEL_GATEWAY_TEST_REPORTER: reporter,
    MODEL_GATEWAY_TEST_FILES: files = '',
    MODEL_GATEWAY_TEST_GREP: grep,
  } = process.env;
  const mocha = new Mocha({ ui: 'bdd', color: false, forbidOnly: true, timeout: timeoutMs, reporter, grep });
  const home = join(__dirname, '..');
  for (const file of files.split(',')) mocha.addFile(join(home, file));
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
