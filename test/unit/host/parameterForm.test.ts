import assert from 'node:assert/strict';
import { locateField } from '../../../src/host/chat/parameters/parameterForm.ts';
import { type TextFormatId, textFormat } from '../../../src/wire/apis/textFormats.ts';

describe('the place of a field that a gateway rejects', () => {
  const rows: readonly (readonly [format: TextFormatId, field: string, place: string | readonly string[]])[] =
    [
      ['chatCompletions', 'temperature', ['common', 'temperature']],
      ['chatCompletions', 'max_tokens', ['common', 'outputLimit']],
      ['chatCompletions', 'messages.0.content', 'message-box'],
      ['chatCompletions', 'logit_bias', ['logit_bias']],
      ['contentGeneration', 'generation_config.temperature', ['common', 'temperature']],
      ['contentGeneration', 'generationConfig.maxOutputTokens', ['common', 'outputLimit']],
      ['contentGeneration', 'contents.0.parts', 'message-box'],
      ['contentGeneration', 'system_instruction', ['common', 'systemPrompt']],
      ['messages', 'max_tokens', ['common', 'outputLimit']],
      ['messages', 'system', ['common', 'systemPrompt']],
      ['responses', 'input', 'message-box'],
      ['responses', 'instructions', ['common', 'systemPrompt']],
      ['interactions', 'foo.bar', ['foo', 'bar']],
    ];
  for (const [format, field, place] of rows) {
    it(`is found for ${field} of ${format}`, () =>
      assert.deepEqual(locateField(textFormat(format), field), place));
  }
});
