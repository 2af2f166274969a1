import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../../src/localGateway/config/configError.ts';
import { keptCredential, replaceCredential } from '../../../../src/localGateway/config/credentialFile.ts';

describe('the file of the credential', function () {
  this.timeout(20_000);
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'credential-'));
    path = join(folder, 'credential');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const silent = (line: string) => assert.fail(line);

  it('is made once, for the user alone, and read from then on', () => {
    const credential = keptCredential(path, silent);
    assert.equal(Buffer.from(credential, 'base64url').length, 32);
    assert.equal(keptCredential(path, silent), credential);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder).sort(), ['credential', 'credential.lock']);
  });

  it('is replaced when asked, whatever it holds', () => {
    const first = keptCredential(path, silent);
    const second = replaceCredential(path);
    assert.notEqual(second, first);
    assert.equal(keptCredential(path, silent), second);
    writeFileSync(path, 'two words');
    assert.throws(() => keptCredential(path, silent), ConfigError);
    assert.equal(readFileSync(path, 'utf8'), 'two words', 'nothing is replaced unasked');
    assert.equal(replaceCredential(path).length, 43);
  });

  it('is closed to others where they could read it, which is told', () => {
    const credential = keptCredential(path, silent);
    chmodSync(path, 0o644);
    const notices: string[] = [];
    assert.equal(
      keptCredential(path, (line) => notices.push(line)),
      credential,
    );
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.match(notices.join(), /--new-credential/);
    assert.ok(!notices.join().includes(credential));
  });

  it('is the same for processes that start at once, none of which reads half of it', async () => {
    const program = `
      import { keptCredential } from ${JSON.stringify(join(process.cwd(), 'src/localGateway/config/credentialFile.ts'))};
      process.stdout.write(keptCredential(process.argv[1], () => {}));`;
    const told = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', program, path]);
        let said = '';
        child.stdout.on('data', (text) => {
          said += text;
        });
        const [code] = await once(child, 'close');
        return code === 0 ? said : `ended with ${code}`;
      }),
    );
    assert.deepEqual([...new Set(told)], [keptCredential(path, silent)]);
  });
});
