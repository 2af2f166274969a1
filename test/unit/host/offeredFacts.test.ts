import assert from 'node:assert/strict';
import { getModelFamily, versionIn } from '../../../src/host/agents/languageModels/list/knownFamilies.ts';
import { effortValues, verbosityValues } from '../../../src/host/agents/languageModels/list/modelOptions.ts';
import { offeredFacts, tokenLimits } from '../../../src/host/agents/languageModels/list/offeredFacts.ts';
import { textFormats } from '../../../src/wire/apis/textFormats.ts';

const sources = (facts: ReturnType<typeof offeredFacts>) =>
  Object.fromEntries(Object.entries(facts).map(([name, { source }]) => [name, source]));

describe('the family of an offered model', () => {
  const families = [
    ['gpt-5', 'gpt-5'],
    ['openai/gpt-5.1-codex-2026-01-01', 'gpt-5.1-codex'],
    ['anthropic.claude-sonnet-4-20250514-v1:0', 'claude-sonnet-4'],
    ['vertex/claude-3-5-haiku@20241022', 'claude-3-5-haiku'],
    ['models/gemini-2.5-pro-latest', 'gemini-2.5-pro'],
    ['x-ai/grok-code-fast-1:free', 'grok-code-fast-1'],
    ['azure-gpt-4o', 'gpt-4o'],
    ['llama3.3:70b', 'llama3.3'],
    ['Qwen/Qwen3-Coder', 'qwen3-coder'],
    ['mygpt-thing', 'mygpt-thing'],
    ['/', '/'],
  ] as const;
  for (const [id, family] of families)
    it(`is ${family} for ${id}`, () => {
      assert.equal(getModelFamily(id), family);
    });

  it('has a separate version if the id contains one', () => {
    assert.equal(versionIn('claude-sonnet-4-20250514'), '20250514');
    assert.equal(versionIn('gpt-4o-2024-11-20'), '2024-11-20');
    assert.equal(versionIn('gpt-5'), undefined);
  });
});

describe('the facts of a model for VS Code', () => {
  it('come from the user, the gateway or the family, in this order, with their source', () => {
    const model = {
      id: 'claude-sonnet-4',
      owner: '',
      contextLength: 1_000_000,
      abilities: ['tools'],
    } as const;
    const facts = offeredFacts(model, { maxOutput: 9_000 });
    assert.deepEqual(sources(facts), {
      family: 'family',
      contextLength: 'gateway',
      maxOutput: 'user',
      tools: 'gateway',
      pictures: 'family',
      reasoning: 'family',
    });
    assert.deepEqual(tokenLimits(facts), { maxInputTokens: 991_000, maxOutputTokens: 9_000 });
  });

  it('have defaults if they are unknown: tools, but no pictures', () => {
    const facts = offeredFacts({ id: 'words-1', owner: '' }, {});
    assert.equal(facts.tools.value, true);
    assert.equal(facts.pictures.value, false);
    assert.ok(Object.entries(sources(facts)).every(([name, by]) => name === 'family' || by === 'default'));
  });

  it('exclude tools if the gateway lists abilities without them, unless it lists only reasoning', () => {
    const tools = (...abilities: ('vision' | 'reasoning')[]) =>
      offeredFacts({ id: 'words-1', owner: '', abilities }, {}).tools;
    assert.deepEqual(tools('vision'), { value: false, source: 'gateway' });
    assert.deepEqual(tools('reasoning'), { value: true, source: 'default' });
  });

  it('reserve room for a prompt if the output limit equals the context length', () => {
    const facts = offeredFacts({ id: 'words-1', owner: '', contextLength: 8_000, maxOutput: 8_000 }, {});
    assert.deepEqual(tokenLimits(facts), { maxInputTokens: 5_334, maxOutputTokens: 8_000 });
  });

  const known = [
    ['openai/gpt-5.2', 272_000, 128_000],
    ['gpt-5.4', 922_000, 128_000],
    ['gpt-5.4-mini', 272_000, 128_000],
    ['gpt-5.1-chat-latest', 111_616, 16_384],
    ['claude-opus-4.6', 872_000, 128_000],
    ['claude-sonnet-4-5-20250929', 136_000, 64_000],
    ['claude-opus-4-1', 168_000, 32_000],
    ['anthropic/claude-3-haiku', 195_904, 4_096],
    ['gemini-3-pro-preview', 983_040, 65_536],
    ['x-ai/grok-4.3', 970_000, 30_000],
    ['deepseek-v4-pro', 666_667, 384_000],
    ['moonshotai/kimi-k2.6', 253_952, 8_192],
    ['gpt-image-2', 119_808, 8_192],
  ] as const;
  for (const [id, input, output] of known)
    it(`are ${input} input tokens and ${output} output tokens for ${id}, as its maker documents`, () => {
      const limits = tokenLimits(offeredFacts({ id, owner: '' }, {}));
      assert.deepEqual([limits.maxInputTokens, limits.maxOutputTokens], [input, output]);
    });

  it('list the reasoning efforts of each API format', () => {
    const words = Object.fromEntries(textFormats.map(({ id }) => [id, effortValues(id).join(' ')]));
    assert.deepEqual(words, {
      chatCompletions: 'none minimal low medium high',
      contentGeneration: 'none minimal low medium high',
      messages: 'none adaptive low medium high',
      responses: 'none minimal low medium high',
      interactions: 'minimal low medium high',
    });
  });

  it('list verbosities if the format and the family support them', () => {
    const formats = (family: string) =>
      textFormats.map(({ id }) => id).filter((id) => verbosityValues(id, family).length > 0);
    for (const family of ['gpt-5', 'gpt-5.2-mini', 'gpt-10'])
      assert.deepEqual(formats(family), ['chatCompletions', 'responses'], family);
    for (const family of ['gpt-4o', 'gpt-5-chat', 'gpt-5.1-codex', 'claude-5', 'o3'])
      assert.deepEqual(formats(family), [], family);
  });
});
