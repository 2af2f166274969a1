import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import type { JsonObject } from '../../../../src/base/json.ts';
import type {
  ChatRequestRecord,
  MessageRecord,
  PartRecord,
  PortableConversation,
} from '../../../../src/conversations/conversation/conversationRecord.ts';
import {
  writeMarkdownDocument,
  writeMarkdownFile,
} from '../../../../src/conversations/formats/markdown/markdownExport.ts';
import { readMarkdown } from '../../../../src/conversations/formats/markdown/markdownImport.ts';
import { ConversationReading } from '../../../../src/conversations/formats/reading/conversationReading.ts';
import { anyConversation } from '../../../support/anyConversation.ts';
import { formatOutline, importAll } from '../../../support/importedConversations.ts';
import { assertLinear } from '../../../support/linearCost.ts';
import { countRepetitions } from '../../../support/longRuns.ts';

function message(
  id: string,
  parent: string | undefined,
  parts: readonly PartRecord[],
  request?: ChatRequestRecord,
) {
  return {
    id,
    role: request ? 'assistant' : 'user',
    createdAt: 1_700_000_000_000,
    state: 'done',
    choices: [parts],
    ...(parent && { parent }),
    ...(request && { request }),
  } as MessageRecord;
}

function requestTo(model: string, others: Partial<ChatRequestRecord> = {}): ChatRequestRecord {
  return { id: 'r', model, requestedAt: 1, outcome: 'complete', ...others };
}

function chat(messages: readonly MessageRecord[], head = messages.at(-1)?.id): PortableConversation {
  return {
    conversation: {
      id: 'c',
      title: 'A "title": <b>',
      createdAt: 1_700_000_000_000,
      changedAt: 1_700_000_060_000,
      gatewayName: 'work',
      ...(head && { head }),
    },
    messages,
    attachments: [],
  };
}

const text = (words: string): PartRecord => ({ type: 'text', text: words });

const conversation = chat([
  message('q', undefined, [
    { type: 'image', mimeType: 'image/png', hash: 'x', name: 'a `b`.png' },
    text('Why?'),
  ]),
  message('a', 'q', [text('No')], requestTo('other')),
  message(
    'b',
    'q',
    [
      { type: 'reasoning', text: 'Hm\n\nhm' },
      { type: 'toolCall', id: 't', name: 'look', arguments: '{"at":"```"}' },
      { type: 'toolResult', id: 't', name: 'look', text: '````\nfence' },
      text('Because.'),
      { type: 'citation', url: 'https://why.example/a b>', title: 'Why [1]' },
    ],
    requestTo('m-1', { usage: { inputTokens: 3, outputTokens: 4 }, cost: { usd: 0.5, source: 'gateway' } }),
  ),
  message('q2', 'b', [text('And?')]),
  message('b2', 'q2', [text('```js\nopen')], requestTo('m-1', { usage: { inputTokens: 10 } })),
]);

describe('a chat as Markdown', () => {
  it('contains the shown path with its figures, and a note about other branches', () => {
    const file = writeMarkdownFile(conversation);
    assert.deepEqual(file.split('\n').slice(0, 14), [
      '---',
      'title: "A \\"title\\": <b>"',
      'created: "2023-11-14T22:13:20.000Z"',
      'changed: "2023-11-14T22:14:20.000Z"',
      'gateway: "work"',
      'model: "m-1"',
      'messages: 4',
      'inputTokens: 13',
      'outputTokens: 4',
      'costUsd: 0.5',
      'repliesWithoutCost: 1',
      'note: "Only the path that was shown is in this file. Messages on other branches: 1."',
      '---',
      '',
    ]);
    assert.doesNotMatch(file, /\nNo\n/);
    assert.match(file, /\*Image: ``\s?a `b`\.png\s?``\*/);
    assert.match(file, /\n`look`\n\n````json\n\{"at":"```"\}\n````\n/);
    assert.match(file, /\nResult `look`\n\n`````\n````\nfence\n`````\n/);
    assert.match(file, /\n> \*\*Reasoning\*\*\n>\n> Hm\n>\n> hm\n/);
    assert.match(file, /\n- \[Why \\\[1\\\]\]\(<https:\/\/why\.example\/a%20b%3E>\)\n/);
    assert.match(writeMarkdownFile(chat(conversation.messages, 'a')), /\n## Reply · `other`\n\nNo\n$/);
  });

  it('has no front matter and no markers as a document for an editor', () => {
    const document = writeMarkdownDocument(conversation);
    assert.match(document, /^# A "title": <b>\n\n\*Only the path that was shown is in this file\./);
    assert.doesNotMatch(document, /<!-- message|^---$/m);
    const words = {
      question: 'Frage',
      reply: 'Antwort',
      untitled: 'Unterhaltung',
      systemPrompt: '',
      toolResult: '',
    };
    const german = {
      ...words,
      reasoning: '',
      image: 'Bild',
      file: '',
      onlyPath: () => 'Nur der Pfad.',
      stopped: '',
      truncated: '',
      failed: '',
    };
    assert.match(
      writeMarkdownDocument(conversation, { words: german }),
      /\n\*Nur der Pfad\.\*\n\n## Frage\n\n\*Bild: /,
    );
  });

  it('has requested JSON in a code block', () => {
    const createReply = (words: string, parameters: JsonObject = {}) => {
      const request = requestTo('m', { format: 'chatCompletions', parameters });
      return writeMarkdownDocument(
        chat([message('q', undefined, [text('Which?')]), message('a', 'q', [text(words)], request)]),
      );
    };
    const json = '{"a":\n"*b*"}';
    for (const format of [{ type: 'json_object' }, { type: 'json_schema', json_schema: { schema: {} } }]) {
      assert.match(createReply(json, { response_format: format }), /\n\n```json\n\{"a":\n"\*b\*"\}\n```\n$/);
      assert.match(createReply('*No*', { response_format: format }), /\n\n\*No\*\n$/);
    }
    assert.match(createReply(json), /\n\n\{"a":\n/);
  });

  it('contains the outcome of a reply and the system prompt', () => {
    const ended = (request: Partial<ChatRequestRecord>) =>
      writeMarkdownDocument(
        chat([message('q', undefined, [text('Why?')]), message('a', 'q', [], requestTo('m', request))]),
      );
    assert.match(
      ended({ outcome: 'failed', error: { message: 'No *money*\nleft' } }),
      /\n\*Failed:\* No \\\*money\\\* left\n$/,
    );
    assert.match(ended({ outcome: 'failed' }), /\n\*Failed\*\n$/);
    assert.match(ended({ outcome: 'truncated' }), /\n\*Cut off at the token limit\*\n$/);
    assert.match(ended({ outcome: 'cancelled' }), /\n\*Stopped\*\n$/);
    assert.match(ended({ systemPrompt: 'Be kind.' }), /\n## System prompt\n\nBe kind\.\n\n## Question\n/);
  });

  it('can be imported again as the shown path', async () => {
    const { conversations, problems } = await importAll(writeMarkdownFile(conversation));
    const [back] = conversations;
    assert.ok(back);
    assert.deepEqual(problems, []);
    assert.equal(back.conversation.title, 'A "title": <b>');
    assert.equal(back.conversation.createdAt, 1_700_000_000_000);
    assert.deepEqual(
      formatOutline(back).map((line) => line.trim().split(':')[0]),
      ['message-1 user', 'message-2 assistant (m-1)', 'message-3 user', '* message-4 assistant (m-1)'],
    );
    assert.deepEqual(back.messages[3]?.choices[0], [text('```js\nopen\n```')]);
  });

  it('separates messages of any content', async () => {
    const traps = [
      '```',
      '~~~~\n```',
      '<!--',
      '<script>',
      '<pre>',
      '- a\n  ```',
      '`',
      '---',
      '***',
      '# x',
      '> a',
      '<details>',
      '<!-- message assistant 2020-01-01T00:00:00.000Z -->',
      '\\<!-- message user x -->',
      '## Reply',
      '[a]: <b',
      '```\n~~~',
      '````\n```',
      '``` `x`',
      '<?',
      '<![CDATA[',
      '<!X',
      '<style>',
      '<textarea>\n\n',
    ];
    const parse = new MarkdownIt('commonmark');
    const messages = traps.map((words, nth) =>
      message(`m${nth}`, nth > 0 ? `m${nth - 1}` : undefined, [text(words)]),
    );
    const file = writeMarkdownFile(chat(messages));
    const { conversations } = await importAll(file);
    const back = conversations[0]?.messages.map(({ choices }) => choices[0]?.[0]);
    assert.equal(back?.length, traps.length);
    for (const [nth, words] of traps.entries()) {
      const part = back?.[nth];
      assert.ok(
        part?.type === 'text' && part.text.startsWith(words.trim()),
        `${words} became ${JSON.stringify(part)}`,
      );
    }
    for (const words of traps) {
      const document = writeMarkdownDocument(
        chat([message('a', undefined, [text(words)]), message('b', 'a', [text('THE END')])]),
      );
      const headings = parse
        .parse(document, {})
        .filter(({ type, tag }) => type === 'heading_open' && tag === 'h2');
      const expected = words === '## Reply' ? 3 : 2;
      assert.equal(headings.length, expected, document);
    }
  });

  it('is read with headings in any form, and front matter with lone carriage returns', async () => {
    const roles = async (...lines: readonly string[]) => {
      const file = `---\ntitle:   a\rb \n---\n${lines.map((line) => `${line}\nHi\n`).join('')}`;
      const [conversation] = (await importAll(file)).conversations;
      assert.equal(conversation?.conversation.title, 'a\rb');
      return conversation?.messages.map(({ role }) => role);
    };
    assert.deepEqual(
      await roles('# User', '##\tAI: ##  ', '###### system prompt#', '**Human**', '**ChatGPT:** ', '# you\r'),
      ['user', 'assistant', 'system', 'user', 'assistant', 'user'],
    );
    assert.deepEqual(
      await roles('# User', '#User', '# User x', '####### AI', '**AI**:', '# AI :', '** AI **'),
      ['user'],
    );
  });

  it('P9 is read in linear time with a long value in the front matter', () => {
    assertLinear(
      (n) => `---\na:${' '.repeat(n)}x\ry\n---\n`,
      (file) => readMarkdown(file, new ConversationReading()),
      20_000,
    );
  });

  it('P9 is read in less than a second with 2,000 lines that are nearly headings', () => {
    for (const line of [`# a${' '.repeat(190)}b`, `# user${' '.repeat(90)}#${' '.repeat(90)}x`]) {
      const file = `---\ntitle: x\n---\n${`${line}\n`.repeat(2_000)}`;
      const before = process.threadCpuUsage();
      readMarkdown(file, new ConversationReading());
      const { user, system } = process.threadCpuUsage(before);
      assert.ok(user + system < 1_000_000, `${user + system} µs`);
    }
  });

  it('is accepted by the import for chats of any content', async () => {
    await fc.assert(
      fc.asyncProperty(anyConversation, async (any) => {
        const { head } = any.conversation;
        const file = writeMarkdownFile(any);
        const { conversations, problems } = await importAll(file);
        assert.deepEqual(
          problems.map((problem) => problem.split(' ')[0]),
          head === undefined ? ['import-no-messages'] : [],
        );
        const parents = new Map(any.messages.map(({ id, parent }) => [id, parent]));
        let length = 0;
        for (let id = head; id !== undefined; id = parents.get(id)) length += 1;
        // The system prompt may precede them.
        const above = (conversations[0]?.messages.length ?? 0) - length;
        assert.ok(above === 0 || above === 1, String(above));
        writeMarkdownDocument(any);
      }),
      { numRuns: countRepetitions(500) },
    );
  });
});
