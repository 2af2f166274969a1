import assert from 'node:assert/strict';
import {
  buildRequestFields,
  countParameters,
  isUnset,
  noParameters,
  withCommonParameter,
  withOtherFields,
} from '../../../src/conversations/conversation/chatParameters.ts';

describe('the parameters of a chat', () => {
  const warm = withCommonParameter(withCommonParameter(noParameters, 'temperature', 1.8), 'outputLimit', 50);

  it('are sent in another API format if that has the same parameters', () => {
    assert.deepEqual(buildRequestFields(warm, 'chatCompletions', 'm'), { temperature: 1.8, max_tokens: 50 });
    assert.deepEqual(buildRequestFields(warm, 'messages', 'm'), { max_tokens: 50 });
    assert.deepEqual(buildRequestFields(warm, 'contentGeneration', 'm'), {
      generationConfig: { temperature: 1.8, maxOutputTokens: 50 },
    });
  });

  it('are sent with further fields in their own format only, merged with the common ones', () => {
    const further = withOtherFields(warm, 'contentGeneration', { generationConfig: { topK: 4 } });
    assert.deepEqual(buildRequestFields(further, 'contentGeneration', 'm'), {
      generationConfig: { temperature: 1.8, maxOutputTokens: 50, topK: 4 },
    });
    assert.deepEqual(buildRequestFields(further, 'messages', 'm'), { max_tokens: 50 });
  });

  it('contain each field once: a field of a common parameter is not a further field', () => {
    const twice = withOtherFields(warm, 'contentGeneration', {
      generationConfig: { temperature: 0, topP: 1 },
      cachedContent: 'c',
    });
    assert.deepEqual(twice.others.contentGeneration, { generationConfig: { topP: 1 }, cachedContent: 'c' });
    assert.deepEqual(withOtherFields(twice, 'contentGeneration', { tools: [] }).others, {});
  });

  it('are counted as they are sent', () => {
    const prompted = { ...warm, systemPrompt: 'Be brief' };
    assert.equal(countParameters(prompted, 'chatCompletions', 'm'), 3);
    assert.equal(countParameters(prompted, 'messages', 'm'), 2);
    assert.equal(isUnset(prompted), false);
    const unset = withCommonParameter(
      withCommonParameter(warm, 'temperature', undefined),
      'outputLimit',
      undefined,
    );
    assert.ok(isUnset(unset));
    assert.equal(countParameters(unset, 'chatCompletions', 'm'), 0);
  });
});
