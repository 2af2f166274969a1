import assert from 'node:assert/strict';
import { createTextRequest } from '../../../src/client/textRequest.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import type { Question } from '../../../src/conversations/conversation/turn.ts';
import { modelRequest } from '../../../src/host/agents/languageModels/reply/modelRequest.ts';
import {
  buildConversationKey,
  chooseCaching,
  chooseChatCaching,
} from '../../../src/host/connection/requestCaching.ts';
import { type TextFormatId, textFormat, textFormats } from '../../../src/wire/apis/textFormats.ts';
import type { ForeignMessage } from '../../../src/wire/message.ts';

/** A connection to a gateway whose list marks the models of `keyed` as accepting a cache key. */
const connectionTo = (host: string, promptCaching?: boolean, keyed: readonly string[] = []) => ({
  gateway: {
    ...({ kind: 'gateway', name: 'work', baseUrl: `https://${host}/v1` } as const),
    ...(promptCaching !== undefined && { promptCaching }),
  },
  state: { models: keyed.map((id) => ({ id, owner: '', acceptsCacheKey: true as const })) },
});

const claude = 'anthropic/claude-sonnet-5';
const mark = { cache_control: { type: 'ephemeral' } };
const tool = { name: 'look', input_schema: { type: 'object' } };
const textMessage = (role: ForeignMessage['role'], text: string): ForeignMessage => ({
  role,
  parts: [{ type: 'text', text }],
});

/** The number of cache marks in a body. */
function marksIn(body: object): number {
  return JSON.stringify(body).split('"cache_control"').length - 1;
}

const conversation = [
  textMessage('system', 'Be brief.'),
  ...['One?', 'Two?', 'Three?'].flatMap((text) => [
    textMessage('user', text),
    textMessage('assistant', 'Yes.'),
  ]),
  textMessage('user', 'Four?'),
];

function chatBody(format: TextFormatId, host: string, parameters = {}, choice?: boolean, model = claude) {
  const caching = chooseChatCaching({ connection: connectionTo(host, choice), model, format }, 'chat-id');
  const { body } = createTextRequest(textFormat(format), model, conversation as never, parameters, caching);
  return JSON.parse(JSON.stringify(body));
}

describe('requests of chats that use the caches of providers', () => {
  it('mark tools, instructions and the last two questions in the messages format, and never more than four places', () => {
    const body = chatBody('messages', 'gateway.example', { tools: [{ name: 'first' }, tool] });
    assert.deepEqual(body.tools, [{ name: 'first' }, { ...tool, ...mark }]);
    assert.deepEqual(body.system, [{ type: 'text', text: 'Be brief.', ...mark }]);
    const marked = body.messages.filter((message: object) => marksIn(message) > 0);
    assert.deepEqual(
      marked.map(({ content }: { content: [{ text: string }] }) => content[0].text),
      ['Three?', 'Four?'],
    );
    const own = chatBody('messages', 'gateway.example', { ...mark, tools: [{ ...tool, ...mark }, tool] });
    assert.deepEqual(own.tools, [{ ...tool, ...mark }, tool]);
    assert.equal(marksIn(own), 4);
    assert.equal(own.system[0].cache_control, undefined);
  });

  it('mark parts of chat completions only for models that need it, at servers that accept it', () => {
    const body = chatBody('chatCompletions', 'openrouter.ai');
    assert.deepEqual(body.messages.at(-1), {
      role: 'user',
      content: [{ type: 'text', text: 'Four?', ...mark }],
    });
    assert.equal(marksIn(body), 3);
    assert.equal(marksIn(chatBody('chatCompletions', 'openrouter.ai', {}, undefined, 'openai/gpt-5')), 0);
    assert.equal(marksIn(chatBody('chatCompletions', 'gateway.example')), 0);
    assert.equal(marksIn(chatBody('chatCompletions', 'gateway.example', {}, true)), 3);
    assert.equal(chatBody('chatCompletions', 'gateway.example').messages.at(-1).content, 'Four?');
  });

  it('have a cache key only at servers that accept it, the same for the whole chat, without its id', () => {
    const key = (format: TextFormatId, host: string, choice?: boolean) =>
      chatBody(format, host, {}, choice).prompt_cache_key;
    const sent = key('chatCompletions', 'api.openai.com');
    assert.match(sent, /^[\w-]{32}$/);
    assert.equal(key('responses', 'api.openai.com'), sent);
    assert.equal(key('responses', 'api.x.ai'), sent);
    assert.equal(key('chatCompletions', 'gateway.example', true), sent);
    for (const [format, host] of [
      ['chatCompletions', 'gateway.example'],
      ['chatCompletions', 'api.openai.com.evil.example'],
      ['responses', 'gateway.example'],
      ['messages', 'api.openai.com'],
      ['contentGeneration', 'generativelanguage.googleapis.com'],
    ] as const)
      assert.equal(key(format, host), undefined, host);
    assert.equal(
      chatBody('chatCompletions', 'api.openai.com', { prompt_cache_key: 'mine' }).prompt_cache_key,
      'mine',
    );
    const listed = connectionTo('gateway.example', undefined, ['m']);
    assert.ok(chooseCaching({ connection: listed, model: 'm', format: 'responses' }).acceptsKey);
    assert.equal(
      chooseCaching({ connection: listed, model: 'n', format: 'responses' }).acceptsKey,
      undefined,
    );
    const other = chooseChatCaching(
      { connection: connectionTo('api.openai.com'), model: 'm', format: 'responses' },
      'other',
    );
    assert.notEqual(other.conversation, sent);
  });

  it('have no field for caching if the user turned it off', () => {
    for (const { id } of textFormats)
      for (const host of ['api.openai.com', 'openrouter.ai', 'api.anthropic.com']) {
        const json = JSON.stringify(chatBody(id, host, {}, false));
        assert.doesNotMatch(json, /cache/, `${id} at ${host}`);
      }
  });

  it('mark only the instructions of a single question', () => {
    const target = {
      connection: connectionTo('gateway.example'),
      model: claude,
      format: 'messages',
    } as const;
    const caching = { ...chooseChatCaching(target, 'x'), isSingle: true };
    const messages = [textMessage('system', 'Be brief.'), textMessage('user', 'Hi')] as never;
    const { body } = createTextRequest(textFormat('messages'), claude, messages, {}, caching);
    assert.deepEqual(body.system, [{ type: 'text', text: 'Be brief.', ...mark }]);
    assert.equal(marksIn(body), 1);
  });
});

describe('requests of VS Code’s own chat that use the caches of providers', () => {
  const request = (
    messages: readonly ForeignMessage[],
    host = 'api.anthropic.com',
    format: TextFormatId = 'messages',
  ) => {
    const { body } = modelRequest({
      turnModel: { gateway: 'g', model: claude, format },
      messages,
      turns: new Map(),
      settings: { tools: ['look', 'find'].map((name) => ({ name, parameters: { type: 'object' } })) },
      caching: chooseCaching({ connection: connectionTo(host), model: claude, format }),
    });
    return JSON.parse(JSON.stringify(body));
  };

  it('are marked like those of chats, unless the host marks them itself', () => {
    const body = request(conversation);
    assert.deepEqual(
      body.tools.map((each: object) => marksIn(each)),
      [0, 1],
    );
    assert.equal(marksIn(body), 4);
    const hosts = conversation.with(1, {
      role: 'user',
      parts: [{ type: 'text', text: 'One?', cacheMark: { member: 'cache_control' } }],
    });
    const sentBody = request(hosts);
    assert.equal(marksIn(sentBody), 1);
    assert.deepEqual(sentBody.messages[0].content, [{ type: 'text', text: 'One?', ...mark }]);
  });

  it('mark earlier turns than an empty result, which has no place for a mark in chat completions', () => {
    const call = { type: 'toolCall', id: 'c1', name: 'look', arguments: '{}' } as const;
    const result = { type: 'toolResult', id: 'c1', name: 'look', text: '' } as const;
    const turns = [...conversation, { role: 'assistant', parts: [call] }, { role: 'user', parts: [result] }];
    const chat = request(turns as readonly ForeignMessage[], 'openrouter.ai', 'chatCompletions');
    assert.deepEqual(
      chat.messages.flatMap((message: object, index: number) => (marksIn(message) > 0 ? [index] : [])),
      [0, 5, 7],
    );
    const { messages } = request(turns as readonly ForeignMessage[]);
    assert.equal(marksIn(messages.at(-1)), 1);
  });

  it('replace the marks of the host if there are more than providers accept', () => {
    const parts = ['a', 'b', 'c', 'd', 'e'].map((text) => ({
      type: 'text' as const,
      text,
      cacheMark: { member: 'cache_control' as const },
    }));
    assert.ok(marksIn(request([{ role: 'user', parts }])) <= 4);
  });

  it('have a cache key that stays the same while the conversation grows, and does not reveal its text', () => {
    const first = [textMessage('system', 'Be brief.'), textMessage('user', 'One?')];
    const grown = [...first, textMessage('assistant', 'Yes.'), textMessage('user', 'Two?')];
    assert.equal(buildConversationKey(first), buildConversationKey(grown));
    assert.notEqual(
      buildConversationKey(first),
      buildConversationKey([textMessage('system', 'Be brief.'), textMessage('user', 'Else?')]),
    );
    const body = request(grown, 'api.openai.com', 'responses');
    assert.equal(body.prompt_cache_key, buildConversationKey(first));
    assert.match(body.prompt_cache_key, /^[\w-]{32}$/);
    assert.equal(request(grown, 'gateway.example', 'responses').prompt_cache_key, undefined);
  });
});

describe('successive requests of one conversation', () => {
  /** Fields that precede the newest turn, without marks, which move with it. */
  const listNames = ['messages', 'contents', 'input'];
  const unmarked = (value: unknown) =>
    JSON.stringify(value, (name, each) => (name === 'cache_control' ? undefined : each));

  /** Interactions send a conversation of a single text as this text, which the provider reads as a list. */
  const toInputList = (value: unknown) =>
    typeof value === 'string' ? [{ type: 'user_input', content: [{ type: 'text', text: value }] }] : value;

  /** Asserts that each body begins with the bytes of the one before it, up to the newest turn. */
  function assertGrowing(bodies: readonly Readonly<Record<string, unknown>>[]): void {
    bodies.slice(1).forEach((body, nth) => {
      const before = bodies[nth] ?? {};
      assert.deepEqual(Object.keys(body), Object.keys(before));
      for (const [name, value] of Object.entries(body)) {
        if (!listNames.includes(name))
          assert.equal(JSON.stringify(value), JSON.stringify(before[name]), name);
        else
          assert.ok(
            unmarked(value).startsWith(unmarked(toInputList(before[name])).slice(0, -1)),
            unmarked(value),
          );
      }
    });
  }

  /** A conversation with calls, results and pictures, which ends at each of these lengths with a request. */
  const requestedAt = [2, 4, 6, 8, 10];
  const picture = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
  const agentMessages: readonly ForeignMessage[] = [
    textMessage('system', 'Be brief.'),
    {
      role: 'user',
      parts: [{ type: 'text', text: 'One?' }, picture],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Let me look.' },
        ...['c1', 'c2'].map((callId, nth) => ({
          type: 'toolCall' as const,
          id: callId,
          name: 'look',
          arguments: `{"a":${nth}}`,
        })),
      ],
    },
    {
      role: 'user',
      parts: [
        { type: 'toolResult', id: 'c1', name: 'look', text: 'A cat.' },
        { type: 'toolResult', id: 'c2', name: 'look', text: '', pictures: [picture] },
      ],
    },
    textMessage('assistant', 'A cat.'),
    textMessage('user', 'Two?'),
    { role: 'assistant', parts: [{ type: 'toolCall', id: 'c3', name: 'look', arguments: '' }] },
    { role: 'user', parts: [{ type: 'toolResult', id: 'c3', name: 'look', text: '' }] },
    textMessage('assistant', 'Nothing.'),
    textMessage('user', 'Three?'),
  ];

  for (const { id } of textFormats) {
    for (const [name, caching] of [
      ['without fields for caching', {}],
      ['with marks and a key', { marks: 'cache_control', acceptsKey: true }],
    ] as const)
      it(`begin with the same bytes up to the newest turn, from VS Code in ${id} ${name}`, () => {
        const bodies = requestedAt.map(
          (length) =>
            modelRequest({
              turnModel: { gateway: 'g', model: claude, format: id },
              messages: agentMessages.slice(0, length),
              turns: new Map(),
              settings: { tools: ['look', 'find'].map((each) => ({ name: each, parameters: {} })) },
              caching,
            }).body as Readonly<Record<string, unknown>>,
        );
        assertGrowing(bodies);
        assert.match(JSON.stringify(bodies.at(-1)), /AAAA/);
        const isMarked = 'marks' in caching && !['contentGeneration', 'interactions'].includes(id);
        assert.ok(bodies.every((body) => marksIn(body) > 0 === isMarked));
      });

    it(`begin with the same bytes up to the newest turn, in ${id}`, () => {
      const chat = new Conversation();
      const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }];
      const settings = {
        model: claude,
        format: id,
        systemPrompt: 'Be brief.',
        parameters: Object.fromEntries(
          (textFormat(id).common.tools?.place({ tools }, claude) ?? []).map(({ path, value }) => [
            path[0],
            value,
          ]),
        ),
      };
      const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
      const file = { name: 'a.ts', language: 'typescript', text: 'const a = 1;\n' };
      const bodies = ['One?', 'Two?', 'Three?'].map((text, nth) => {
        const attached = nth === 1 ? { images: [image], files: [file] } : { images: [] };
        const turn = chat.addQuestion({ text, ...attached, ...settings } as Question);
        const caching = chooseChatCaching(
          { connection: connectionTo('openrouter.ai'), model: claude, format: id },
          'chat-id',
        );
        const { messages } = chat.buildHistory(turn.id);
        const { body } = createTextRequest(textFormat(id), claude, messages, settings.parameters, caching);
        chat.appendEvents(turn.id, [{ type: 'text', choice: 0, text: `Reply ${nth}.` }]);
        chat.finish(turn.id, {
          outcome: { kind: 'complete' },
          requestId: 'r',
          requestedAt: new Date(1),
          totalMs: 1,
        });
        return body;
      });
      assertGrowing(bodies);
    });
  }
});
