import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { clientPrograms, hiddenCredential } from '../../../../src/host/gateway/local/clientSettings.ts';

const target = { baseUrl: 'http://127.0.0.1:21000', model: 'demo/chat' };
const credential = 'canary-credential';

/** The addresses that a text names. */
function addressesIn(text: string): readonly string[] {
  return text.match(/http:\/\/[^'"\s]+/g) ?? [];
}

describe('the settings for other programs', () => {
  it('exist for SDKs and command-line programs', () => {
    assert.deepEqual(
      clientPrograms.map(({ name }) => name),
      [
        'OpenAI SDK for Python',
        'OpenAI SDK for JavaScript',
        'Anthropic SDK for Python',
        'Anthropic SDK for JavaScript',
        'Google Gen AI SDK for Python',
        'Google Gen AI SDK for JavaScript',
        'curl',
        'Claude Code',
        'Codex',
        'Gemini CLI',
        'Continue',
        'Aider',
      ],
    );
  });

  for (const { name, settings } of clientPrograms) {
    it(`for ${name} contain the address, the model, and the credential only if it is given`, () => {
      const without = settings(target);
      assert.ok(without.includes('demo/chat'));
      assert.ok(without.includes(hiddenCredential));
      assert.equal(settings({ ...target, credential }), without.replaceAll(hiddenCredential, credential));
      for (const address of addressesIn(without)) assert.equal(new URL(address).origin, target.baseUrl);
      assert.ok(addressesIn(without).length > 0);
    });
  }

  it('contain the base address that each program appends its own paths to', () => {
    const expected: Readonly<Record<string, string>> = {
      'openai-sdk': '/v1',
      'anthropic-sdk': '',
      'google-sdk': '',
      curl: '/v1/chat/completions',
      'claude-code': '',
      codex: '/v1',
      'gemini-cli': '',
      continue: '/v1',
      aider: '/v1',
    };
    for (const { id, settings } of clientPrograms)
      assert.deepEqual(
        addressesIn(settings(target)),
        [`${target.baseUrl}${expected[id.replace(/-js$/, '')]}`],
        id,
      );
  });

  it('are a complete file for Continue, with a name, a version and a schema', () => {
    const text = clientPrograms.find(({ id }) => id === 'continue')?.settings(target) ?? '';
    const members = text.split('\n').flatMap((line) => /^(\w+):/.exec(line)?.[1] ?? []);
    assert.deepEqual(members, ['name', 'version', 'schema', 'models']);
  });

  it('are PowerShell commands on Windows', () => {
    for (const { id, pasteTarget, settings } of clientPrograms) {
      const text = settings({ ...target, credential, shell: 'powershell' });
      assert.deepEqual(addressesIn(text), addressesIn(settings(target)), id);
      if (pasteTarget !== 'python') assert.doesNotMatch(text, /^(?:# .*)?(?:export|unset) /m, id);
      if (pasteTarget === 'terminal') assert.ok(text.includes(` = '${credential}'`), id);
    }
    const getSettings = (id: string, model: string) =>
      clientPrograms.find((each) => each.id === id)?.settings({ ...target, model, shell: 'powershell' });
    assert.match(
      getSettings('aider', `x'; echo $(id)`) ?? '',
      /^aider --model 'openai\/x''; echo \$\(id\)'$/m,
    );
    assert.match(getSettings('curl', 'm') ?? '', /^curl\.exe /m);
    assert.match(getSettings('claude-code', 'm') ?? '', /^Remove-Item Env:ANTHROPIC_API_KEY/m);
  });

  it('escape model ids, so that none ends the string around it', () => {
    const model = `x'; echo "$(id)" \\ \n# "y`;
    for (const { id, settings, pasteTarget } of clientPrograms) {
      const text = settings({ ...target, model });
      if (pasteTarget !== 'terminal') {
        assert.ok(text.includes(JSON.stringify(model).slice(1, -1)), id);
        continue;
      }
      // The shell itself parses the words. Functions that print their arguments replace the programs.
      const programs = ['curl', 'claude', 'gemini', 'aider'].map(
        (each) => `${each}() { printf '%s\\0' "$@"; }`,
      );
      const seen = execFileSync('sh', ['-c', `${programs.join('\n')}\n${text}\nenv -0`], {
        encoding: 'utf8',
      });
      const words = seen.split('\0').map((word) => word.replace(/^[A-Z_]+=/, '').replace(/^openai\//, ''));
      const bodies = words.map((word) => (word.startsWith('{') ? JSON.parse(word).model : word));
      assert.ok(bodies.includes(model), id);
      assert.equal(seen.includes('uid='), false, id);
    }
  });
});
