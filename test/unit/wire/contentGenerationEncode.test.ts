import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ContentGenerationDecoder } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { contentGenerationRequest } from '../../../src/wire/apis/contentGeneration/schema.ts';
import { encodeContentGeneration } from '../../../src/wire/apis/contentGeneration/writeRequest.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import type { Message, MessagePart } from '../../../src/wire/message.ts';
import { DecodedReply } from '../../../src/wire/stream/decodedReply.ts';
import { decodeConversation, mergeTexts, representableConversations } from './conversations.ts';

const call: MessagePart = { type: 'toolCall', id: 'c1', name: 'weather', arguments: '{"city":"Köln"}' };

const conversations = representableConversations({
  reasoning: 'signed',
  hasSignedCalls: true,
  hasInvalidArguments: false,
});

describe('a conversation in content generation', () => {
  it('is decoded unchanged after it was encoded, including signatures and call ids, and is a valid request', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const { body, omitted } = encodeContentGeneration(messages);
        const sent = JSON.parse(JSON.stringify(body));
        contentGenerationRequest.parse(sent);
        assert.deepEqual(omitted, []);
        assert.deepEqual(mergeTexts(decodeConversation('contentGeneration', sent)), mergeTexts(messages));
      }),
      { numRuns: 300 },
    );
  });

  it('contains roles, pictures, calls and results as the format defines them', () => {
    const { body } = encodeContentGeneration([
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Weather?' },
          { type: 'image', mimeType: 'image/png', data: 'aWNv' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'Hm', signature: 's1' },
          { ...call, signature: 's2' },
          { type: 'text', text: '' },
        ],
      },
      { role: 'user', parts: [{ type: 'toolResult', id: 'c1', name: 'weather', text: 'rain' }] },
      { role: 'user', parts: [{ type: 'text', text: 'And?' }] },
    ]);
    assert.deepEqual(body, {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Weather?' }, { inlineData: { mimeType: 'image/png', data: 'aWNv' } }],
        },
        {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true, thoughtSignature: 's1' },
            { functionCall: { id: 'c1', name: 'weather', args: { city: 'Köln' } }, thoughtSignature: 's2' },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'weather', response: { output: 'rain' } } },
            { text: 'And?' },
          ],
        },
      ],
    });
  });

  it('reports each part that the format cannot represent once', () => {
    const messages: readonly Message[] = [
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      { role: 'system', parts: [{ type: 'image', mimeType: 'image/png', data: 'aWNv' }] },
      { role: 'assistant', parts: [{ ...call, arguments: '{"city":' }] },
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
    ];
    const { body, omitted } = encodeContentGeneration(messages);
    assert.equal(omitted.length, 3);
    assert.match(
      omitted.map(inEnglish).join(' '),
      /the position of a system message.*an image.*call to weather/,
    );
    assert.deepEqual(body.systemInstruction, { parts: [{ text: 'Be brief.' }] });
  });

  it('F57 contains an earlier reply unchanged, including thought signatures', () => {
    const parts = [
      { text: 'Hm', thought: true, thoughtSignature: 's1' },
      { text: 'I look.' },
      { functionCall: { id: 'c1', name: 'weather', args: { city: 'Köln' } }, thoughtSignature: 's2' },
    ];
    const reply = new DecodedReply(new ContentGenerationDecoder());
    reply.read({ candidates: [{ content: { role: 'model', parts } }] });
    const messageParts = reply.takeEvents().flatMap((event): readonly MessagePart[] => {
      if (event.type === 'text') return [{ type: 'text', text: event.text }];
      const { signature } = event as { readonly signature?: string };
      const mark = signature === undefined ? {} : { signature };
      if (event.type === 'reasoning') return [{ type: 'reasoning', text: event.text, ...mark }];
      if (event.type !== 'toolCall') return [];
      const { id = '', name = '', arguments: args = '' } = event;
      return [{ type: 'toolCall', id, name, arguments: args, ...mark }];
    });
    assert.deepEqual(encodeContentGeneration([{ role: 'assistant', parts: messageParts }]).body.contents, [
      { role: 'model', parts },
    ]);
  });
});

describe('the content generation request', () => {
  it('passes unknown fields through unchanged', () => {
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'Hi', future: 1 }] }],
      generationConfig: { temperature: 0.5, future: { deep: true } },
      tools: [{ googleSearch: {} }],
      future: [1],
    };
    assert.deepEqual(contentGenerationRequest.parse(body), body);
  });

  const refused: readonly (readonly [field: string, body: object])[] = [
    ['contents', { contents: [] }],
    ['contents.0.parts', { contents: [{ role: 'user' }] }],
    ['contents.0.role', { contents: [{ role: 'robot', parts: [] }] }],
    ['generationConfig.temperature', { generationConfig: { temperature: 3 } }],
    ['generationConfig.topP', { generationConfig: { topP: 2 } }],
    ['generationConfig.maxOutputTokens', { generationConfig: { maxOutputTokens: 0 } }],
    [
      'generationConfig.thinkingConfig.thinkingBudget',
      { generationConfig: { thinkingConfig: { thinkingBudget: -2 } } },
    ],
    ['safetySettings.0.threshold', { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT' }] }],
  ];
  for (const [field, body] of refused) {
    it(`reports an invalid ${field}`, () => {
      const smallest = { contents: [{ parts: [{ text: 'Hi' }] }] };
      const { error } = contentGenerationRequest.safeParse({ ...smallest, ...body });
      assert.deepEqual(
        error?.issues.map(({ path }) => path.join('.')),
        [field],
      );
    });
  }
});
