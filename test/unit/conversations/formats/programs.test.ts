import assert from 'node:assert/strict';
import { zipSync } from 'fflate';
import {
  formatOutline,
  formatParts,
  importAll,
  readFixture,
} from '../../../support/importedConversations.ts';

describe('importing files of other programs', () => {
  it('reads ChatGPT: forks, replies in steps, hidden instructions, missing attachments', async () => {
    const { conversations, problems, warnings } = await importAll(readFixture('chatgpt.json'));
    const [first, second] = conversations;
    assert.ok(first && second);
    assert.deepEqual(formatOutline(first), [
      'user-1 user: missing(notes.txt) | missing() | What is 2 + 2?',
      '  answer-1 assistant (gpt-4o-mini, cancelled): Five',
      '  thoughts-1 assistant (gpt-4o): reasoning(Adding\n\nTwo and two.) | call(call-1 python print(2 + 2)) | ' +
        'result(call-1 python 4) | It is 4. ([sums](https://sums.example/))',
      '    * user-2 user: Thanks',
    ]);
    assert.deepEqual(formatOutline(second), ['* only user: 你好 👋']);
    const { conversation, messages } = first;
    assert.equal(conversation.title, 'Sums in Python');
    assert.equal(conversation.createdAt, 1706543210123);
    assert.equal(conversation.changedAt, 1706543299500);
    assert.equal(conversation.archivedAt, 1706543299500);
    assert.deepEqual(conversation.origin, { source: 'chatgpt', id: '65b7c1aa-0000-4000-8000-000000000001' });
    assert.equal(conversation.extra?.gizmo_id, 'g-abc');
    const hidden = JSON.stringify(conversation.extra?.hidden);
    assert.match(hidden, /Original custom instructions no longer available.*I like short answers/s);
    assert.equal(messages[0]?.lastChild, 'thoughts-1');
    assert.match(JSON.stringify(messages[2]?.extra), /"request_id":"req-77"/);
    assert.deepEqual(problems, []);
    assert.deepEqual(warnings, [
      'Attachments missing from the file: 2.',
      'Messages whose previous message is not in the file, and which now start a branch of their own: 1.',
    ]);
  });

  it('reads voice chats of ChatGPT with their recordings', async () => {
    const zip = zipSync({
      'conversations.json': readFixture('chatgpt-voice.json'),
      'file_00000000a1-question.wav': Buffer.from('RIFF'),
    });
    const { conversations, warnings } = await importAll(zip);
    assert.deepEqual(conversations.flatMap(formatOutline), [
      'spoken user: Can you hear me? | file(question.wav application/octet-stream)',
      '  * answered assistant (gpt-4o): Yes. | missing()',
    ]);
    assert.deepEqual(warnings, ['Attachments missing from the file: 1.']);
  });

  it('reads Claude, with and without branches', async () => {
    const { conversations, problems, warnings } = await importAll(readFixture('claude.json'));
    assert.deepEqual(conversations.map(formatOutline), [
      [
        'm1 user: file(note.txt text/plain) | missing(cat.png) | What is in this note?',
        '  * m2 assistant: reasoning(A note…) | call(t1 search {"q":"cat"}) | result(t1 search Felis catus) | ' +
          'A cat. | citation(https://cats.example/)',
      ],
      ['q user: One or two?', '  one assistant: One', '    * why user: Why one?', '  two assistant: Two'],
    ]);
    assert.equal(conversations[0]?.conversation.createdAt, Date.parse('2025-03-01T10:00:00Z'));
    assert.equal(Buffer.from(conversations[0]?.attachments[0]?.bytes ?? []).toString(), 'A cat');
    assert.deepEqual(problems, ['import-no-messages #3']);
    assert.deepEqual(warnings, ['Attachments missing from the file: 1.']);
  });

  it('reads Open WebUI, and uses the output of a reply if there is one', async () => {
    const { conversations, problems, warnings } = await importAll(readFixture('open-webui.json'));
    const [chat] = conversations;
    assert.ok(chat);
    assert.deepEqual(formatOutline(chat), [
      'q1 user: image( image/png) | file(notes.md text/plain) | missing(gone.png) | Look at this',
      '  a2 assistant (qwen2:7b): reasoning(Hm.) | call(call-1 look {"at":1}) | result(call-1 look a dot) | Something.',
      '    q2 user: Sure?',
      '      * a3 assistant (stopped, qwen2:7b, interrupted): Ye',
      '  a1 assistant (llama3:latest): reasoning(A <picture>\nof nothing) | Nothing.',
    ]);
    const usage = chat.messages.find(({ id }) => id === 'a1')?.request?.usage;
    assert.deepEqual(usage, { inputTokens: 11, outputTokens: 7, reasoningTokens: 5 });
    assert.deepEqual(chat.conversation.extra?.meta, { tags: ['pictures'] });
    assert.equal(chat.conversation.pinnedAt, 1717000005000);
    assert.deepEqual(problems, []);
    assert.deepEqual(warnings, ['Attachments missing from the file: 1.']);
  });

  it('reads the older form of Open WebUI', async () => {
    const { conversations } = await importAll(readFixture('open-webui-old.json'));
    assert.deepEqual(conversations.flatMap(formatOutline), [
      'a user: Hi',
      '  * b assistant (llama2, failed): ',
    ]);
    assert.equal(conversations[0]?.conversation.createdAt, 1700000000000);
  });

  it('reads LibreChat as a list in any order, and as a tree', async () => {
    const flat = await importAll(readFixture('librechat.json'));
    assert.deepEqual(flat.conversations.flatMap(formatOutline), [
      'm1 user: missing(a.pdf) | Hello',
      '  * m2 assistant (gpt-4o): reasoning(A greeting.) | call(call_1 clock {"zone":"UTC"}) | ' +
        'result(call_1 clock 08:00) | Good morning.',
      '  m3 assistant (gpt-4o, failed): Out of credits',
    ]);
    const tree = await importAll(readFixture('librechat-tree.json'));
    assert.deepEqual(tree.conversations.flatMap(formatOutline), [
      'r user: Root',
      '  x assistant (stopped, m, interrupted): Left',
      '  y assistant (m): Right',
      '    * z user: More',
    ]);
    assert.deepEqual([...flat.problems, ...tree.problems], []);
  });

  it('reads an export of VS Code', async () => {
    const { conversations, problems } = await importAll(readFixture('vscode.json'));
    const [chat] = conversations;
    assert.ok(chat);
    assert.deepEqual(formatOutline(chat), [
      'request_1 user: other(kind id name value) | image(plan.png image/png) | What does #file:sum.ts do?',
      '  response_1 assistant (copilot/gpt-4.1): reasoning(Reading it) | call(call-1 copilot_readFile Reading sum.ts) | ' +
        'result(call-1 copilot_readFile Read sum.ts) | The file `sum.ts` adds. | other(kind uri edits)',
      '    request_2 user: Stop',
      '      response-2 assistant (copilot/gpt-4.1, cancelled): I',
      '        request_3 user: An old form',
      '          * response-3 assistant (failed): ',
    ]);
    const { request } = chat.messages[1] ?? {};
    assert.deepEqual(request?.usage, { inputTokens: 120, outputTokens: 30 });
    assert.equal(request?.firstTokenMs, 812);
    assert.equal(chat.messages[1]?.createdAt, 1750000000500);
    assert.deepEqual(problems, []);
  });

  it('reads a session file of VS Code line by line', async () => {
    const { conversations, problems } = await importAll(readFixture('vscode.jsonl'));
    assert.deepEqual(conversations.flatMap(formatOutline), [
      'request_1 user: Hello',
      '  * response-1 assistant (copilot/gpt-4.1): Hello there',
    ]);
    assert.equal(conversations[0]?.conversation.title, 'Greeting');
    assert.equal(conversations[0]?.conversation.extra?.initialLocation, undefined);
    assert.deepEqual(problems, []);
  });

  it('reads ShareGPT, as an array and by lines', async () => {
    const array = await importAll(readFixture('sharegpt.json'));
    assert.deepEqual(array.conversations.map(formatOutline), [
      ['message-1 system: Be kind.', '  message-2 user: Hi', '    * message-3 assistant: Hello!'],
      ['message-1 user: No id', '  * message-2 assistant: Fine'],
    ]);
    assert.deepEqual(array.conversations[0]?.conversation.extra, { id: 'sg-1', lang: 'en' });
    const byLines = await importAll(readFixture('sharegpt.jsonl'));
    assert.deepEqual(byLines.conversations.flatMap(formatOutline), [
      'message-1 user: One',
      '  * message-2 assistant: 1',
      'message-1 user: Three',
      '  * message-2 assistant: 3',
    ]);
    assert.deepEqual(byLines.problems, ['import-not-json #2 line 2']);
  });

  it('reads Markdown with front matter, and headings that name the speaker', async () => {
    const { conversations, problems } = await importAll(readFixture('other.md'));
    const [chat] = conversations;
    assert.ok(chat);
    assert.deepEqual(formatOutline(chat), [
      'message-1 user: How do I fence?\n\n```md\n## Assistant\nnot a heading\n```',
      '  * message-2 assistant (some-model): **Like this.**',
    ]);
    assert.equal(chat.conversation.title, 'Notes: a chat');
    assert.equal(chat.conversation.createdAt, Date.parse('2025-01-02T03:04:05Z'));
    assert.deepEqual(chat.conversation.extra, { tags: '- one\n  - two' });
    assert.deepEqual(problems, []);
  });

  it('reads tool use of Claude: hidden thinking, found pages, created files, speech', async () => {
    const { conversations, problems, warnings } = await importAll(readFixture('claude-tools.json'));
    const [chat] = conversations;
    assert.ok(chat);
    const [question, reply] = chat.messages;
    assert.deepEqual(formatParts(question), [
      'file(Pasted text text/plain)',
      'missing(moon.png)',
      'How far is the moon?',
      'other(start_timestamp stop_timestamp type prompt injection_source initial_turn_only skip_on_truncated_continuation)',
    ]);
    assert.deepEqual(formatParts(reply), [
      'reasoning(Looking it up\n\nComparing two sources)',
      'call(toolu_01A web_search {"query":"distance moon"})',
      'result(toolu_01A web_search Moon\nhttps://moon.example/\n\n384,400 km away)',
      'call(toolu_01B present_files {"filepaths":["/mnt/user-data/outputs/report.html"]})',
      'result(toolu_01B present_files )',
      'missing(report.html)',
      'image( image/png)',
      'About 384,400 km.\n\n',
      'citation(https://moon.example/)',
      'Spoken\n\nThe moon is far.',
      'other(type of)',
    ]);
    assert.match(JSON.stringify(reply?.extra), /"block":4,.*"is_error":true/);
    assert.deepEqual(problems, []);
    assert.deepEqual(warnings, [
      'Attachments missing from the file: 2.',
      'Parts of an unknown kind, which are stored but not shown: 1.',
    ]);
  });

  it('reads tool use of Open WebUI, as text and as output, with sources and instructions', async () => {
    const { conversations, problems, warnings } = await importAll(readFixture('open-webui-tools.json'));
    const [chat] = conversations;
    assert.ok(chat);
    const [, asText, asOutput, failed] = chat.messages;
    assert.deepEqual(formatParts(asText), [
      'reasoning(Add\nthem)',
      'call(call-1 add {"a":1})',
      'result(call-1 add The sum: 3 < 4)',
      'call( code_interpreter print(1 + 2))',
      'result( code_interpreter {"stdout": "3"})',
      'Three.',
      'citation(https://sums.example/)',
      'citation(undefined)',
    ]);
    assert.deepEqual(formatParts(asOutput), [
      'reasoning(Adding)',
      'call(call-2 draw {})',
      'result(call-2 draw Drawn)',
      'image( image/png)',
      'missing(plot.png)',
      'call( code_interpreter print(3))',
      'result( code_interpreter {"stdout":"3\\n","stderr":"","result":""})',
      'call(ws1 web_search_call {"action":{"type":"search","query":"sums"}})',
      'Three.',
      'citation(https://sums.example/)',
      'No more.',
    ]);
    assert.match(String(failed?.request?.error?.message), /Out of credits/);
    assert.equal(chat.conversation.parameters?.systemPrompt, 'Answer in one line.');
    assert.deepEqual([problems, warnings], [[], ['Attachments missing from the file: 1.']]);
  });

  it('reads agents of LibreChat: tools, quotes, text in between, reasoning in the text', async () => {
    const { conversations, problems, warnings } = await importAll(readFixture('librechat-agents.json'));
    const [chat] = conversations;
    assert.ok(chat);
    const [question, reply, older] = chat.messages;
    assert.deepEqual(formatParts(question), ['file(notes.txt text/plain)', '> first\n> second', 'And this?']);
    assert.deepEqual(formatParts(reply), [
      'missing(plot.png)',
      'other(type agent_update)',
      'reasoning(A sum.)',
      'call(call_1 code_interpreter print(3))',
      'result(call_1 code_interpreter 3\n\n{"type":"image","image":{"file_id":"f2"}})',
      'call(call_2 search {"q":1})',
      '> Shorter, please\n\n',
      'They summed.\n\n',
      'other(type activity_label tool_call_ids)',
      'missing(cat.png)',
      'Three',
    ]);
    assert.equal(reply?.request?.outcome, 'truncated');
    assert.deepEqual(formatParts(older), ['reasoning(One and two.)', 'Three.']);
    assert.equal(chat.conversation.parameters?.systemPrompt, 'Answer in one line.');
    assert.deepEqual([problems, warnings], [[], ['Attachments missing from the file: 2.']]);
  });

  it('imports texts where a list or an object is usual, and preserves values of other types', async () => {
    const time = '2030-01-01T00:00:00Z';
    const question = { role: 'user', parentId: null };
    const listed = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,abc<omitted>abc' } },
      { type: 'input_audio', input_audio: {} },
    ];
    const files: readonly (readonly [unknown, readonly string[]])[] = [
      [
        { chat: { history: { messages: { a: { ...question, content: listed } } } } },
        ['* a user: Look | image( image/png) | other(mimeType) | other(type)'],
      ],
      [
        { chat: { history: { messages: { a: { ...question, content: { de: 'Hallo' } } } } } },
        ['* a user: other(content)'],
      ],
      [
        {
          mapping: {
            a: { message: { author: { role: 'user' }, content: { content_type: 'text', text: 'Hi' } } },
          },
        },
        ['* a user: Hi'],
      ],
      [{ mapping: { a: { message: { author: { role: 'user' }, content: 'Hi' } } } }, ['* a user: Hi']],
      [
        { mapping: { a: { message: { author: { role: 'user' }, content: { parts: [7] } } } } },
        ['* a user: other(part)'],
      ],
      [
        { uuid: 'u', chat_messages: [{ uuid: 'a', sender: 'human', content: 'Hi', created_at: time }] },
        ['* a user: Hi'],
      ],
      [
        { uuid: 'u', chat_messages: [{ uuid: 'a', sender: 'human', text: ['Hi'] }] },
        ['* a user: other(text)'],
      ],
      [
        { conversationId: 'c', messages: [{ messageId: 'a', isCreatedByUser: true, text: { value: 'Hi' } }] },
        ['* a user: Hi'],
      ],
      [
        { conversationId: 'c', messages: [{ messageId: 'a', isCreatedByUser: true, text: 7 }] },
        ['* a user: other(text)'],
      ],
      [
        { responderUsername: 'x', requests: [{ requestId: 'a', message: { text: 7 } }] },
        ['* a user: other(text)'],
      ],
      [{ conversations: [{ from: 'human', value: { en: 'Hi' } }] }, ['* message-1 user: other(value)']],
    ];
    for (const [file, expected] of files) {
      const { conversations, problems } = await importAll([file]);
      assert.deepEqual(
        [conversations.flatMap(formatOutline), problems],
        [expected, []],
        JSON.stringify(file),
      );
    }
  });

  it('preserves unknown fields, also inside known ones', async () => {
    const result = { metadata: { renderedUserMessage: [] }, details: 'GPT', timings: { totalElapsed: 5 } };
    const message = {
      text: 'Hi',
      parts: [
        { kind: 'text', text: 'Hi' },
        { kind: 'slash', command: 'fix' },
      ],
    };
    const request = {
      requestId: 'a',
      message,
      response: [{ value: 'Yo' }],
      result,
      modelState: { value: 1 },
    };
    const vscode = await importAll([{ responderUsername: 'x', requests: [request] }]);
    assert.deepEqual(
      vscode.conversations.flatMap(({ messages }) => messages.map(({ extra }) => extra)),
      [{ message: { parts: [{ kind: 'slash', command: 'fix' }] } }, { result, modelState: { value: 1 } }],
    );
    const turn = { from: 'human', value: 'Hi', weight: 0 };
    const shareGpt = await importAll([{ conversations: [turn] }]);
    assert.deepEqual(shareGpt.conversations[0]?.messages[0]?.extra, { weight: 0 });
  });

  it('does not report a file of Claude as missing if its text is included', async () => {
    const attachments = [{ file_name: 'note.txt', extracted_content: 'A cat' }];
    const files = [{ file_name: 'note.txt' }, { file_name: 'cat.png' }];
    const message = { uuid: 'a', sender: 'human', text: 'Hi', attachments, files };
    const { conversations, warnings } = await importAll([{ uuid: 'u', chat_messages: [message] }]);
    assert.deepEqual(conversations.flatMap(formatOutline), [
      '* a user: file(note.txt text/plain) | missing(cat.png) | Hi',
    ]);
    assert.deepEqual(warnings, ['Attachments missing from the file: 1.']);
  });

  it('includes cached tokens in the input tokens, in the usage of each program', async () => {
    const cached = { cache_read_input_tokens: 100, cache_creation_input_tokens: 10 };
    const usages = [
      { input_tokens: 3, output_tokens: 5, ...cached },
      { input_tokens: 113, input_tokens_details: { cached_tokens: 100 }, output_tokens: 5 },
      { prompt_tokens: 113, completion_tokens: 5, ...cached },
    ];
    const read = usages.map(async (usage) => {
      const a = { role: 'assistant', parentId: null, content: 'Hi', model: 'm', usage };
      const { conversations } = await importAll([{ chat: { history: { messages: { a } } } }]);
      return conversations[0]?.messages[0]?.request?.usage;
    });
    const counts = { inputTokens: 113, outputTokens: 5, cachedTokens: 100 };
    assert.deepEqual(await Promise.all(read), [
      { ...counts, cacheWriteTokens: 10 },
      counts,
      { ...counts, cacheWriteTokens: 10 },
    ]);
  });

  it('gives conversations the same ids each time', async () => {
    const [once, again] = [
      await importAll(readFixture('chatgpt.json')),
      await importAll(readFixture('chatgpt.json')),
    ];
    assert.deepEqual(once.conversations, again.conversations);
    const ids = once.conversations.map(({ conversation: { id } }) => id);
    assert.equal(new Set(ids).size, 2);
    for (const id of ids)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
