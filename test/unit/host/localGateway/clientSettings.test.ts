import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { clientPrograms, credentialPlaceholder } from '../../../../src/host/gateway/local/clientSettings.ts';

const target = { baseUrl: 'http://127.0.0.1:21000', model: 'demo/chat' };
const credential = 'canary-credential';

/** The addresses that a text names. */
function addressesIn(text: string): readonly string[] {
  return text.match(/http:\/\/[^'"\s]+/g) ?? [];
}

describe('the settings for other programs', () => {
  it('are there for SDKs and command-line programs', () => {
    assert.deepEqual(
      clientPrograms.map(({ name }) => name),
      [
        ...['OpenAI SDK for Python', 'OpenAI SDK for JavaScript', 'Anthropic SDK for Python'],
        ...[
          'Anthropic SDK for JavaScript',
          'Google Gen AI SDK for Python',
          'Google Gen AI SDK for JavaScript',
        ],
        ...['curl', 'Claude Code', 'Codex', 'Gemini CLI', 'Continue', 'Aider'],
      ],
    );
  });

  for (const { name, settings } of clientPrograms) {
    it(`for ${name} name the address, the model, and the credential only when it is given`, () => {
      const without = settings(target);
      assert.ok(without.includes('demo/chat'));
      assert.ok(without.includes(credentialPlaceholder));
      assert.equal(
        settings({ ...target, credential }),
        without.replaceAll(credentialPlaceholder, credential),
      );
      for (const address of addressesIn(without)) assert.equal(new URL(address).origin, target.baseUrl);
      assert.ok(addressesIn(without).length > 0);
    });
  }

  it('give each program the address that it appends its own paths to', () => {
    const expected: Readonly<Record<string, string>> = {
      ...{ 'openai-sdk': '/v1', 'anthropic-sdk': '', 'google-sdk': '', curl: '/v1/chat/completions' },
      ...{ 'claude-code': '', codex: '/v1', 'gemini-cli': '', continue: '/v1', aider: '/v1' },
    };
    for (const { id, settings } of clientPrograms)
      assert.deepEqual(
        addressesIn(settings(target)),
        [`${target.baseUrl}${expected[id.replace(/-js$/, '')]}`],
        id,
      );
  });

  it('are a whole file for Continue, which reads none without a name, a version and a schema', () => {
    const text = clientPrograms.find(({ id }) => id === 'continue')?.settings(target) ?? '';
    const members = text.split('\n').flatMap((line) => /^(\w+):/.exec(line)?.[1] ?? []);
    assert.deepEqual(members, ['name', 'version', 'schema', 'models']);
  });

  it('are commands of PowerShell on Windows', () => {
    for (const { id, place, settings } of clientPrograms) {
      const text = settings({ ...target, credential, shell: 'powershell' });
      assert.deepEqual(addressesIn(text), addressesIn(settings(target)), id);
      if (place !== 'python') assert.doesNotMatch(text, /^(?:# .*)?(?:export|unset) /m, id);
      if (place === 'terminal') assert.ok(text.includes(` = '${credential}'`), id);
    }
    const named = (id: string, model: string) =>
      clientPrograms.find((each) => each.id === id)?.settings({ ...target, model, shell: 'powershell' });
    assert.match(named('aider', `x'; echo $(id)`) ?? '', /^aider --model 'openai\/x''; echo \$\(id\)'$/m);
    assert.match(named('curl', 'm') ?? '', /^curl\.exe /m);
    assert.match(named('claude-code', 'm') ?? '', /^Remove-Item Env:ANTHROPIC_API_KEY/m);
  });

  it('let no id of a model end the text that it stands in', () => {
    const model = `x'; echo "$(id)" \\ \n# "y`;
    for (const { id, settings, place } of clientPrograms) {
      const text = settings({ ...target, model });
      if (place !== 'terminal') {
        assert.ok(text.includes(JSON.stringify(model).slice(1, -1)), id);
        continue;
      }
      // The shell itself says which words it reads; what would run is a function that prints them.
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
