import assert from 'node:assert/strict';
import fc from 'fast-check';
import { demoQuestions } from '../../../../src/base/demoQuestions.ts';
import { readDemoConversation } from '../../../../src/localGateway/demo/demoConversation.ts';
import { demoLabel } from '../../../../src/localGateway/demo/demoReplyText.ts';
import type { DemoPrompt } from '../../../../src/localGateway/demo/demoRequest.ts';
import { continueReply, type Draft, writeDraft } from '../../../../src/localGateway/demo/replyDraft.ts';
import { writeContinuationRequest } from '../../../../src/wire/continuationRequest.ts';

describe('the reply of a demo model', () => {
  function draft(question: string, fields: Partial<DemoPrompt> = {}, choice = 0, isReasoning = false): Draft {
    const tools = { tools: [], isRequired: false, isParallel: true };
    const prompt = {
      model: 'demo/chat',
      messages: [userMessage(question)],
      stop: [],
      requiresJson: false,
      tools,
      ...fields,
    };
    return writeDraft({ maxTokens: Infinity, ...prompt }, readDemoConversation(prompt), choice, isReasoning);
  }
  const userMessage = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text' as const, text }] });
  const writeReply = (question: string, fields: Partial<DemoPrompt> = {}, choice = 0) =>
    draft(question, fields, choice).content.join('');
  const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.lorem());

  it('is labelled, quotes the question and is the same for the same question', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const written = writeReply(text);
        assert.ok(written.startsWith(demoLabel));
        assert.equal(writeReply(text), written);
        const [line = ''] = text.trim().split(/[\r\n]/);
        if (line !== '' && line.length < 100 && !/help/i.test(line)) assert.ok(written.includes(`> ${line}`));
      }),
    );
  });

  it('answers the suggested questions, also with additions', () => {
    const { explain, retry, compare, help } = demoQuestions;
    for (const [question, sign] of [
      [explain, /^1\. \*\*checks the credential/m],
      [`${explain}, in three sentences.`, /^1\. \*\*checks the credential/m],
      [retry, /```typescript\n[^`]*async function fetchWithRetry/],
      [`${retry}, and explain it.`, /fetchWithRetry/],
      [compare, /^\| First word \| /m],
      [help, /^## What this demo can show/m],
      [`src/help.ts\n\`\`\`typescript\nhelp();\n\`\`\`\n\n${retry}`, /fetchWithRetry/],
    ] as const) {
      const written = writeReply(question);
      assert.match(written, sign, question);
      assert.ok(written.startsWith(demoLabel), question);
      assert.ok(!written.includes(`> ${question}`), 'the reply is not a quotation');
    }
    assert.ok(writeReply(`Do not ${explain.toLowerCase()}`).includes('> Do not'));
  });

  it('varies with the question and the choice', () => {
    assert.notEqual(writeReply('What is a cat?'), writeReply('What is a dog?'));
    assert.notEqual(writeReply('500 words', {}, 0), writeReply('500 words', {}, 1));
  });

  it('never splits a character', () => {
    const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(anyText, (text) => {
        const { content } = draft(text);
        const bounds = new Set([...characters.segment(content.join(''))].map(({ index }) => index));
        let at = 0;
        for (const token of content) {
          assert.ok(bounds.has(at));
          at += token.length;
        }
      }),
    );
  });

  it('is cut at the token limit, with the finish reason length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (most) => {
        const complete = draft('a table');
        const { content, finish } = draft('a table', { maxTokens: most });
        assert.equal(content.length, Math.min(most, complete.content.length));
        assert.equal(finish, most < complete.content.length ? 'length' : 'stop');
        assert.ok(complete.content.join('').startsWith(content.join('')));
      }),
    );
  });

  it('ends before the first stop sequence', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'o', '##', '\n', 'x', ''), { minLength: 1 }), (stop) => {
        const written = writeReply('hello world', { stop });
        for (const word of stop) assert.ok(word === '' || !written.includes(word));
        assert.ok(writeReply('hello world').startsWith(written));
      }),
    );
  });

  it('contains code in the requested language, and valid JSON for hostile questions', () => {
    const cases: readonly (readonly [question: string, fence: string])[] = [
      ['a function please', 'typescript'],
      ['TypeScript or ts?', 'typescript'],
      ['show me Python', 'python'],
      ['a bash script', 'bash'],
      ['JSON example', 'json'],
      ['an SQL query', 'sql'],
      ['hello in Rust', 'rust'],
      ['a loop in Go', 'go'],
      ['写一段代码', 'typescript'],
    ];
    for (const [question, fence] of cases)
      assert.match(writeReply(question), new RegExp(`^\`\`\`${fence}\n`, 'm'));
    const hostile = writeReply('json "; DROP TABLE \u0000 ``` </script>');
    const [, block = ''] = /```json\n(.*?)\n```/s.exec(hostile.slice(hostile.indexOf('### Code'))) ?? [];
    assert.doesNotThrow(() => JSON.parse(block));
  });

  it('has the requested length', () => {
    const wordsIn = (text: string) => text.split(/\s+/).length;
    for (const words of [100, 800, 3000]) {
      const written = wordsIn(writeReply(`write ${words} words`));
      assert.ok(written >= words && written < words * 1.3 + 60, `${written} for ${words}`);
    }
    const parts = writeReply('7 paragraphs').split('### 1.')[1] ?? '';
    assert.equal(parts.split('\n\n').filter((block) => block.length > 150).length, 7);
    assert.ok(wordsIn(writeReply('a long answer')) > 500);
    assert.ok(wordsIn(writeReply('how long does it take?')) < 200);
    assert.ok(wordsIn(writeReply('999999 words')) < 7_000);
  });

  it('contains a table, a list, or both with code', () => {
    const all = writeReply('a table, a list and some rust code');
    assert.match(all, /^\| --- \| --- \| --- \|$/m);
    assert.match(all, /^1\. /m);
    assert.match(all, /```rust/);
    assert.match(writeReply('hello'), /^\| --- \| --- \|$/m);
  });

  it('explains the demo on request', () => {
    for (const question of ['help', 'Help!', '帮助']) assert.match(writeReply(question), /fail with 429/);
    assert.doesNotMatch(writeReply('can you help me with this bug'), /fail with 429/);
  });

  it('counts reasoning towards the token limit', () => {
    const { reasoning, content, finish } = draft('why?', { maxTokens: 10 }, 0, true);
    assert.equal(reasoning.length, 10);
    assert.deepEqual(content, []);
    assert.equal(finish, 'length');
  });

  it('is short for a question of 2 MB', () => {
    const written = writeReply(`${'word '.repeat(400_000)}?`);
    assert.ok(written.length < 5_000);
  });

  it('continues its own text from any cut, with or without a continuation request', () => {
    const [chat, reasoning] = [
      { model: 'demo/chat', isReasoning: false },
      { model: 'demo/reasoning', isReasoning: true },
    ];
    const tools = { tools: [], isRequired: false, isParallel: true };
    const fields = {
      choices: 1,
      stop: [],
      requiresJson: false,
      enablesReasoning: true,
      tools,
      maxTokens: Infinity,
    };
    const assistantMessage = (text: string) => ({
      role: 'assistant' as const,
      parts: [{ type: 'text' as const, text }],
    });
    const question = userMessage('rust code and a table');
    for (const { model, isReasoning } of [chat, reasoning]) {
      const text = draft('rust code and a table', { model }, 0, isReasoning).content.join('');
      for (let at = 1; at < text.length; at += 7) {
        const cut = [question, assistantMessage(text.slice(0, at))];
        for (const messages of [cut, [...cut, userMessage(writeContinuationRequest(text.slice(0, at)))]]) {
          const own = model === chat.model ? [chat, reasoning] : [reasoning, chat];
          const [rest] = continueReply({ ...fields, model, messages }, own) ?? [];
          assert.equal(rest?.content.join(''), text.slice(at));
        }
      }
      const other = [question, assistantMessage(text.slice(0, -5))];
      const [end] = continueReply({ ...fields, model, messages: other }, [chat, reasoning].reverse()) ?? [];
      assert.equal(end?.content.join(''), text.slice(-5));
      const messages = [question, assistantMessage(text), userMessage('continue')];
      assert.equal(continueReply({ ...fields, model, messages }, [chat, reasoning]), undefined);
    }
    const strange = [userMessage('hello'), assistantMessage('Nobody wrote this'), userMessage('continue')];
    const [rest] =
      continueReply({ ...fields, model: 'demo/chat', messages: strange }, [chat, reasoning]) ?? [];
    assert.match(rest?.content.join('') ?? '', /can continue only its own replies/);
  });
});
