import assert from 'node:assert/strict';
import * as z from 'zod';
import type { JsonObject } from '../../../src/base/json.ts';
import { valueAt, withValue } from '../../../src/base/nestedValues.ts';
import { readResponseSchema } from '../../../src/conversations/conversation/chatParameters.ts';
import { readFunctions } from '../../../src/wire/apis/shared/functionTools.ts';
import {
  type CommonParameters,
  commonNames,
  type PlacedField,
} from '../../../src/wire/apis/shared/requestSettings.ts';
import { type TextFormatId, textFormat, textFormats } from '../../../src/wire/apis/textFormats.ts';

const weather = {
  name: 'get_weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
} as const;

/** The same function as each format writes it. */
const written: Readonly<Record<TextFormatId, object>> = {
  chatCompletions: { type: 'function', function: weather },
  responses: { type: 'function', ...weather, strict: false },
  interactions: { type: 'function', ...weather },
  contentGeneration: {
    functionDeclarations: [
      {
        name: weather.name,
        description: weather.description,
        parametersJsonSchema: weather.parameters,
      },
    ],
  },
  messages: { name: weather.name, description: weather.description, input_schema: weather.parameters },
};

const schema = { title: 'A city', type: 'object', properties: { city: { type: 'string' } } };

const everything: CommonParameters = {
  temperature: 0.5,
  outputLimit: 4000,
  reasoningEffort: 'low',
  tools: [written.chatCompletions as never],
  responseFormat: 'json_schema',
  responseSchema: schema,
};

function placeParameters(id: TextFormatId, parameters: CommonParameters, model = 'maker/model'): JsonObject {
  const fields = commonNames.flatMap((name) => textFormat(id).common[name]?.place(parameters, model) ?? []);
  return fields.reduce<JsonObject>((all, { path, value }) => withValue(all, path, value), {});
}

describe('common parameters of the API formats', () => {
  it('are written to the fields of each format', () => {
    assert.deepEqual(placeParameters('chatCompletions', everything), {
      temperature: 0.5,
      max_tokens: 4000,
      reasoning_effort: 'low',
      tools: [written.chatCompletions],
      response_format: { type: 'json_schema', json_schema: { name: 'A_city', schema } },
    });
    assert.deepEqual(placeParameters('responses', everything), {
      temperature: 0.5,
      max_output_tokens: 4000,
      reasoning: { effort: 'low' },
      tools: [written.responses],
      text: { format: { type: 'json_schema', name: 'A_city', schema } },
    });
    assert.deepEqual(placeParameters('contentGeneration', everything), {
      generationConfig: {
        temperature: 0.5,
        maxOutputTokens: 4000,
        thinkingConfig: { thinkingLevel: 'LOW' },
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
      },
      tools: [written.contentGeneration],
    });
    assert.deepEqual(placeParameters('interactions', everything), {
      generation_config: { temperature: 0.5, max_output_tokens: 4000, thinking_level: 'low' },
      tools: [written.interactions],
      response_format: { type: 'text', mime_type: 'application/json', schema },
    });
    assert.deepEqual(placeParameters('messages', everything), {
      temperature: 0.5,
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: [written.messages],
      output_config: { format: { type: 'json_schema', schema } },
    });
  });

  it('include a response schema that can be read back, in each format', () => {
    for (const { id } of textFormats) {
      assert.deepEqual(readResponseSchema(placeParameters(id, everything), id), schema, id);
      assert.equal(readResponseSchema(placeParameters(id, { responseFormat: 'text' }), id), undefined);
    }
  });

  for (const format of textFormats) {
    it(`match the request schema of ${format.id}, in described fields`, async () => {
      const { shape } = await format.requestSchema();
      const request = z.looseObject(shape).partial();
      const efforts: CommonParameters[] = [
        'none',
        'adaptive',
        'minimal',
        'low',
        'medium',
        'high',
        5000,
        0,
      ].map((reasoningEffort) => ({ reasoningEffort }));
      const forms: CommonParameters[] = (['text', 'json', 'json_schema'] as const).map((responseFormat) => ({
        responseFormat,
        responseSchema: schema,
      }));
      for (const parameters of [
        everything,
        ...efforts,
        ...forms,
        { temperature: 1.8 },
        { temperature: -1 },
        { outputLimit: 5 },
        { responseFormat: 'json_schema' },
      ] satisfies CommonParameters[]) {
        const { error } = request.safeParse(placeParameters(format.id, parameters));
        assert.deepEqual(error?.issues ?? [], [], JSON.stringify(parameters));
      }
      for (const { paths = [] } of Object.values(format.common))
        for (const [name = ''] of paths) assert.ok(name in shape, name);
    });

    it(`include the same function in ${format.id} from every format`, () => {
      for (const tool of Object.values(written)) {
        const fields = placeParameters(format.id, { tools: [tool as never] });
        const tools = valueAt(fields, ['tools']) as readonly JsonObject[];
        assert.deepEqual(tools.flatMap(readFunctions), [weather]);
        const keys = ({ strict: _, ...tool }: JsonObject) => Object.keys(tool).toSorted();
        assert.deepEqual(tools.map(keys), [keys(written[format.id] as JsonObject)]);
      }
    });
  }

  it('are omitted from a format whose range they exceed', () => {
    assert.deepEqual(placeParameters('messages', { temperature: 1.8, responseFormat: 'json' }), {});
    assert.deepEqual(placeParameters('messages', { reasoningEffort: 'minimal' }), {});
    assert.deepEqual(placeParameters('chatCompletions', { reasoningEffort: 5000 }), {});
    assert.deepEqual(placeParameters('responses', { responseFormat: 'json_schema' }), {});
  });

  it('include a provider’s own tools only in the formats that support them', () => {
    const tools: PlacedField['value'] = [{ googleSearch: {} }, { type: 'web_search' }];
    const parameters = { tools } as CommonParameters;
    assert.deepEqual(placeParameters('contentGeneration', parameters), { tools: [{ googleSearch: {} }] });
    assert.deepEqual(placeParameters('responses', parameters), { tools: [{ type: 'web_search' }] });
  });

  it('limit reasoning models of OpenAI with max_completion_tokens', () => {
    for (const model of ['o3-mini', 'openai/gpt-5-mini', 'gpt-5', 'o1'])
      assert.deepEqual(placeParameters('chatCompletions', { outputLimit: 9 }, model), {
        max_completion_tokens: 9,
      });
    for (const model of ['gpt-4o', 'demo/chat', 'llama-3', 'phi-o5-x', 'gpt-oss-120b'])
      assert.deepEqual(placeParameters('chatCompletions', { outputLimit: 9 }, model), { max_tokens: 9 });
  });

  it('contain a budget instead of a level for models without levels', () => {
    const config = (thinkingConfig: object) => ({ generationConfig: { thinkingConfig } });
    const high = (model: string) => placeParameters('contentGeneration', { reasoningEffort: 'high' }, model);
    assert.deepEqual(high('gemini-2.5-pro'), config({ thinkingBudget: 24_576 }));
    assert.deepEqual(high('gemini-3-pro'), config({ thinkingLevel: 'HIGH' }));
  });

  it('contain an effort for later Claude models', () => {
    const place = (parameters: CommonParameters) => placeParameters('messages', parameters, 'claude-opus-5');
    const thinking = { type: 'adaptive', display: 'summarized' };
    assert.deepEqual(place({ reasoningEffort: 'low', outputLimit: 6000, temperature: 0.5 }), {
      max_tokens: 6000,
      thinking,
      output_config: { effort: 'low' },
    });
    assert.deepEqual(place({ reasoningEffort: 5000 }), {
      max_tokens: 40_192,
      thinking,
      output_config: { effort: 'medium' },
    });
    assert.deepEqual(place({ reasoningEffort: 'adaptive' }), { thinking });
    assert.deepEqual(place({ reasoningEffort: 'none' }), { thinking: { type: 'disabled' } });
    const none = placeParameters('messages', { reasoningEffort: 'none' }, 'claude-fable-5');
    assert.deepEqual(none, { output_config: { effort: 'low' } });
  });

  it('reserve output tokens for the reply in addition to thinking', () => {
    const messages = (parameters: CommonParameters) => placeParameters('messages', parameters);
    const thinking = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
    assert.deepEqual(messages({ reasoningEffort: 'medium' }), { ...thinking(8192), max_tokens: 16_384 });
    assert.deepEqual(messages({ reasoningEffort: 'medium', outputLimit: 6000 }), {
      max_tokens: 6000,
      ...thinking(3000),
    });
    assert.deepEqual(messages({ reasoningEffort: 5000, outputLimit: 6000 }), {
      max_tokens: 6000,
      ...thinking(5000),
    });
    assert.deepEqual(messages({ reasoningEffort: 7000, outputLimit: 6000 }), {
      max_tokens: 6000,
      ...thinking(3000),
    });
    assert.deepEqual(messages({ reasoningEffort: 'low', outputLimit: 1024 }), { max_tokens: 1024 });
  });

  it('keep the usual reply length of messages, up to the model’s limit', () => {
    const models = {
      'claude-sonnet-4-5': 32_000,
      'claude-3-7-sonnet-20250219': 32_000,
      'claude-sonnet-5': 32_000,
      'kimi-k2': 8192,
    };
    for (const [model, usual] of Object.entries(models)) {
      const getLimit = (parameters: CommonParameters) =>
        Number(
          { ...textFormat('messages').defaults(model), ...placeParameters('messages', parameters, model) }
            .max_tokens,
        );
      assert.equal(getLimit({}), usual);
      for (const [reasoningEffort, budget] of Object.entries({ low: 2048, medium: 8192, high: 16_384 }))
        assert.equal(getLimit({ reasoningEffort }), usual + budget, `${model} ${reasoningEffort}`);
    }
    const small = (reasoningEffort: string | number) =>
      placeParameters('messages', { reasoningEffort }, 'claude-opus-4-1-20250805');
    const thinking = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
    assert.deepEqual(small('high'), { max_tokens: 32_000, ...thinking(16_384) });
    assert.deepEqual(small(40_000), { max_tokens: 32_000, ...thinking(27_904) });
  });

  it('request thinking from Claude models only in supported forms', () => {
    const effort = (model: string, reasoningEffort: string) =>
      placeParameters('messages', { reasoningEffort }, model).thinking;
    assert.deepEqual(effort('claude-sonnet-4-5', 'adaptive'), { type: 'enabled', budget_tokens: 8192 });
    assert.deepEqual(effort('kimi-k2', 'adaptive'), { type: 'adaptive' });
    for (const word of ['none', 'adaptive', 'high'])
      assert.equal(effort('claude-3-5-haiku-latest', word), undefined);
  });

  it('request thinking from Gemini models within their range', () => {
    const thinking = (model: string, reasoningEffort: string | number) => {
      const fields = placeParameters('contentGeneration', { reasoningEffort }, model);
      return valueAt(fields, ['generationConfig', 'thinkingConfig']);
    };
    assert.deepEqual(thinking('gemini-2.5-flash', 'none'), { thinkingBudget: 0 });
    assert.deepEqual(thinking('gemini-2.5-flash', 30_000), { thinkingBudget: 24_576 });
    assert.deepEqual(thinking('gemini-2.5-flash-lite', 100), { thinkingBudget: 512 });
    assert.deepEqual(thinking('gemini-2.5-pro', 0), { thinkingBudget: 128 });
    assert.deepEqual(thinking('gemini-2.5-pro', -1), { thinkingBudget: -1 });
    assert.deepEqual(thinking('gemini-3-pro-preview', 'minimal'), { thinkingLevel: 'LOW' });
    assert.deepEqual(thinking('gemini-3-pro-preview', 'medium'), { thinkingLevel: 'HIGH' });
    assert.deepEqual(thinking('gemini-3.1-pro-preview', 0), { thinkingLevel: 'LOW' });
    assert.deepEqual(thinking('gemini-flash-latest', 'none'), { thinkingLevel: 'LOW' });
    for (const model of [
      'gemini-2.0-flash',
      'gemini-2.5-flash-image',
      'gemini-2.5-pro-preview-tts',
      'gemma-3-27b-it',
    ])
      for (const effort of ['none', 'high']) assert.equal(thinking(model, effort), undefined, model);
    assert.deepEqual(placeParameters('interactions', { reasoningEffort: 'none' }, 'gemini-3-pro-preview'), {
      generation_config: { thinking_level: 'low' },
    });
  });

  it('request reasoning from OpenAI models only with supported efforts', () => {
    const words = (model: string) =>
      ['none', 'minimal', 'adaptive'].map(
        (reasoningEffort) => placeParameters('chatCompletions', { reasoningEffort }, model).reasoning_effort,
      );
    assert.deepEqual(words('gpt-5.2'), ['none', 'low', undefined]);
    assert.deepEqual(words('openai/gpt-5-mini'), ['minimal', 'minimal', undefined]);
    assert.deepEqual(words('gpt-5.1-codex'), ['low', 'low', undefined]);
    assert.deepEqual(words('o4-mini'), ['low', 'low', undefined]);
    assert.deepEqual(words('qwen3'), ['none', 'minimal', undefined]);
    assert.deepEqual(words('gpt-4o'), [undefined, undefined, undefined]);
  });
});
