import assert from 'node:assert/strict';
import {
  countParameters,
  isUnset,
  noParameters,
  requestFields,
  withCommon,
  withOthers,
} from '../../../src/conversations/conversation/chatParameters.ts';

describe('the parameters of a chat', () => {
  const warm = withCommon(withCommon(noParameters, 'temperature', 1.8), 'outputLimit', 50);

  it('are sent in another API format if that has the same parameters', () => {
    assert.deepEqual(requestFields(warm, 'chatCompletions', 'm'), { temperature: 1.8, max_tokens: 50 });
    assert.deepEqual(requestFields(warm, 'messages', 'm'), { max_tokens: 50 });
    assert.deepEqual(requestFields(warm, 'contentGeneration', 'm'), {
      generationConfig: { temperature: 1.8, maxOutputTokens: 50 },
    });
  });

  it('are sent with further fields in their own format only, merged with the common ones', () => {
    const further = withOthers(warm, 'contentGeneration', { generationConfig: { topK: 4 } });
    assert.deepEqual(requestFields(further, 'contentGeneration', 'm'), {
      generationConfig: { temperature: 1.8, maxOutputTokens: 50, topK: 4 },
    });
    assert.deepEqual(requestFields(further, 'messages', 'm'), { max_tokens: 50 });
  });

  it('contain each field once: a field of a common parameter is not a further field', () => {
    const twice = withOthers(warm, 'contentGeneration', {
      generationConfig: { temperature: 0, topP: 1 },
      cachedContent: 'c',
    });
    assert.deepEqual(twice.others.contentGeneration, { generationConfig: { topP: 1 }, cachedContent: 'c' });
    assert.deepEqual(withOthers(twice, 'contentGeneration', { tools: [] }).others, {});
  });

  it('are counted as they are sent', () => {
    const prompted = { ...warm, systemPrompt: 'Be brief' };
    assert.equal(countParameters(prompted, 'chatCompletions', 'm'), 3);
    assert.equal(countParameters(prompted, 'messages', 'm'), 2);
    assert.equal(isUnset(prompted), false);
    const unset = withCommon(withCommon(warm, 'temperature', undefined), 'outputLimit', undefined);
    assert.ok(isUnset(unset));
    assert.equal(countParameters(unset, 'chatCompletions', 'm'), 0);
  });
});
