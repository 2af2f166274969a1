import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import {
  extractCommands,
  extractScript,
  joinCommands,
  writeScriptAsOneLine,
} from '../../../src/host/chat/replies/terminalText.ts';
import { assertLinear } from '../../support/linearCost.ts';

describe('commands of a reply for a terminal', () => {
  const blocks: Readonly<
    Record<string, readonly [code: string, language: string, commands: readonly string[]]>
  > = {
    'one line': ['npm test\n', 'bash', ['npm test']],
    'several lines': ['npm ci\n\nnpm test\n', 'sh', ['npm ci', 'npm test']],
    comments: ['# first\nnpm ci # now\n', 'bash', ['npm ci # now']],
    prompts: ['$ ls -l\ntotal 0\n$ pwd\n/tmp\n', 'console', ['ls -l', 'pwd']],
    'a session with a command over several lines': [
      '$ rm -r \\\n> ./build \\\n  ./dist\nremoved\n$ ls\n',
      'console',
      ['rm -r ./build ./dist', 'ls'],
    ],
    'a session with a loop': [
      '$ for f in *; do\n>   echo $f\n> done\n> not typed\n$ ls\n> a\n',
      'console',
      ['for f in *; do', 'echo $f', 'done', 'not typed', 'ls'],
    ],
    'a command over several lines': [
      'curl -s \\\n  -o a \\\n  https://example.com\nls\n',
      'bash',
      ['curl -s -o a https://example.com', 'ls'],
    ],
    'a PowerShell command over several lines': ['Get-Item `\n  a\n', 'powershell', ['Get-Item a']],
    'a batch file': ['rem first\ndir ^\n /b\n', 'bat', ['dir /b']],
    'Windows line ends': ['npm ci\r\nnpm test\r', 'bash', ['npm ci', 'npm test']],
    'control characters': ['ls\u001b[201~\u0007\tx\u0003\u0004', 'bash', ['ls[201~ x']],
    'hidden characters': ['ls\u200b \u202ea', 'bash', ['ls a']],
    'line separators': ['ls\u2028rm a\u0085pwd', 'bash', ['ls', 'rm a', 'pwd']],
    'only comments': ['# only words\n\n', 'bash', []],
    'a line of 5,000 characters': ['x'.repeat(5000), 'bash', []],
    'a line of 5,000 characters before another': [`cd ${'x'.repeat(5000)}\nrm -r .\n`, 'bash', []],
  };
  for (const [name, [code, language, expected]] of Object.entries(blocks)) {
    it(`are read from ${name}`, () => assert.deepEqual(extractCommands(code, language), expected));
  }

  it('T19 do not contain control characters', () => {
    const characters = fc.constantFrom(
      ...'ab $\\`^#\'"\n\r\t\u001b\u0003\u0004\u007f\u0085\u009b\u2028\u2029\u202e\u200b',
    );
    fc.assert(
      fc.property(
        fc.array(characters, { maxLength: 40 }),
        fc.constantFrom('bash', 'pwsh', 'cmd'),
        (all, language) => {
          const commands = extractCommands(all.join(''), language);
          const joined = joinCommands(commands, language);
          for (const line of [...commands, ...(joined === undefined ? [] : [joined])]) {
            assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\u202e\u200b]/u);
            assert.notEqual(line, '');
          }
        },
      ),
    );
  });

  it('are joined only if each is a complete command', () => {
    assert.equal(joinCommands(['npm ci', 'npm test'], 'bash'), 'npm ci && npm test');
    assert.equal(joinCommands(['Get-Item a', 'pwd'], 'pwsh'), 'Get-Item a; pwd');
    for (const commands of [
      ['npm ci'],
      ['for a in *; do', 'echo a', 'done'],
      ['cat <<EOF', 'a', 'EOF'],
      ["echo 'a", "b'"],
      ['ls |', 'wc'],
      ['server &', 'curl x'],
      ['f() {', 'ls', '}'],
      ['ls # all of it', 'rm -r build'],
      ['cd build', 'test -e x || rm -r out'],
    ]) {
      assert.equal(joinCommands(commands, 'bash'), undefined, commands.join());
    }
  });

  const scripts: readonly string[] = [
    'for n in 1 2; do\n\techo "n $n"\ndone\n',
    "cat <<'EOF'\nit's \\n a \\\\ $HOME `x` 50% !! 'a!'\n\tb\nEOF\n",
    "f() {\n  echo 'one' # two\n}\nf\nif true; then echo \"it's\"; fi",
  ];
  it('T19 are one line with the same effect as all lines together', function () {
    // Starting a program is slow if this process is large and the machine is busy.
    this.timeout(60_000);
    const inOneShell = (parts: readonly string[]) => parts.join('\necho next\n');
    for (const shell of ['bash', 'sh']) {
      const run = (code: string) => spawnSync(shell, ['-c', code], { encoding: 'utf8' }).stdout;
      const expected = run(inOneShell(scripts));
      assert.equal(expected.split('next\n').filter((output) => output !== '').length, scripts.length);
      const lines = scripts.map((script) => writeScriptAsOneLine(script, shell) ?? '');
      assert.equal(run(inOneShell(lines)), expected, shell);
    }
  });

  it('are a script without the prompts and the output of a session', () => {
    const session = "$ cat > a <<'EOF'\n> if a:\n>   b\n> EOF\n$ cat a\nif a:\n  b\n";
    assert.equal(extractScript(session, 'console'), "cat > a <<'EOF'\nif a:\n  b\nEOF\ncat a");
    assert.equal(extractScript('if a\n  b\nfi', 'sh'), 'if a\n  b\nfi');
  });

  it('T19 are one line without control characters, or undefined in a shell that does not support it', () => {
    const code = fc.string({
      unit: fc.constantFrom(...'a \\\'"!$`’\n\r\t\u001b\u0003\u007f\u0085\u009b\u2028\u202e'),
    });
    fc.assert(
      fc.property(
        code,
        fc.constantFrom('bash', 'zsh', 'gitbash', 'ksh', 'sh', 'fish', 'pwsh'),
        (text, shell) => {
          const line = writeScriptAsOneLine(text, shell) ?? '';
          assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
          if (/^(?:bash|zsh|gitbash)$/.test(shell)) assert.match(line, /^eval \$'[^'!]*'$/);
          if (/^(?:ksh|sh)$/.test(shell)) assert.match(line, /^eval "\$\(printf %b '[^'!]*'\)"$/);
        },
      ),
    );
    for (const shell of ['cmd', 'csh', 'nu', 'constructor', undefined]) {
      assert.equal(writeScriptAsOneLine('if x; then\n y\nfi', shell), undefined);
    }
    assert.equal(
      writeScriptAsOneLine("echo 'a\\\\'\n\tb", 'fish'),
      String.raw`eval 'echo \'a\\\\\''\n''\t'b'`,
    );
    assert.equal(
      writeScriptAsOneLine("a ’b’\n'c'", 'pwsh'),
      "@('a ’’b’’','''c''') -join \"`n\" | Invoke-Expression",
    );
    assert.equal(writeScriptAsOneLine('x\n'.repeat(3000), 'bash'), undefined);
  });

  it('P9 are read in linear time', () => {
    assertLinear(
      (n) => 'a \\\n$ b `c\n'.repeat(n),
      (code) => extractCommands(code, 'bash'),
      1000,
    );
  });
});
