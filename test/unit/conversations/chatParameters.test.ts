import assert from 'node:assert/strict';
import {
  countSet,
  isUnset,
  noParameters,
  requestFields,
  withCommon,
  withOthers,
} from '../../../src/conversations/conversation/chatParameters.ts';

describe('the parameters of a chat', () => {
  const warm = withCommon(withCommon(noParameters, 'temperature', 1.8), 'outputLimit', 50);

  it('go along to another API format, where that has the same', () => {
    assert.deepEqual(requestFields(warm, 'chatCompletions', 'm'), { temperature: 1.8, max_tokens: 50 });
    assert.deepEqual(requestFields(warm, 'messages', 'm'), { max_tokens: 50 });
    assert.deepEqual(requestFields(warm, 'contentGeneration', 'm'), {
      generationConfig: { temperature: 1.8, maxOutputTokens: 50 },
    });
  });

  it('keep further fields to their own format, beside the common ones in the same object', () => {
    const further = withOthers(warm, 'contentGeneration', { generationConfig: { topK: 4 } });
    assert.deepEqual(requestFields(further, 'contentGeneration', 'm'), {
      generationConfig: { temperature: 1.8, maxOutputTokens: 50, topK: 4 },
    });
    assert.deepEqual(requestFields(further, 'messages', 'm'), { max_tokens: 50 });
  });

  it('hold no field twice: what a common one holds is no further field', () => {
    const twice = withOthers(warm, 'contentGeneration', {
      generationConfig: { temperature: 0, topP: 1 },
      cachedContent: 'c',
    });
    assert.deepEqual(twice.others.contentGeneration, { generationConfig: { topP: 1 }, cachedContent: 'c' });
    assert.deepEqual(withOthers(twice, 'contentGeneration', { tools: [] }).others, {});
  });

  it('are counted as they are sent', () => {
    const prompted = { ...warm, systemPrompt: 'Be brief' };
    assert.equal(countSet(prompted, 'chatCompletions', 'm'), 3);
    assert.equal(countSet(prompted, 'messages', 'm'), 2);
    assert.equal(isUnset(prompted), false);
    const unset = withCommon(withCommon(warm, 'temperature', undefined), 'outputLimit', undefined);
    assert.ok(isUnset(unset));
    assert.equal(countSet(unset, 'chatCompletions', 'm'), 0);
  });
});
