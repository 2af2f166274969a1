import assert from 'node:assert/strict';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { catchRefusal, convert, convertFields, fieldsSent, minimalRequests } from './conversions.ts';

const tools = [{ type: 'function', function: { name: 'look' } }];

describe('rules of the requested model', () => {
  describe('for later Claude models, which take an effort', () => {
    const request = { reasoning_effort: 'high', temperature: 0.2, top_p: 0.9, top_k: 5 };
    const thinking = { type: 'adaptive', display: 'summarized' };
    const to = (model: string, fields: object) =>
      convertFields('chatCompletions', 'messages', fields, { model });

    it('send the effort, request the thinking summary, and drop sampling fields', () => {
      for (const model of [
        'claude-opus-4-7',
        'anthropic/claude-opus-4.8',
        'claude-sonnet-5@20260901',
        'claude-opus-5-5',
        'us.anthropic.claude-fable-5-2-v1:0',
        'claude-mythos-preview',
        'claude-opus-10',
      ]) {
        assert.deepEqual(to(model, request), {
          fields: { model, max_tokens: 48_384, thinking, output_config: { effort: 'high' } },
          dropped: ['temperature', 'top_p', 'top_k'],
        });
      }
    });

    it('send the caller’s effort if the model knows it, or the nearest one', () => {
      const effort = (model: string, word: string) => {
        const { fields } = to(model, { reasoning_effort: word });
        return (fields.output_config as { effort?: string } | undefined)?.effort;
      };
      assert.deepEqual(
        ['minimal', 'low', 'medium', 'xhigh', 'max'].map((word) => effort('claude-opus-4-8', word)),
        ['low', 'low', 'medium', 'xhigh', 'max'],
      );
      assert.equal(effort('claude-sonnet-4-6', 'xhigh'), 'high');
      assert.equal(effort('claude-opus-4-8', 'none'), undefined);
      assert.equal(effort('claude-sonnet-5', 'none'), 'low');
      assert.deepEqual(to('claude-opus-4-8', { reasoning_effort: 'enormous' }).dropped, ['reasoning_effort']);
    });

    it('drop thinking if the request conflicts with it, and keep the effort', () => {
      const forced = { reasoning_effort: 'low', tools, tool_choice: 'required' };
      const { thinking: forbidden, output_config } = to('claude-opus-5', forced).fields;
      assert.deepEqual([forbidden, output_config], [undefined, { effort: 'low' }]);
      const sampled = { reasoning_effort: 'low', temperature: 0.2 };
      const { fields } = to('claude-sonnet-4-6', sampled);
      assert.deepEqual([fields.thinking, fields.temperature], [undefined, 0.2]);
    });

    it('reject a temperature outside the range of the format', () => {
      const refusal = catchRefusal(() => to('claude-opus-5', { temperature: 1.5 }));
      assert.equal(refusal.param, 'temperature');
    });

    it('send a budget to earlier models and to models of other vendors', () => {
      for (const model of [
        'claude-opus-4-5-20251101',
        'claude-opus-4-20250514',
        'claude-3-7-sonnet',
        'kimi-k2',
      ])
        assert.deepEqual(
          to(model, { reasoning_effort: 'high' }).fields.thinking,
          { type: 'enabled', budget_tokens: 16_384 },
          model,
        );
    });
  });

  it('drop sampling fields for reasoning models of OpenAI', () => {
    const request = { generationConfig: { temperature: 0.2, topP: 0.95, presencePenalty: 1, seed: 7 } };
    const dropped = (model: string, to: 'chatCompletions' | 'responses' = 'chatCompletions') => {
      const { seed: _, ...config } = request.generationConfig;
      return convertFields('contentGeneration', to, { generationConfig: config }, { model }).dropped;
    };
    const all = ['temperature', 'topP', 'presencePenalty'].map((name) => `generationConfig.${name}`);
    for (const model of ['gpt-5', 'openai/gpt-6-sol', 'o3-mini']) {
      assert.deepEqual(dropped(model), all, model);
      assert.deepEqual(dropped(model, 'responses'), all, model);
    }
    for (const model of ['gpt-5-chat-latest', 'gpt-4o', 'llama-3'])
      assert.deepEqual(dropped(model), [], model);
    const usual = { temperature: 1, top_p: 1 };
    assert.deepEqual(convertFields('messages', 'chatCompletions', usual, { model: 'gpt-5' }).dropped, []);
    const awake = { temperature: 0.2, reasoning_effort: 'none' };
    const fields = fieldsSent('chatCompletions', 'responses', awake, { model: 'gpt-5.2' });
    assert.equal(fields.temperature, 0.2);
    const hot = () => convertFields('chatCompletions', 'responses', { temperature: 2.5 }, { model: 'gpt-5' });
    assert.equal(catchRefusal(hot).param, 'temperature');
  });

  it('send the lowest thinking level to Gemini models that cannot disable thinking', () => {
    const none = (model: string) => {
      const request = { reasoning_effort: 'none' };
      const { generationConfig } = fieldsSent('chatCompletions', 'contentGeneration', request, { model });
      return (generationConfig as { thinkingConfig: object } | undefined)?.thinkingConfig;
    };
    const includeThoughts = true;
    assert.deepEqual(none('gemini-2.5-flash'), { thinkingBudget: 0 });
    assert.deepEqual(none('gemini-2.5-flash-lite'), { thinkingBudget: 0 });
    assert.deepEqual(none('gemini-2.5-pro'), { thinkingBudget: 128, includeThoughts });
    assert.deepEqual(none('gemini-3.1-pro-preview'), { thinkingLevel: 'LOW', includeThoughts });
    assert.deepEqual(none('gemini-3.8-flash'), { thinkingLevel: 'LOW', includeThoughts });
    assert.deepEqual(none('gemini-3.1-flash-lite'), { thinkingLevel: 'MINIMAL', includeThoughts });
    assert.equal(none('gemini-2.0-flash'), undefined);
  });

  it('send reasoning with a tool call to Kimi and DeepSeek, which require it', () => {
    const call = { type: 'tool_use', id: 'c', name: 'look', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'seen' };
    const convertReasoning = (model: string, thinking: object) => {
      const messages = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'thinking', ...thinking }, call] },
        { role: 'user', content: [result] },
      ];
      const { body, dropped } = convert(
        'messages',
        'chatCompletions',
        { ...minimalRequests.messages, messages },
        { model },
      );
      const [, reply] = (body as { messages: { reasoning_content?: string }[] }).messages;
      return [reply?.reasoning_content, dropped.length];
    };
    const own = { thinking: 'I look first.', signature: '' };
    for (const model of ['deepseek-v4-pro', 'moonshotai/kimi-k2.6'])
      assert.deepEqual(convertReasoning(model, own), ['I look first.', 0], model);
    assert.deepEqual(convertReasoning('deepseek-v4-pro', { ...own, signature: 'proof' }), [' ', 1]);
    assert.deepEqual(convertReasoning('gpt-5', own), [undefined, 1]);
  });

  it('drop thinking for models that cannot think', () => {
    const dropped = (to: ConvertibleFormat, model: string) => {
      const from = to === 'messages' ? 'chatCompletions' : 'messages';
      const thinking = { type: 'enabled', budget_tokens: 5000 };
      const cases = from === 'messages' ? { max_tokens: 9000, thinking } : { reasoning_effort: 'high' };
      return convertFields(from, to, cases, { model }).dropped.length;
    };
    const cases: readonly (readonly [ConvertibleFormat, string, string])[] = [
      ['chatCompletions', 'gpt-4o', 'gpt-oss-120b'],
      ['responses', 'openai/gpt-4.1-mini', 'gpt-5'],
      ['contentGeneration', 'gemini-2.0-flash', 'gemini-2.5-flash'],
      ['messages', 'claude-3-5-sonnet-20241022', 'claude-3-7-sonnet-20250219'],
    ];
    for (const [to, thoughtless, thinking] of cases)
      assert.deepEqual([dropped(to, thoughtless), dropped(to, thinking)], [1, 0], to);
  });
});
