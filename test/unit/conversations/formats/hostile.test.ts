import assert from 'node:assert/strict';
import type { PortableConversation } from '../../../../src/conversations/conversation/conversationRecord.ts';
import { importConversations } from '../../../../src/conversations/formats/importConversations.ts';
import {
  formatOutline,
  formatParts,
  importAll,
  readFixture,
} from '../../../support/importedConversations.ts';
import { assertLinearSteps } from '../../../support/linearCost.ts';

interface Node {
  readonly id: string;
  readonly parent?: unknown;
  readonly text?: unknown;
  readonly time?: unknown;
}

/** A conversation of ChatGPT with these messages. */
function chat(nodes: readonly Node[], others: object = {}): object {
  const mapping = nodes.map(({ id, parent = null, text = id, time = 1_700_000_000 }) => [
    id,
    {
      id,
      parent,
      message: {
        author: { role: 'user' },
        create_time: time,
        content: { content_type: 'text', parts: [text] },
      },
    },
  ]);
  return {
    id: 'chat',
    title: 'Chat',
    create_time: 1_700_000_000,
    mapping: Object.fromEntries(mapping),
    ...others,
  };
}

const fine = chat([{ id: 'fine' }], { id: 'fine', title: 'Fine' });

function titles(conversations: readonly PortableConversation[]): readonly string[] {
  return conversations.map(({ conversation }) => conversation.title);
}

describe('importing invalid files', () => {
  it('reports a file of an unknown format, an empty file and a file without conversations', async () => {
    for (const text of [
      'hello',
      '<html></html>',
      '{"a":1}',
      '[1, 2]',
      '"[{}]"',
      '[[{"mapping":{}}]]',
      '\0\0\0',
      '%PDF-1.7',
    ]) {
      assert.deepEqual((await importAll(text)).problems, ['import-unknown-format'], text);
    }
    assert.deepEqual((await importAll('')).problems, ['import-empty']);
    assert.deepEqual((await importAll(' \n ')).problems, ['import-empty']);
    assert.deepEqual((await importAll('[]')).problems, ['import-no-conversations']);
    assert.deepEqual((await importAll('[{"id":"x","conversation_id":"y"}]')).problems, [
      'import-unknown-format',
    ]);
    assert.deepEqual((await importAll('---\nno end')).problems, ['import-unknown-format']);
  });

  it('reports an invalid conversation, and imports the others', async () => {
    const broken = '{"id":"broken","title":"Broken one","mapping":{"a":{]}';
    const quoted = '{"id":"quoted","title":"He said "hi" there","mapping":{}}';
    const { conversations, problems } = await importAll(
      `[${JSON.stringify(fine)}, ${broken}, ${JSON.stringify(fine)}, ${quoted}, ${JSON.stringify(fine)}, 7, {"title":"Other"}, ]`,
    );
    assert.deepEqual(titles(conversations), ['Fine', 'Fine', 'Fine']);
    assert.deepEqual(problems, [
      'import-not-json #2 “Broken one”',
      'import-not-json #4 “He said ”',
      'import-not-a-conversation #6',
      'import-not-a-conversation #7 “Other”',
    ]);
  });

  it('reports faults before the first conversation once one is found', async () => {
    const { conversations, problems } = await importAll(`[null, {"a":}, ${JSON.stringify(fine)}] more`);
    assert.equal(conversations.length, 1);
    assert.deepEqual(problems, [
      'import-not-a-conversation #1',
      'import-not-json #2',
      'import-rest-unread #4',
    ]);
  });

  it('breaks cycles of messages', async () => {
    const { conversations, warnings } = await importAll([
      chat([
        { id: 'a', parent: 'c' },
        { id: 'b', parent: 'a' },
        { id: 'c', parent: 'b' },
        { id: 'self', parent: 'self' },
      ]),
    ]);
    assert.deepEqual(conversations.flatMap(formatOutline), [
      'a user: a',
      '  b user: b',
      '    c user: c',
      '* self user: self',
    ]);
    assert.deepEqual(warnings, ['Messages that formed a cycle, which was broken: 2.']);
  });

  it('starts a branch if the parent is missing, and follows parents instead of the order in the file', async () => {
    const { conversations, warnings } = await importAll([
      chat(
        [{ id: 'c', parent: 'b' }, { id: 'b', parent: 'a' }, { id: 'a' }, { id: 'lost', parent: 'nowhere' }],
        {
          current_node: 'c',
        },
      ),
    ]);
    assert.deepEqual(conversations.flatMap(formatOutline), [
      'a user: a',
      '  b user: b',
      '    * c user: c',
      'lost user: lost',
    ]);
    assert.deepEqual(warnings, [
      'Messages whose previous message is not in the file, and which now start a branch of their own: 1.',
    ]);
  });

  it('gives a new id to a message with a duplicate id', async () => {
    const message = (uuid: unknown, text: string) => ({ uuid, text, sender: 'human' });
    const { conversations, warnings } = await importAll([
      {
        uuid: 'c',
        name: 'Twice',
        chat_messages: [message('a', 'one'), message('a', 'two'), message(5, 'three')],
      },
    ]);
    const ids = conversations[0]?.messages.map(({ id }) => id);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(warnings, ['Messages with a duplicate ID that were given a new ID: 1.']);
  });

  it('imports titles unchanged: scripts, control characters, 10,000 characters', async () => {
    const hostile = ['<script>alert(1)</script>', '\u202egnp.exe\u0000\u0007', 'x'.repeat(10_000)];
    const { conversations, problems } = await importAll(
      hostile.map((title) => chat([{ id: 'a' }], { title })),
    );
    assert.deepEqual(titles(conversations), hostile);
    assert.deepEqual(problems, []);
  });

  it('replaces an invalid time by the time of a neighbour', async () => {
    const times = [Number.MAX_VALUE, -1, 'yesterday', {}, 'NaN', '9999999999999999999999', 0];
    const nodes = times.map((time, nth) => ({ id: `m${nth}`, parent: 'first', time }));
    const { conversations, warnings } = await importAll([chat([{ id: 'first' }, ...nodes])]);
    const all = conversations[0]?.messages.map(({ createdAt }) => createdAt);
    assert.deepEqual(new Set(all), new Set([1_700_000_000_000]));
    assert.deepEqual(warnings, [
      'Messages without a valid time that were given the time of an adjacent message: 7.',
    ]);
    const infinite = JSON.stringify([fine]).replaceAll('1700000000', '1e999');
    assert.equal((await importAll(infinite)).conversations[0]?.conversation.createdAt, 1);
  });

  it('treats names of the prototype as plain names', async () => {
    const text = JSON.stringify([
      chat([{ id: 'a' }, { id: 'proto', parent: 'a' }, { id: 'constructor', parent: 'proto' }], {
        current_node: 'constructor',
        extra_proto: { polluted: true },
      }),
    ]);
    const { conversations, problems } = await importAll(
      text.replaceAll('"proto"', '"__proto__"').replaceAll('"extra_proto"', '"__proto__"'),
    );
    assert.deepEqual(conversations.flatMap(formatOutline), [
      'a user: a',
      '  __proto__ user: __proto__',
      '    * constructor user: constructor',
    ]);
    assert.deepEqual(Object.entries(conversations[0]?.conversation.extra ?? {}), [
      ['__proto__', { polluted: true }],
    ]);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    assert.deepEqual(problems, []);
  });

  it('treats part types with names of the prototype as unknown', async () => {
    for (const type of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']) {
      const block = { type, text: 'Hi', [type]: { name: 'x' } };
      const call = { type: 'tool_call', tool_call: block };
      const output = [block, { type: 'message', content: [block, { type: 'refusal' }] }];
      const files: readonly (readonly [object, string])[] = [
        [{ uuid: 'u', chat_messages: [{ uuid: 'a', sender: 'human', content: [block, null] }] }, 'other('],
        [{ conversationId: 'c', messages: [{ messageId: 'a', content: [block, call, 7] }] }, 'call('],
        [{ chat: { history: { messages: { a: { role: 'assistant', parentId: null, output } } } } }, 'other('],
      ];
      for (const [file, expected] of files) {
        const { conversations, problems } = await importAll([file]);
        assert.deepEqual(problems, []);
        const text = formatParts(conversations[0]?.messages[0]).join(' | ');
        assert.ok(text.includes(expected), `${JSON.stringify(file)}: ${text}`);
      }
    }
  });

  it('treats scripts and nested folds of a reply as text', async () => {
    const script = '<script>alert(1)</script>';
    const contents = [
      [`<details type="tool_calls" name="${script}">\n<summary>x</summary>\n${script}</details>`, 'call('],
      [`<details type="reasoning">${script}`, `<details type="reasoning">${script}`],
      [`<details type="code_interpreter">\n\`\`\`py\n${script}</details>`, 'call( code_interpreter'],
      [`<details type="other">${script}</details>`, `<details type="other">${script}</details>`],
    ];
    for (const [content, expected = ''] of contents) {
      const a = { role: 'assistant', parentId: null, content };
      const { conversations } = await importAll([{ chat: { history: { messages: { a } } } }]);
      const text = formatParts(conversations[0]?.messages[0]).join(' | ');
      assert.ok(text.startsWith(expected) && text.includes(script), text);
    }
  });

  it('takes linear time for many folds, open or complete', async () => {
    const units = [
      '<details type="',
      '<details type="reasoning"></details>',
      ':::thinking\n',
      '```\n',
      ' a="',
    ];
    for (const unit of units) {
      const file = (n: number) => {
        const content = `<details type="code_interpreter" ${unit.repeat(n)}`;
        const a = { role: 'assistant', parentId: null, content };
        const message = { messageId: 'a', model: 'm', text: `:::thinking\n${unit.repeat(n)}` };
        return Buffer.from(
          JSON.stringify([
            { chat: { history: { messages: { a } } } },
            { conversationId: 'c', messages: [message] },
          ]),
        );
      };
      await assertLinearSteps(file, async (bytes) => void (await importAll(bytes)), 20_000);
    }
  }).timeout(60_000);

  it('does not pollute the prototype by paths in a log of VS Code', async () => {
    const lines = readFixture('vscode.jsonl').toString();
    for (const line of [
      '{"kind":1,"k":["__proto__","polluted"],"v":true}',
      '{"kind":1,"k":["constructor","prototype","polluted"],"v":true}',
      '{"kind":1,"k":["requests",4000000000],"v":{}}',
      '{"kind":2,"k":["requests"],"v":[],"i":-1}',
      '{"kind":9,"k":["requests"]}',
      '{"kind":1,"k":[],"v":1}',
      '{"kind":1',
      'null',
    ]) {
      const { conversations, problems } = await importAll(`${lines}${line}\n`);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      assert.equal(conversations.length, 1, line);
      assert.match(problems[0] ?? '', /^import-(?:damaged|cut) #1 line 8$/);
    }
  });

  it('imports deeply nested values up to a limit', async () => {
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const text = JSON.stringify([chat([{ id: 'a' }], { deep: 'DEEP' }), fine]);
    for (const depth of [60, 100_000]) {
      const { conversations, warnings, problems } = await importAll(text.replace('"DEEP"', deep(depth)));
      assert.deepEqual(titles(conversations), ['Chat', 'Fine']);
      assert.deepEqual(problems, []);
      assert.equal(warnings.length, depth > 64 ? 1 : 0);
      assert.ok(JSON.stringify(conversations[0]?.conversation.extra).length < 400);
    }
  });

  it('reads a tree of LibreChat that is 20,000 messages deep', async () => {
    const open = (nth: number) =>
      `{"messageId":"m${nth}","parentMessageId":"m${nth - 1}","text":"x","isCreatedByUser":true,"createdAt":"2025-01-01T00:00:00Z","children":[`;
    const count = 20_000;
    const tree = Array.from({ length: count }, (_, nth) => open(nth)).join('') + ']}'.repeat(count);
    const { conversations, problems } = await importAll(`{"conversationId":"deep","messagesTree":[${tree}]}`);
    assert.equal(conversations[0]?.messages.length, count);
    assert.equal(conversations[0]?.conversation.head, `m${count - 1}`);
    assert.deepEqual(problems, []);
  });

  it('replaces invalid characters, and reports that', async () => {
    const bytes = Buffer.concat([
      Buffer.from(JSON.stringify([fine]).slice(0, -2)),
      Buffer.from(',"note":"'),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from('"}]'),
    ]);
    const damaged = await importAll(bytes);
    assert.deepEqual(damaged.warnings, ['Some invalid characters were replaced.']);
    const half = chat([{ id: '\ud800', text: 'a\udc00b' }], { title: '\ud83d', x: '\udfff' });
    const halves = await importAll([half]);
    assert.deepEqual(halves.conversations.flatMap(formatOutline), ['* \ufffd user: a\ufffdb']);
    assert.equal(JSON.stringify(halves.conversations).isWellFormed(), true);
    assert.doesNotMatch(JSON.stringify(halves.conversations), /\\ud/);
  });

  it('reads UTF-16 and UTF-8 with and without a byte order mark, and CRLF', async () => {
    const text = JSON.stringify([fine], undefined, 2).replaceAll('\n', '\r\n');
    const files = [text, `\ufeff${text}`].flatMap((each) => {
      const utf16 = Buffer.from(each, 'utf16le');
      return [Buffer.from(each), utf16, Buffer.from(utf16).swap16()];
    });
    for (const bytes of files) {
      const { conversations, problems } = await importAll(bytes);
      assert.deepEqual([titles(conversations), problems], [['Fine'], []]);
    }
    const crlf = readFixture('other.md').toString().replaceAll('\n', '\r\n');
    assert.equal((await importAll(crlf)).conversations[0]?.messages.length, 2);
  });

  it('skips a conversation that is too large, and reports it', async () => {
    const large = chat([{ id: 'a', text: 'x'.repeat(100_000) }], { title: 'Large' });
    const { conversations, problems } = await importAll([fine, large, fine], {
      maxConversationBytes: 50_000,
    });
    assert.deepEqual(titles(conversations), ['Fine', 'Fine']);
    assert.deepEqual(problems, ['import-too-large #2']);
  });

  it('reports a read error in the middle of a file', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`[${JSON.stringify(fine)},`);
      throw new Error('EIO: i/o error');
    }
    const received: unknown[] = [];
    for await (const event of importConversations(breaking())) {
      received.push(event.type === 'problem' ? event.problem : event.type);
    }
    assert.deepEqual(received, [
      'conversation',
      { id: 'import-unreadable', args: { cause: 'EIO: i/o error' } },
    ]);
  });

  it('stops when it is cancelled', async () => {
    const canceller = new AbortController();
    let yielded = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[');
      for (; ; yielded += 1) yield Buffer.from(`${JSON.stringify(fine)},`);
    }
    const reading = async () => {
      for await (const event of importConversations(endless(), { signal: canceller.signal })) {
        assert.equal(event.type, 'conversation');
        if (yielded >= 3) canceller.abort(new Error('enough'));
      }
    };
    await assert.rejects(reading, /enough/);
    // The format is detected from the beginning of the file, which is read before the first conversation.
    assert.ok(yielded < 2_000);
  });

  it('takes linear time for many conversations and for a large one', async () => {
    const many = (n: number) => Buffer.from(JSON.stringify(Array.from({ length: n }, () => fine)));
    await assertLinearSteps(many, async (bytes) => void (await importAll(bytes)), 2_000);
    const long = (n: number) =>
      Buffer.from(
        JSON.stringify([
          chat(
            Array.from({ length: n }, (_, nth) => ({
              id: `m${nth}`,
              parent: nth > 0 ? `m${nth - 1}` : null,
            })),
          ),
        ]),
      );
    await assertLinearSteps(long, async (bytes) => void (await importAll(bytes)), 5_000);
  });

  it('takes linear time for many backslashes, quotes and open brackets', async () => {
    for (const unit of [
      '\\',
      '"',
      '[',
      '{"',
      '\\"',
      '<details type="',
      '---\n',
      '<!-- message user x -->\n',
      '`',
    ]) {
      const raw = (n: number) => Buffer.from(`[${JSON.stringify(fine)},${unit.repeat(n)}`);
      await assertLinearSteps(raw, async (bytes) => void (await importAll(bytes)), 200_000);
      const markdown = (n: number) => Buffer.from(`---\ntitle: x\n---\n## User\n${unit.repeat(n)}`);
      await assertLinearSteps(markdown, async (bytes) => void (await importAll(bytes)), 50_000);
    }
  }).timeout(60_000);
});
