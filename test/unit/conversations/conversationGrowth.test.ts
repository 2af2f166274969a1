import assert from 'node:assert/strict';
import { readCodeBlocks } from '../../../src/conversations/conversation/codeBlocks.ts';
import { ContinuationJoin } from '../../../src/conversations/conversation/continuationJoin.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import type { Question } from '../../../src/conversations/conversation/turn.ts';
import { closeMarkdown } from '../../../src/conversations/formats/markdown/markdownExport.ts';
import { readMarkdown } from '../../../src/conversations/formats/markdown/markdownImport.ts';
import { ConversationReading } from '../../../src/conversations/formats/reading/conversationReading.ts';
import type { ChatEvent } from '../../../src/wire/chatEvent.ts';
import { measureCostGrowth } from '../../support/costGrowth.ts';
import { assertLinear } from '../../support/linearCost.ts';

const question: Question = {
  text: '?',
  images: [],
  model: 'model',
  format: 'chatCompletions',
  parameters: {},
};

const choice = 0;

/** Events that one reply may contain ten thousand times. */
const floods: Readonly<Record<string, (at: number) => ChatEvent>> = {
  'pieces of text': () => ({ type: 'text', choice, text: 'word ' }),
  'alternating reasoning and text': (at) => ({ type: at % 2 ? 'text' : 'reasoning', choice, text: 'word ' }),
  'signed passages of reasoning': () => ({ type: 'reasoning', choice, text: 'word', signature: 'proof' }),
  citations: (at) => ({ type: 'citation', choice, url: `https://example.com/${at}` }),
  'tool calls': (at) => ({ type: 'toolCall', choice, index: at, id: `call-${at}`, arguments: '{}' }),
  'pieces of one tool call': () => ({ type: 'toolCall', choice, index: 0, arguments: 'word ' }),
  'alternating tool calls and text': (at) =>
    at % 2 ? { type: 'text', choice, text: 'a' } : { type: 'toolCall', choice, index: at, arguments: 'b' },
  pictures: () => ({ type: 'media', choice, mimeType: 'image/png', data: 'AAAA' }),
  choices: (at) => ({ type: 'text', choice: at % 200, text: 'word ' }),
};

describe('P9 the processing time of a conversation', () => {
  for (const [name, event] of Object.entries(floods)) {
    it(`grows no faster than the length of a reply of ${name}`, () => {
      const growth = measureCostGrowth(40_000, () => {
        const conversation = new Conversation();
        const { id } = conversation.addQuestion(question);
        return (at) => conversation.appendEvents(id, [event(at)]);
      });
      assert.ok(growth < 4, `${growth}`);
    });
  }

  it('grows no faster than the number of turns', () => {
    let conversation = new Conversation();
    const growth = measureCostGrowth(12_000, () => {
      conversation = new Conversation();
      return () => {
        const { id } = conversation.addQuestion(question);
        conversation.appendEvents(id, [{ type: 'text', choice, text: 'Yes.' }]);
      };
    });
    assert.ok(growth < 4, `${growth}`);
    assert.equal(conversation.buildHistoryForNext(question).messages.length, 24_001);
  });

  it('is short for a line of a megabyte that is almost a fence', () => {
    assert.deepEqual(readCodeBlocks(`\`\`\`${'a'.repeat(1_000_000)}\``), []);
  });

  const uses: Readonly<Record<string, (text: string) => void>> = {
    'copying code': readCodeBlocks,
    'continuing by an instruction': (text) => void new ContinuationJoin(text, 'instruction'),
    'continuing after a prefix': (text) => {
      const continuation = new ContinuationJoin(text, 'prefix');
      for (let at = 0; at < text.length; at += 16) {
        continuation.join([{ type: 'text', choice, text: text.slice(at, at + 16) }]);
      }
    },
    'closing exported Markdown': closeMarkdown,
    'importing Markdown': (text) => void readMarkdown(`---\na: b\n---\n${text}`, new ConversationReading()),
  };
  const units = [
    '`',
    '~',
    '```',
    '```\n',
    '~~~a`\n',
    ' ',
    '\n',
    '\t',
    '# user\n',
    '# ',
    '**',
    '\r',
    '\u2028',
    '> ```\na\n',
    '> <pre>\n|\n',
    '>\n> - ```\n[a]:\n',
  ];
  for (const [name, use] of Object.entries(uses)) {
    it(`is linear in the length of the text for ${name}`, () => {
      for (const unit of units) {
        const run = (n: number) => unit.repeat(n / unit.length);
        assertLinear(run, use, 20_000);
        assertLinear((n) => `${run(n)}\u2028`, use, 20_000);
        assertLinear((n) => `${'`'.repeat(n / 2)}\n${run(n / 2)}`, use, 20_000);
      }
    }).timeout(60_000);
  }

  it('is limited by ignoring choices with a huge index', () => {
    const conversation = new Conversation();
    const { id } = conversation.addQuestion(question);
    conversation.appendEvents(id, [{ type: 'text', choice: 4_000_000_000, text: 'far' }]);
    conversation.appendEvents(id, [{ type: 'text', choice, text: 'near' }]);
    assert.deepEqual(conversation.turn(id)?.replies.map(replyText), ['near']);
  });
});
