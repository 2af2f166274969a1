import assert from 'node:assert/strict';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { catchRefusal, convert, convertFields, convertible, fieldsSent } from './conversions.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const chatTools = [
  { type: 'function', function: { name: 'look', description: 'Looks.', parameters: schema } },
];
const messagesTools = [{ name: 'look', description: 'Looks.', input_schema: schema }];
const generationTools = [
  { functionDeclarations: [{ name: 'look', description: 'Looks.', parametersJsonSchema: schema }] },
];
const responsesTools = [
  { type: 'function', strict: false, name: 'look', description: 'Looks.', parameters: schema },
];

describe('the settings of a request', () => {
  const chat = {
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    seed: 7,
    stop: 'END',
    max_completion_tokens: 50,
    n: 2,
    reasoning_effort: 'low',
    tools: chatTools,
    tool_choice: 'required',
    stream: true,
  };

  it('are converted from chat completions to content generation', () => {
    assert.deepEqual(
      convertFields('chatCompletions', 'contentGeneration', chat, { model: 'gemini-2.5-flash' }),
      {
        fields: {
          tools: generationTools,
          toolConfig: { functionCallingConfig: { mode: 'ANY' } },
          generationConfig: {
            temperature: 0.5,
            topP: 0.9,
            presencePenalty: 0.1,
            frequencyPenalty: 0.2,
            seed: 7,
            stopSequences: ['END'],
            candidateCount: 2,
            maxOutputTokens: 50,
            thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
          },
        },
        dropped: [],
      },
    );
  });

  it('are converted from chat completions to messages, with fewer sampling fields and an added limit', () => {
    const { n: _, seed: __, ...possible } = chat;
    assert.deepEqual(convertFields('chatCompletions', 'messages', possible), {
      fields: {
        model: 'm',
        max_tokens: 50,
        temperature: 0.5,
        stop_sequences: ['END'],
        tools: messagesTools,
        tool_choice: { type: 'any' },
        stream: true,
      },
      dropped: ['top_p', 'presence_penalty', 'frequency_penalty', 'reasoning_effort'],
    });
    const limit = (model: string) => fieldsSent('chatCompletions', 'messages', {}, { model }).max_tokens;
    assert.deepEqual(
      ['claude-sonnet-4-5', 'claude-3-haiku-20240307', 'claude-3-5-sonnet', 'kimi-k2'].map(limit),
      [32_000, 4096, 8192, 8192],
    );
  });

  it('are converted from chat completions to responses, with the hints that both share', () => {
    const { n: _, seed: __, stop: ___, ...possible } = chat;
    const hints = { user: 'u', metadata: { a: 'b' }, service_tier: 'flex', prompt_cache_key: 'k' };
    assert.deepEqual(convertFields('chatCompletions', 'responses', { ...possible, ...hints }), {
      fields: {
        model: 'm',
        store: false,
        temperature: 0.5,
        top_p: 0.9,
        max_output_tokens: 50,
        reasoning: { effort: 'low' },
        include: ['reasoning.encrypted_content'],
        tools: responsesTools,
        tool_choice: 'required',
        stream: true,
        ...hints,
      },
      dropped: ['presence_penalty', 'frequency_penalty'],
    });
  });

  it('are converted from messages to every other format', () => {
    const messages = {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'enabled', budget_tokens: 5000 },
      stop_sequences: ['END'],
      tools: [{ ...messagesTools[0], cache_control: { type: 'ephemeral' } }],
      tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
      metadata: { user_id: 'u' },
    };
    const dropped = ['metadata', 'system[].cache_control', 'tools[].cache_control'];
    assert.deepEqual(convertFields('messages', 'chatCompletions', messages), {
      fields: {
        model: 'm',
        max_tokens: 100,
        stop: ['END'],
        reasoning_effort: 'medium',
        tools: chatTools,
        tool_choice: { type: 'function', function: { name: 'look' } },
        parallel_tool_calls: false,
      },
      dropped,
    });
    assert.deepEqual(convertFields('messages', 'contentGeneration', messages), {
      fields: {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        generationConfig: {
          maxOutputTokens: 100,
          stopSequences: ['END'],
          thinkingConfig: { thinkingBudget: 5000, includeThoughts: true },
        },
        tools: generationTools,
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
      },
      dropped: [...dropped, 'tool_choice.disable_parallel_tool_use'],
    });
    const { stop_sequences: _, ...unstopped } = messages;
    assert.deepEqual(fieldsSent('messages', 'responses', unstopped).tool_choice, {
      type: 'function',
      name: 'look',
    });
  });

  it('are converted from content generation, including schema types in capitals', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        city: { type: 'STRING' },
        days: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '1' },
      },
      propertyOrdering: ['city', 'days'],
      nullable: true,
    };
    const fields = {
      generationConfig: { topK: 64, responseMimeType: 'application/json', responseSchema: parameters },
      tools: [{ functionDeclarations: [{ name: 'look', parameters }] }],
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    };
    const plain = {
      type: ['object', 'null'],
      properties: {
        city: { type: 'string' },
        days: { type: 'array', items: { type: 'integer' }, minItems: 1 },
      },
    };
    assert.deepEqual(convertFields('contentGeneration', 'chatCompletions', fields), {
      fields: {
        model: 'm',
        tools: [{ type: 'function', function: { name: 'look', parameters: { ...plain, type: 'object' } } }],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: plain } },
      },
      dropped: [
        'safetySettings',
        'tools[].functionDeclarations[].parameters.propertyOrdering',
        'generationConfig.responseSchema.propertyOrdering',
        'generationConfig.topK',
      ],
    });
  });

  it('are converted from content generation without its own schema members, each reported as dropped', () => {
    const schema = {
      type: 'object',
      properties: {
        unit: { type: 'STRING', format: 'enum', enum: ['C', 'F'], nullable: true },
        place: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER', format: 'float' }], nullable: true },
        when: { type: 'STRING', format: 'date-time' },
      },
      propertyOrdering: ['unit', 'place', 'when'],
    };
    const plain = {
      type: 'object',
      properties: {
        unit: { type: ['string', 'null'], enum: ['C', 'F', null] },
        place: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
        when: { type: 'string', format: 'date-time' },
      },
    };
    for (const name of ['responseSchema', 'responseJsonSchema']) {
      const generationConfig = { responseMimeType: 'application/json', [name]: schema };
      const { fields, dropped } = convertFields('contentGeneration', 'chatCompletions', { generationConfig });
      assert.partialDeepStrictEqual(fields.response_format, { json_schema: { schema: plain } });
      assert.deepEqual(dropped.toSorted(), [
        `generationConfig.${name}.format`,
        `generationConfig.${name}.propertyOrdering`,
      ]);
    }
  });

  it('are converted from responses, including the name of the schema', () => {
    const format = { type: 'json_schema', name: 'place', schema, strict: true };
    const { fields } = convertFields('responses', 'chatCompletions', { text: { format, verbosity: 'low' } });
    assert.deepEqual(fields, {
      model: 'm',
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
      verbosity: 'low',
    });
    assert.deepEqual(fieldsSent('responses', 'messages', { text: { format } }).output_config, {
      format: { type: 'json_schema', schema },
    });
  });

  it('are not reported as dropped if they have no effect', () => {
    const nothing = {
      logprobs: false,
      n: 1,
      presence_penalty: 0,
      logit_bias: {},
      modalities: ['text'],
      seed: null,
      store: false,
      metadata: null,
      response_format: { type: 'text' },
      parallel_tool_calls: true,
    };
    for (const to of convertible.filter((each) => each !== 'chatCompletions'))
      assert.deepEqual(convertFields('chatCompletions', to, nothing).dropped, [], to);
    const idle = { background: false, truncation: 'disabled', previous_response_id: null, include: [] };
    assert.deepEqual(convertFields('responses', 'messages', idle).dropped, []);
  });

  it('limit the offered tools to the allowed tools', () => {
    const tools = [...chatTools, { type: 'function', function: { name: 'leave' } }];
    const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] };
    const request = { tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } };
    assert.deepEqual(fieldsSent('chatCompletions', 'messages', request).tools, messagesTools);
    assert.deepEqual(fieldsSent('chatCompletions', 'messages', request).tool_choice, { type: 'auto' });
  });

  it('do not offer tools if the allowed tools do not exist', () => {
    const allowed_tools = { mode: 'auto', tools: [{ type: 'function', function: { name: 'other' } }] };
    const choice = { tools: chatTools, tool_choice: { type: 'allowed_tools', allowed_tools } };
    assert.deepEqual(fieldsSent('chatCompletions', 'responses', choice), { model: 'm', store: false });
  });

  it('drop thinking if messages would reject it', () => {
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } };
    const unsigned = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'seen' },
    ];
    const effort = { reasoning_effort: 'high' };
    const begun = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Well,' },
    ];
    for (const messages of [unsigned, begun])
      assert.deepEqual(convertFields('chatCompletions', 'messages', { ...effort, messages }).dropped, [
        'reasoning_effort',
      ]);
    assert.deepEqual(fieldsSent('chatCompletions', 'messages', effort), {
      model: 'm',
      thinking: { type: 'enabled', budget_tokens: 16_384 },
      max_tokens: 24_576,
    });
    const short = { ...effort, max_tokens: 100 };
    assert.deepEqual(convertFields('chatCompletions', 'messages', short).dropped, ['reasoning_effort']);
  });

  it('keep dynamic thinking, or drop it if the model does not support it', () => {
    const asNeeded = { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } };
    const adaptive = (model: string) => convertFields('contentGeneration', 'messages', asNeeded, { model });
    assert.deepEqual(adaptive('claude-opus-4-6').fields.thinking, { type: 'adaptive' });
    assert.deepEqual(adaptive('claude-sonnet-4-5').dropped, [
      'generationConfig.thinkingConfig.thinkingBudget',
    ]);
    for (const to of ['chatCompletions', 'responses'] as const) {
      const { fields, dropped } = convertFields('contentGeneration', to, asNeeded, { model: 'gpt-5.2' });
      assert.deepEqual([fields.reasoning, fields.reasoning_effort, dropped], [undefined, undefined, []]);
    }
    const extra_body = { google: { thinking_config: { thinking_budget: -1 } } };
    const lite = { model: 'gemini-2.5-flash-lite' };
    assert.deepEqual(
      fieldsSent('chatCompletions', 'contentGeneration', { extra_body }, lite).generationConfig,
      {
        thinkingConfig: { thinkingBudget: -1 },
      },
    );
    const forced = { ...asNeeded, toolConfig: { functionCallingConfig: { mode: 'ANY' } } };
    const tools = [{ functionDeclarations: [{ name: 'look' }] }];
    const body = convertFields(
      'contentGeneration',
      'messages',
      { ...forced, tools },
      { model: 'claude-opus-4-6' },
    );
    assert.equal(body.fields.thinking, undefined);
  });

  it('keep every effort word between the formats of OpenAI, and replace unusual words elsewhere', () => {
    for (const word of ['minimal', 'xhigh', 'max']) {
      const responses = fieldsSent('chatCompletions', 'responses', { reasoning_effort: word });
      assert.deepEqual(responses.reasoning, { effort: word });
      assert.equal(
        fieldsSent('responses', 'chatCompletions', { reasoning: { effort: word } }).reasoning_effort,
        word,
      );
    }
    const effort = { output_config: { effort: 'max' } };
    assert.equal(fieldsSent('messages', 'chatCompletions', effort).reasoning_effort, 'high');
  });

  it('are read from extra_body like the provider reads them', () => {
    const extra = (google: object, others: object = {}) => ({ extra_body: { google, ...others } });
    const thinking = (config: object) =>
      fieldsSent('chatCompletions', 'contentGeneration', extra({ thinking_config: config }), {
        model: 'gemini-3.8-flash',
      }).generationConfig;
    const including = (config: object) => ({ thinkingConfig: { ...config, includeThoughts: true } });
    assert.deepEqual(thinking({ thinking_level: 'LOW' }), including({ thinkingLevel: 'LOW' }));
    assert.deepEqual(thinking({ thinking_budget: 5000 }), including({ thinkingBudget: 5000 }));
    assert.deepEqual(thinking({ thinking_budget: -1, include_thoughts: true }), including({}));
    assert.deepEqual(thinking({ thinking_budget: 99_999 }), including({ thinkingBudget: 24_576 }));
    const { dropped } = convertFields('chatCompletions', 'messages', extra({}, { vendor: { speed: 1 } }));
    assert.deepEqual(dropped, ['extra_body.vendor']);
    for (const name of ['cached_content', 'unheard_of']) {
      const refusal = catchRefusal(() =>
        convertFields('chatCompletions', 'messages', extra({ [name]: 'x' })),
      );
      assert.equal(refusal.param, `extra_body.google.${name}`);
    }
  });

  it('keep strict tools for responses, and report them as dropped for other formats', () => {
    const strict = { tools: [{ type: 'function', function: { ...chatTools[0]?.function, strict: true } }] };
    const dropped = (to: ConvertibleFormat) => convertFields('chatCompletions', to, strict).dropped;
    assert.deepEqual(
      ['messages', 'contentGeneration', 'responses'].map((to) => dropped(to as never)),
      [['tools[].strict'], ['tools[].strict'], []],
    );
    assert.deepEqual(fieldsSent('chatCompletions', 'responses', strict).tools, [
      { ...responsesTools[0], strict: true },
    ]);
  });

  it('report the dropped thinking fields of messages', () => {
    const dropped = (fields: object) => convertFields('messages', 'chatCompletions', fields).dropped;
    assert.deepEqual(dropped({ thinking: { type: 'disabled' } }), ['thinking']);
    assert.deepEqual(dropped({ thinking: { type: 'between_tools' } }), ['thinking']);
    const disabled = { thinking: { type: 'disabled' }, output_config: { effort: 'low' } };
    assert.deepEqual(dropped(disabled), ['thinking', 'output_config.effort']);
    assert.deepEqual(dropped({ thinking: { type: 'adaptive', display: 'summarized', a: 1 } }), [
      'thinking.a',
    ]);
  });

  it('include the newer response format of content generation', () => {
    const form = (entry: object) =>
      fieldsSent('contentGeneration', 'chatCompletions', { generationConfig: { responseFormat: [entry] } })
        .response_format;
    assert.deepEqual(form({ text: { mimeType: 'APPLICATION_JSON', schema } }), {
      type: 'json_schema',
      json_schema: { name: 'answer', schema },
    });
    assert.deepEqual(form({ text: { mimeType: 'application/json' } }), { type: 'json_object' });
    assert.equal(form({ text: { mimeType: 'TEXT_PLAIN' } }), undefined);
    for (const other of [{ image: {} }, { text: { mimeType: 'text/x.enum' } }])
      assert.equal(catchRefusal(() => form(other)).param, 'generationConfig.responseFormat');
  });

  it('report dropped advisory fields of content generation', () => {
    const inlineData = { mimeType: 'application/pdf', data: 'AAAA', displayName: 'bill.pdf' };
    const parts = [{ text: 'Hi', partMetadata: { a: 1 }, mediaResolution: {} }, { inlineData }];
    const functionCallingConfig = { mode: 'AUTO', streamFunctionCallArguments: true };
    const request = { contents: [{ parts }], toolConfig: { functionCallingConfig } };
    const { body, dropped } = convert('contentGeneration', 'chatCompletions', request);
    assert.deepEqual(dropped.toSorted(), [
      'contents[].parts[].mediaResolution',
      'contents[].parts[].partMetadata',
      'toolConfig.functionCallingConfig.streamFunctionCallArguments',
    ]);
    assert.match(JSON.stringify(body), /"filename":"bill.pdf"/);
  });
});
