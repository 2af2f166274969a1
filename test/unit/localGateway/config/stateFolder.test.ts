import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { findDefaultStateFolder, openStateFolder } from '../../../../src/localGateway/config/stateFolder.ts';

describe('the state folder', () => {
  const home = join('/', 'home', 'someone');
  const table: readonly (readonly [NodeJS.Platform, NodeJS.ProcessEnv, readonly string[]])[] = [
    ['linux', {}, [home, '.local', 'state']],
    ['linux', { XDG_STATE_HOME: '/state' }, ['/state']],
    ['linux', { XDG_STATE_HOME: 'not/absolute' }, [home, '.local', 'state']],
    ['darwin', { XDG_STATE_HOME: '/state' }, [home, 'Library', 'Application Support']],
    ['win32', { LOCALAPPDATA: '/local' }, ['/local']],
    ['win32', {}, [home, 'AppData', 'Local']],
  ];
  for (const [platform, env, folder] of table) {
    it(`is in the user’s folder for state by default: ${platform} ${JSON.stringify(env)}`, () =>
      assert.equal(findDefaultStateFolder(platform, env, home), join(...folder, 'model-gateway')));
  }

  it('has absolute paths, even if the option is relative to the working directory', () => {
    const folder = mkdtempSync(join(tmpdir(), 'state-of-test-'));
    try {
      const { path, credential } = openStateFolder(relative(process.cwd(), folder));
      assert.ok(isAbsolute(path) && isAbsolute(credential));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
