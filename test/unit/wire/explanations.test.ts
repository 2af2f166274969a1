import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../../scripts/root.mjs';
import {
  explain,
  formatExplanation,
  inEnglish,
  readExplanation,
  type SentenceArgs,
  type SentenceId,
} from '../../../src/wire/explanations/explanation.ts';
import { sentences } from '../../../src/wire/explanations/sentences.ts';
import { GatewayError } from '../../../src/wire/failures/gatewayError.ts';

const home = fileURLToPath(root);

/** One value for each placeholder that a sentence may have. */
const examples: SentenceArgs = {
  host: 'gateway.example:443',
  proxy: 'proxy.example:3128',
  target: 'https://other.example',
  address: 'https://gateway.example',
  gateway: 'work',
  cause: 'It broke.',
  member: 'choices',
  mimeType: 'text/plain',
  limit: 'Lunch money',
  used: '$4',
  allowed: '$5',
  needed: '$2',
  resets: 'tomorrow',
  header: 'x-organization',
  tool: 'weather',
  file: 'a.ts',
  folder: '/films',
  code: 'EIO',
  status: 503,
  httpStatus: 503,
  waitMs: 3000,
  timeoutMs: 1500,
  maxBytes: 4_000_000_000,
  neededBytes: 3_000_000,
  receivedBytes: 2_000_000,
  freeBytes: 1_000_000,
  size: 1,
  announcedSize: 2,
  maxMiB: 16,
  maxLength: 1024,
  count: 3,
  version: 2,
};

function createExplanations() {
  const ids = Object.keys(sentences) as readonly SentenceId[];
  return ids.map((id) => readExplanation({ id, args: examples }));
}

/** The files that match `pattern`, without the tables of sentences and without comment lines. */
function readCode(pattern: string): readonly (readonly [file: string, text: string])[] {
  const files = globSync(pattern, { cwd: home }).map((file) => file.replaceAll('\\', '/'));
  return files
    .filter((file) => !file.endsWith('explanations/sentences.ts'))
    .map((file) => {
      const lines = readFileSync(new URL(file, root), 'utf8').split('\n');
      return [file, lines.filter((line) => !/^\s*(?:\/[/*]|\*)/.test(line)).join('\n')] as const;
    });
}

describe('an explanation of a failure', () => {
  it('is English in the error, and is stored without a language', () => {
    const explanation = explain('connect-timeout', { host: 'gateway.example:443', timeoutMs: 10_000 });
    const error = new GatewayError({
      kind: 'unreachable',
      explanation,
      requestedAt: new Date(0),
      requestId: 'r',
    });
    assert.equal(
      error.message,
      'Could not connect to gateway.example:443 within 10 s: check the address, the network and the proxy.',
    );
    assert.deepEqual(readExplanation(JSON.parse(JSON.stringify(error.explanation))), explanation);
  });

  it('can be translated, including the proxy', () => {
    const host = { host: 'gateway.example', proxy: 'proxy.example:3128' };
    const german: Readonly<Record<string, string>> = {
      [sentences['connection-refused']]: '{host} lehnt Verbindungen ab.',
      [sentences['host-through-proxy']]: '{host} (über den Proxy {proxy})',
    };
    const sentence = formatExplanation(explain('connection-refused', { host }), (template, words) =>
      (german[template] ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => words[name] ?? ''),
    );
    assert.equal(sentence, 'gateway.example (über den Proxy proxy.example:3128) lehnt Verbindungen ab.');
  });

  it('inserts values of any content unchanged', () => {
    const cause = '{gateway} $& {cause} $1';
    assert.equal(
      inEnglish(explain('gateway-not-started', { gateway: '{cause}', cause })),
      `{cause} did not start. ${cause}`,
    );
  });

  it('contains a status only if one is known', () => {
    const sentence = (httpStatus?: number) => inEnglish(explain('quota-used-up', { httpStatus }));
    assert.match(sentence(402), /left \(HTTP 402\): top it up/);
    assert.match(sentence(), /left: top it up/);
  });

  it('uses only the values of its placeholders, not other stored members', () => {
    const host = { host: 'gateway.example', proxy: 'proxy.example:3128', hops: 2 };
    const read = readExplanation({ id: 'connection-refused', args: { host, tries: 3 } });
    assert.ok(read);
    const filled: unknown[] = [];
    formatExplanation(read, (template, words) => {
      filled.push(...Object.values(words));
      return template;
    });
    assert.deepEqual(filled, [host.host, host.proxy, sentences['host-through-proxy']]);
  });

  it('is not read if its sentence is unknown or its values are invalid', () => {
    for (const value of [
      undefined,
      'connect-timeout',
      { id: 'unheard-of', args: {} },
      { id: 'toString', args: {} },
      { id: 'connect-timeout' },
      { id: 'connect-timeout', args: { host: 'gateway.example' } },
      { id: 'connect-timeout', args: { host: 'gateway.example', timeoutMs: 'ten' } },
      { id: 'connect-timeout', args: { host: { host: 1 }, timeoutMs: 10 } },
    ]) {
      assert.equal(readExplanation(value), undefined, JSON.stringify(value));
    }
  });
});

describe('the sentences about failures and omissions', () => {
  it('are all different', () => {
    const texts = Object.values(sentences);
    assert.equal(new Set(texts).size, texts.length);
  });

  it('have all placeholders filled, with numbers and units', () => {
    for (const [index, explanation] of createExplanations().entries()) {
      assert.ok(
        explanation,
        `${Object.keys(sentences)[index]} has a placeholder that is missing in SentenceArgs`,
      );
      assert.doesNotMatch(inEnglish(explanation), /[{}]|undefined|NaN|\[object/);
    }
    const wait = explain('rate-limited-for', { httpStatus: 429, waitMs: 3000 });
    assert.match(inEnglish(wait), /\(HTTP 429\): try again in 3 s\./);
    assert.match(inEnglish(explain('file-too-large', { maxBytes: 4e9 })), /limit of 4\.0 GB:/);
    assert.match(inEnglish(explain('file-too-large', { maxBytes: 1_500_000 })), /limit of 2 MB:/);
    const silent = explain('idle-timeout', { host: 'gateway.example', timeoutMs: 1500 });
    assert.match(inEnglish(silent), /for 1500 ms /);
  });

  it('are all used', () => {
    const used = readCode('src/**/*.ts')
      .map(([, text]) => text)
      .join('\n');
    const unused = Object.keys(sentences).filter((id) => !used.includes(`'${id}'`));
    assert.deepEqual(
      unused,
      [],
      'explain by these where a failure arises, or remove them from the tables in src/wire/explanations',
    );
  });

  it('are not written anywhere else in client and wire', () => {
    // Excluded files: descriptions in request schemas are help for a form. Code that writes and reads requests
    // writes text for models. Errors and task records of the local gateway are for any program. The check of
    // Node runs before everything else.
    const others =
      /\/(schema|tasks|writeRequest|readRequest|customTools|receivedTools|writeReply|replyForm|requiredNode)\.ts$/;
    const sentence = /(['"`])(?:[A-Z]|\$\{)[^'"`\n]*(?: [^'"`\n]*){2}[.!?:]\1/g;
    const found = readCode('src/{client,wire}/**/*.ts')
      .filter(([file]) => !others.test(file))
      .flatMap(([file, text]) => (text.match(sentence) ?? []).map((literal) => `${file}: ${literal}`));
    assert.deepEqual(found, [], 'give them an id in a table of src/wire/explanations');
  });

  it('are translated in one place of host', () => {
    const words = /\b(?:formatExplanation|inEnglish)\(|\bproblem\??\.message\b/;
    const found = readCode('src/host/**/*.ts').filter(([, text]) => words.test(text));
    assert.deepEqual(
      found.map(([file]) => file),
      ['src/host/kit/explanationWords.ts'],
      'use explanationWords or problemWords of src/host/kit/explanationWords.ts',
    );
  });
});
