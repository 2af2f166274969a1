import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sentences } from '../../../../src/wire/explanations/sentences.ts';
import { importAll, readFixture } from '../../../support/importedConversations.ts';
import { countRepetitions } from '../../../support/longRuns.ts';

const fixtures = [
  'chatgpt.json',
  'chatgpt-voice.json',
  'claude.json',
  'open-webui.json',
  'open-webui-old.json',
  'librechat.json',
  'claude-tools.json',
  'open-webui-tools.json',
  'librechat-agents.json',
  'librechat-tree.json',
  'vscode.json',
  'vscode.jsonl',
  'sharegpt.json',
  'sharegpt.jsonl',
  'other.md',
];

async function assertKnownProblems(bytes: Uint8Array): Promise<void> {
  const { events } = await importAll(bytes);
  assert.ok(events.length > 0, 'nothing was reported');
  for (const event of events) if (event.type === 'problem') assert.ok(event.problem.id in sentences);
}

describe('importing any bytes', () => {
  it('does not throw for bytes that begin like a known format', async () => {
    const begins = ['', '[', '{', '[{"mapping":', '---\n', 'PK\x03\x04', '{"kind":0,"v":', '\ufeff[{'];
    const own = '{"format":"model-gateway-conversations","version":1}\n{"type":"conversation","messages":1,';
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...begins, own),
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.json().map((text) => Buffer.from(text)),
        ),
        async (begin, rest) => assertKnownProblems(Buffer.concat([Buffer.from(begin, 'latin1'), rest])),
      ),
      { numRuns: countRepetitions(1_000) },
    );
  });

  it('does not throw for files of programs with changed bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fixtures),
        fc.nat(),
        fc.constantFrom(
          'null',
          '[]',
          '{}',
          '7',
          '"',
          '}',
          ']',
          ',',
          '\\',
          '1e999',
          '\0',
          '"__proto__"',
          'true',
          '',
        ),
        fc.nat({ max: 30 }),
        async (name, place, instead, length) => {
          const text = readFixture(name).toString('latin1');
          const at = place % text.length;
          await assertKnownProblems(
            Buffer.from(text.slice(0, at) + instead + text.slice(at + length), 'latin1'),
          );
        },
      ),
      { numRuns: countRepetitions(1_000) },
    );
  });

  it('does not throw for files of programs with a changed value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fixtures.filter((name) => name.endsWith('.json'))),
        fc.nat(),
        fc.jsonValue(),
        async (name, place, value) => {
          const file: unknown = JSON.parse(readFixture(name).toString());
          await assertKnownProblems(Buffer.from(JSON.stringify(withOther(file, place, value))));
        },
      ),
      { numRuns: countRepetitions(1_000) },
    );
  });

  it('imports files of programs whose kinds or ids are objects without a text form', async () => {
    for (const name of fixtures.filter((each) => each.endsWith('.json'))) {
      const file: unknown = JSON.parse(readFixture(name).toString());
      for (const member of ['id', 'kind', 'type', 'content_type']) {
        const text = JSON.stringify(file, (key, value) => (key === member ? { toString: 1 } : value));
        const { conversations } = await importAll(text);
        assert.ok(conversations.length > 0, `${member} in ${name}`);
      }
    }
  });

  it('returns all complete conversations before a cut, and reports one problem', async () => {
    const file = readFixture('claude.json');
    const complete = await importAll(file);
    const starts = complete.events.map(({ location }) => location.byte ?? 0);
    // The last conversation of the file has no messages, which is a separate problem.
    const third = starts[2] ?? 0;
    for (let length = 1; length < third; length += 7) {
      const { conversations, problems } = await importAll(file.subarray(0, length));
      const ended = starts
        .slice(1, 3)
        .filter((start) => file.subarray(0, start).lastIndexOf('}') < length).length;
      assert.equal(conversations.length, ended, `${length} bytes`);
      assert.deepEqual(conversations, complete.conversations.slice(0, ended));
      assert.equal(problems.length, 1, `${length} bytes`);
      assert.match(problems[0] ?? '', /^import-cut/);
    }
  });

  it('has the same result however the bytes arrive', async () => {
    const { importConversations } = await import(
      '../../../../src/conversations/formats/importConversations.ts'
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fixtures), fc.integer({ min: 1, max: 700 }), async (name, size) => {
        const file = readFixture(name);
        async function* pieces() {
          for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
        }
        const events = [];
        for await (const event of importConversations(pieces(), { now: 1 })) events.push(event);
        assert.deepEqual(events, (await importAll(file)).events);
      }),
      { numRuns: countRepetitions(200) },
    );
  });
});

/** A copy of the value in which `other` replaces the part at `place`. */
function withOther(value: unknown, place: number, other: unknown): unknown {
  let remaining = place % countValues(value);
  const visit = (each: unknown): unknown => {
    if (remaining-- === 0) return other;
    if (Array.isArray(each)) return each.map(visit);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, visit(inner)]));
  };
  return visit(value);
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1);
}
