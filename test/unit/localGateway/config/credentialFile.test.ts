import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../../src/localGateway/config/configSchema.ts';
import {
  readOrCreateCredential,
  replaceCredential,
} from '../../../../src/localGateway/config/credentialFile.ts';

describe('the credential file', function () {
  this.timeout(20_000);
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'credential-'));
    path = join(folder, 'credential');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const silent = (line: string) => assert.fail(line);

  it('is created once, readable only by the user, and then reused', () => {
    const credential = readOrCreateCredential(path, silent);
    assert.equal(Buffer.from(credential, 'base64url').length, 32);
    assert.equal(readOrCreateCredential(path, silent), credential);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder).sort(), ['credential', 'credential.lock']);
  });

  it('is replaced on request for any content', () => {
    const first = readOrCreateCredential(path, silent);
    const second = replaceCredential(path);
    assert.notEqual(second, first);
    assert.equal(readOrCreateCredential(path, silent), second);
    writeFileSync(path, 'two words');
    assert.throws(() => readOrCreateCredential(path, silent), ConfigError);
    assert.equal(readFileSync(path, 'utf8'), 'two words', 'nothing is replaced without a request');
    assert.equal(replaceCredential(path).length, 43);
  });

  it('is closed to other users, with a warning, if they could read it', () => {
    const credential = readOrCreateCredential(path, silent);
    chmodSync(path, 0o644);
    const notices: string[] = [];
    assert.equal(
      readOrCreateCredential(path, (line) => notices.push(line)),
      credential,
    );
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.match(notices.join(), /--new-credential/);
    assert.ok(!notices.join().includes(credential));
  });

  it('holds one credential for processes that start at the same time', async () => {
    const program = `
      import { readOrCreateCredential } from ${JSON.stringify(join(process.cwd(), 'src/localGateway/config/credentialFile.ts'))};
      process.stdout.write(readOrCreateCredential(process.argv[1], () => {}));`;
    const results = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', program, path]);
        let output = '';
        child.stdout.on('data', (text) => {
          output += text;
        });
        const [code] = await once(child, 'close');
        return code === 0 ? output : `ended with ${code}`;
      }),
    );
    assert.deepEqual([...new Set(results)], [readOrCreateCredential(path, silent)]);
  });
});
