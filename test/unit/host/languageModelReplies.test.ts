import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/base/json.ts';
import { refusedTool } from '../../../src/host/agents/languageModels/refusedTool.ts';
import {
  conversationToSend,
  modelRequest,
} from '../../../src/host/agents/languageModels/reply/modelRequest.ts';
import { CallAssembler, ReplyReader } from '../../../src/host/agents/languageModels/reply/replyReader.ts';
import { requestEstimate, TokenCounts } from '../../../src/host/agents/languageModels/reply/tokenCounts.ts';
import {
  arrangeToolTurns,
  readVsCodeMessages,
} from '../../../src/host/agents/languageModels/reply/vsCodeMessages.ts';
import {
  readRequestSettings,
  type VsCodeOptions,
} from '../../../src/host/agents/languageModels/requestSettings.ts';
import { OfferedToolNames, sentToolName } from '../../../src/host/agents/languageModels/toolNames.ts';
import { findCacheSupport } from '../../../src/wire/apis/shared/promptCaching.ts';
import {
  requestForms,
  type TextFormatId,
  textFormat,
  textFormats,
} from '../../../src/wire/apis/textFormats.ts';
import { DecodedReply } from '../../../src/wire/stream/decodedReply.ts';
import { RecordingDecoder } from '../../../src/wire/stream/verbatimRecorder.ts';
import { assertLinear } from '../../support/linearCost.ts';

const text = (value: string) => ({ value });
const picture = (mimeType: string) => ({ mimeType, data: new Uint8Array([1, 2, 3]) });
const mark = { mimeType: 'cache_control', data: new TextEncoder().encode('ephemeral') };
const hostMessage = (role: number, ...content: readonly object[]) => ({ role, content });
const call = (callId: string, name = 'read') => ({ callId, name, input: { a: 1 } });
const result = (callId: string, ...content: readonly object[]) => ({ callId, content });

/** The body that is sent for a conversation. */
function readReplyBody(
  format: TextFormatId,
  messages: ReturnType<typeof hostMessage>[],
  options: VsCodeOptions = {},
) {
  const { body } = modelRequest({
    turnModel: { gateway: 'g', model: 'm', format },
    messages: arrangeToolTurns(readVsCodeMessages(messages)),
    turns: new Map(),
    settings: readRequestSettings(options),
    caching: findCacheSupport(format, { host: '', model: 'm' }),
  });
  return JSON.parse(JSON.stringify(body));
}

describe('a conversation of VS Code’s own chat', () => {
  it('is sent with its roles, pictures and results, and without internal parts of hosts', () => {
    const notes = [{ mimeType: 'stateful_marker', data: new Uint8Array([1]) }, { some: 'part' }, null, 7];
    const messages = readVsCodeMessages([
      hostMessage(3, text('Be brief.')),
      { role: 1, content: [text('Look'), picture('image/png'), ...notes] },
      hostMessage(2, { value: 'thinking', id: 'x', metadata: {} }, text('Yes'), call('c1')),
      hostMessage(1, result('c1', text('found'), picture('image/jpeg'), { value: { tsx: 1 } })),
    ]);
    assert.deepEqual(messages, [
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Look' },
          { type: 'image', mimeType: 'image/png', data: 'AQID' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Yes' },
          { type: 'toolCall', id: 'c1', name: 'read', arguments: '{"a":1}' },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            type: 'toolResult',
            id: 'c1',
            name: 'read',
            text: 'found[A part of this result has a form that cannot be sent.]',
            pictures: [{ type: 'image', mimeType: 'image/jpeg', data: 'AQID' }],
          },
        ],
      },
    ]);
  });

  it('never contains half a character, which providers reject', () => {
    const [message] = readVsCodeMessages([
      hostMessage(1, text('cut \ud83d'), result('c', text('\ude00 cut'))),
    ]);
    assert.deepEqual(
      message?.parts.map((part) => ('text' in part ? part.text : '')),
      ['cut \ufffd', '\ufffd cut'],
    );
  });

  it('has cache marks in formats that support them, and never as text', () => {
    const messages = [
      hostMessage(3, text('Long'), mark),
      hostMessage(1, text('Question'), mark),
      hostMessage(1, mark),
    ];
    const { system, messages: sentMessages } = readReplyBody('messages', messages);
    assert.deepEqual(system, [{ type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } }]);
    assert.deepEqual(sentMessages[0].content[0].cache_control, { type: 'ephemeral' });
    for (const { id } of textFormats) {
      const body = JSON.stringify(readReplyBody(id, messages));
      assert.equal(body.includes('ephemeral'), id === 'messages', id);
    }
  });

  for (const { id } of textFormats) {
    it(`has one result for each tool call, right after it, in ${id}`, () => {
      const body = readReplyBody(id, [
        hostMessage(1, text('Go')),
        hostMessage(2, call('c1'), call('c2')),
        hostMessage(1, result('c2', text('two'))),
        hostMessage(1, result('gone', text('lost'))),
        hostMessage(1, text('And?')),
        hostMessage(2, call('c3')),
      ]);
      const json = JSON.stringify(body);
      const places = ['two', 'The tool was not run.', 'lost', 'And?'].map((words) => json.indexOf(words));
      assert.ok(
        places.every((place) => place > 0),
        json,
      );
      assert.equal(json.split('The tool was not run.').length - 1, 2, 'c1 and c3');
      assert.ok(json.indexOf('And?') < json.lastIndexOf('The tool was not run.'));
    });

    it(`requires a tool when VS Code does, and sends any tool schema, in ${id}`, () => {
      const tools = [
        { name: 'a.b/c', description: 'D' },
        { name: 'read', inputSchema: { $schema: 'x', required: ['p'] } },
      ];
      const body = readReplyBody(id, [hostMessage(1, text('Go'))], { tools, toolMode: 2 });
      const json = JSON.stringify(body);
      const choice = {
        chatCompletions: '"tool_choice":"required"',
        contentGeneration: '"mode":"ANY"',
        messages: '"tool_choice":{"type":"any"}',
        responses: '"tool_choice":"required"',
        interactions: '"tool_choice":"any"',
      }[id];
      assert.ok(json.includes(choice), json);
      assert.ok(json.includes(`"${sentToolName('a.b/c')}"`), json);
      assert.ok(
        json.includes('{"properties":{},"required":["p"],"type":"object"}') || id === 'messages',
        json,
      );
      assert.ok(!json.includes('$schema'));
    });
  }

  it('replaces a picture that the model does not accept by a text', () => {
    const messages = readVsCodeMessages([
      hostMessage(1, picture('image/bmp'), result('c', picture('image/tiff'))),
    ]);
    const request = { gateway: 'g', model: 'm', format: 'messages' as const };
    const [message] = conversationToSend(messages, new Map(), request, requestForms.messages.contentRules);
    const words = message?.parts.map((part) => ('text' in part ? part.text : ''));
    assert.match(words?.[0] ?? '', /type image\/bmp was left out: only image\/jpeg, image\/png/);
    assert.match(words?.[1] ?? '', /type image\/tiff was left out/);
  });
});

describe('many messages of VS Code’s own chat', () => {
  const parts = {
    'separate results': (nth: number) => result(`c${nth}`, text('found')),
    'texts after a result': (nth: number) => (nth === 0 ? result('c0', text('found')) : text('and')),
  };
  for (const [name, part] of Object.entries(parts))
    it(`P9 with ${name} are joined in linear time`, () =>
      assertLinear(
        (n) => readVsCodeMessages(Array.from({ length: n }, (_, nth) => hostMessage(1, part(nth)))),
        arrangeToolTurns,
        8_000,
      ));
});

describe('the settings of a request from VS Code’s own chat', () => {
  it('are the known options, without other values that hosts pass', () => {
    const options = { temperature: 0.5, top_p: 2, max_tokens: 100, stop: 'END', seed: 'x' };
    const others = { _otelTraceContext: { a: 1 }, messages: [], model: 'other', stream: false };
    const modelOptions = {
      ...options,
      ...others,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } },
    };
    const modelConfiguration = { reasoningEffort: 'high', verbosity: 'low', other: 1 };
    assert.deepEqual(readRequestSettings({ modelOptions, modelConfiguration }), {
      temperature: 0.5,
      outputLimit: 100,
      stop: ['END'],
      reasoningEffort: 'high',
      verbosity: 'low',
      responseFormat: 'json_schema',
      responseSchema: { type: 'object' },
      schemaName: 'n',
    });
    const untouched = { reasoningEffort: 'default', verbosity: 'default' };
    assert.deepEqual(readRequestSettings({ modelConfiguration: untouched }), {});
  });

  it('put the chosen effort into the field of each format', () => {
    const places = textFormats.map(({ id }) => {
      const body = readReplyBody(id, [hostMessage(1, text('Go'))], {
        modelConfiguration: { reasoningEffort: 'low' },
      });
      return (
        body.reasoning_effort ??
        body.generationConfig?.thinkingConfig ??
        body.thinking ??
        body.reasoning ??
        body.generation_config
      );
    });
    assert.deepEqual(places, [
      'low',
      { thinkingLevel: 'LOW', includeThoughts: true },
      { type: 'enabled', budget_tokens: 2048 },
      { effort: 'low' },
      { thinking_level: 'low', thinking_summaries: 'auto' },
    ]);
  });

  it('request encrypted reasoning from reasoning models, because replies are not stored', () => {
    const unused = { messages: [], turns: new Map(), settings: {}, caching: {} };
    const request = (model: string) =>
      modelRequest({ ...unused, turnModel: { gateway: 'g', model, format: 'responses' } }).body as {
        readonly include?: unknown;
        readonly store?: unknown;
      };
    assert.deepEqual(request('openai/gpt-5').include, ['reasoning.encrypted_content']);
    assert.equal(request('gpt-4o').include, undefined);
    assert.equal(request('gpt-4o').store, false);
  });
});

describe('the reasoning of replies', () => {
  it('has a placeholder for models that reject tool calls without reasoning', () => {
    const parts = [
      hostMessage(1, text('Read it')),
      hostMessage(2, text('Yes'), call('c1')),
      hostMessage(1, result('c1', text('x'))),
    ];
    const answer = (model: string, messages: ReturnType<typeof hostMessage>[]) => {
      const request = modelRequest({
        turnModel: { gateway: 'g', model, format: 'chatCompletions' },
        messages: arrangeToolTurns(readVsCodeMessages(messages)),
        turns: new Map(),
        settings: {},
        caching: {},
      });
      const { messages: sent } = request.body as unknown as { readonly messages: readonly JsonObject[] };
      return sent.find(({ role }) => role === 'assistant')?.reasoning_content;
    };
    for (const model of ['moonshotai/kimi-k2.6', 'deepseek-v4-pro', 'Kimi-K3']) {
      assert.equal(answer(model, parts), ' ', model);
      assert.equal(
        answer(model, [hostMessage(1, text('Hi')), hostMessage(2, text('Hello'))]),
        undefined,
        model,
      );
    }
    assert.equal(answer('gpt-5', parts), undefined);
  });
});

describe('the tools of a request', () => {
  it('have names that every provider accepts, and are found by these names', () => {
    const names = ['read', 'a.b', 'a_b', '日本', '9lives', 'x'.repeat(100)];
    const sent = names.map(sentToolName);
    assert.equal(new Set(sent).size, names.length);
    for (const name of sent) assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    const tools = new OfferedToolNames(names);
    assert.deepEqual(
      sent.map((name) => tools.find(name)),
      names,
    );
    assert.equal(tools.find('functions.read'), 'read');
    assert.equal(tools.find('default_api:Read'), 'read');
    assert.equal(tools.find('write'), undefined);
  });

  it('are identified in the error of a provider by name, position or size', () => {
    const tools = [
      { name: 'read' },
      { name: 'read_all', inputSchema: { a: 'x'.repeat(100) } },
      { name: 'run' },
    ];
    const findRefused = (gatewayMessage: string) => refusedTool({ gatewayMessage }, tools);
    assert.deepEqual(findRefused("Invalid schema for function 'read_all': bad"), {
      tool: tools[1],
      isNamed: true,
    });
    assert.deepEqual(findRefused('tools.2.custom.input_schema: invalid')?.tool, tools[2]);
    assert.deepEqual(findRefused('tools[0].function_declarations[1].parameters: bad')?.tool, tools[1]);
    assert.deepEqual(findRefused('too many tools: 3, at most 2'), { tool: tools[1], isNamed: false });
    assert.equal(findRefused('tools[0]: too many function_declarations')?.isNamed, false);
    assert.equal(findRefused('prompt is too long'), undefined);
    const longTools = [...tools, { name: 'long', inputSchema: { a: 'x'.repeat(2 ** 20) } }];
    const tooLong = { gatewayMessage: 'too long', reason: 'too-large' } as const;
    assert.equal(refusedTool(tooLong, tools), undefined, 'the conversation is too long');
    assert.equal(refusedTool(tooLong, longTools)?.tool.name, 'long');
  });
});

describe('a reply for VS Code’s own chat', () => {
  const names = new OfferedToolNames(['read', 'run']);
  const outcomes = (...fragments: readonly (readonly [number, string?, string?, string?])[]) => {
    const calls = new CallAssembler();
    for (const [index, name, args, id] of fragments) {
      calls.add({
        type: 'toolCall',
        choice: 0,
        index,
        ...(name !== undefined && { name }),
        ...(args !== undefined && { arguments: args }),
        ...(id !== undefined && { id }),
      });
    }
    return calls.read(names).map(({ outcome }) => outcome);
  };

  it('joins fragments of tool calls, and rejects broken, unknown or ambiguous calls', () => {
    assert.deepEqual(outcomes([0, 'read', '{"a"', 'c1'], [1, 'run'], [0, undefined, ':1}']), [
      { type: 'accepted', name: 'read', input: { a: 1 } },
      { type: 'accepted', name: 'run', input: {} },
    ]);
    assert.deepEqual(outcomes([0, 'read', '{"a":']), [{ type: 'broken-arguments' }]);
    assert.deepEqual(outcomes([0, 'read', '[1]']), [{ type: 'broken-arguments' }]);
    assert.deepEqual(outcomes([0, 'write', '{}']), [{ type: 'unknown-tool' }]);
    assert.deepEqual(outcomes([0, 'read', '{"a":1}'], [0, 'run', '{"b":2}']), [{ type: 'ambiguous' }]);
    assert.deepEqual(
      outcomes([0, 'read', '{"a"'], [0, 'read', ':1}']).map(({ type }) => type),
      ['accepted'],
    );
  });

  it('does not split characters, and preserves the order of its parts', () => {
    const received: string[] = [];
    const reader = new ReplyReader({
      text: (piece) => received.push(piece),
      reasoning: (piece) => received.push(`(${piece})`),
      file: ({ type }) => received.push(type),
    });
    const event = (type: 'text' | 'reasoning', piece: string) => ({ type, choice: 0, text: piece }) as const;
    reader.read([event('reasoning', 'hm'), event('text', 'a\ud83d')]);
    reader.read([event('text', '\ude00b'), { type: 'media', choice: 0, mimeType: 'image/png', data: '' }]);
    reader.read([event('text', 'c'), { type: 'text', choice: 1, text: 'other' }, event('text', '\ud83d')]);
    reader.end();
    assert.deepEqual(received, ['(hm)', 'a', '😀b', 'media', 'c', '\ufffd']);
  });
});

describe('a recorded reply', () => {
  it('is sent back unchanged, or not at all if it repeats the credential', () => {
    const credential = 'credential-of-this-test';
    const recordThinking = (thinking: string) => {
      const { createDecoder, createRecorder } = textFormat('messages');
      const decoder = new RecordingDecoder(createDecoder(), createRecorder());
      decoder.hideSecrets([credential]);
      const content = [
        { type: 'thinking', thinking, signature: 'proof' },
        { type: 'tool_use', id: 'a', name: 'read', input: { id: 1 } },
        { type: 'tool_use', id: 'b', name: 'broken', input: {} },
      ];
      decoder.read({ type: 'message', content }, new DecodedReply(decoder));
      return { content, verbatim: decoder.toVerbatim(['a', undefined]) };
    };
    const { content, verbatim } = recordThinking('Hm.');
    assert.deepEqual(verbatim, content.slice(0, 2));
    assert.equal(recordThinking(`It is ${credential}.`).verbatim, undefined);
  });
});

describe('token counts for VS Code', () => {
  it('are scaled by the counts that the gateway reported, except implausible ones', () => {
    const counts = new TokenCounts();
    const messages = [hostMessage(1, text('word '.repeat(1000)), call('c'), picture('image/png'))];
    const estimate = requestEstimate(messages, [{ name: 'read', inputSchema: { type: 'object' } }]);
    assert.ok(estimate);
    const before = counts.count('m', 'word '.repeat(100));
    counts.calibrate('m', estimate, estimate * 2);
    assert.equal(counts.count('m', 'word '.repeat(100)), before * 2);
    assert.equal(counts.count('other', 'word '.repeat(100)), before);
    counts.calibrate('m', estimate, 1);
    assert.equal(counts.count('m', 'word '.repeat(100)), before * 2);
  });
});
