import assert from 'node:assert/strict';
import * as z from 'zod';
import type { JsonSchema } from '../../../src/base/jsonSchema.ts';
import { searchWords } from '../../../src/base/searchWords.ts';
import {
  createFields,
  type Field,
  getGroupMembers,
  matchesSearch,
} from '../../../src/webview/form/formFields.ts';
import { chatCompletionsRequest } from '../../../src/wire/apis/chatCompletions/schema.ts';
import { contentGenerationRequest } from '../../../src/wire/apis/contentGeneration/schema.ts';
import { messagesRequest } from '../../../src/wire/apis/messages/schema.ts';
import { responsesRequest } from '../../../src/wire/apis/responses/schema.ts';

/** The controls of each field, by its path. */
function controls(fields: readonly Field[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.flatMap((field) => [
      [field.path.join('.'), field.controls.map(({ kind }) => kind).join(' ')],
      ...Object.entries(controls(getGroupMembers(field) ?? [])),
    ]),
  );
}

function createFieldsFor(request: z.ZodType): readonly Field[] {
  return createFields(z.toJSONSchema(request, { io: 'input' }) as JsonSchema);
}

describe('the fields of a form', () => {
  it('have the simplest controls for chat completions', () => {
    assert.deepEqual(
      pick(controls(createFieldsFor(chatCompletionsRequest)), chatCompletionsControls),
      chatCompletionsControls,
    );
  });

  it('are grouped by the objects of content generation', () => {
    const expected = {
      systemInstruction: 'text json',
      safetySettings: 'json',
      generationConfig: 'group json',
      'generationConfig.topK': 'number',
      'generationConfig.thinkingConfig': 'group json',
      'generationConfig.thinkingConfig.includeThoughts': 'choice',
      'generationConfig.speechConfig.voiceConfig': 'json',
      'toolConfig.functionCallingConfig.allowedFunctionNames': 'list',
    };
    assert.deepEqual(pick(controls(createFieldsFor(contentGenerationRequest)), expected), expected);
  });

  it('include every property of every format, each with a help text', () => {
    for (const request of [
      chatCompletionsRequest,
      contentGenerationRequest,
      messagesRequest,
      responsesRequest,
    ]) {
      const fields = createFieldsFor(request);
      const names = fields.map(({ name }) => name);
      assert.deepEqual(names.toSorted(), Object.keys(request.shape).toSorted());
      assert.deepEqual(
        fields.filter(({ help }) => help === ''),
        [],
      );
    }
  });

  it('list deprecated fields last', () => {
    const deprecated = createFields({
      properties: { old: { type: 'string', deprecated: true }, fresh: { type: 'string' } },
    });
    assert.deepEqual(
      deprecated.map(({ name }) => name),
      ['fresh', 'old'],
    );
    const last = createFieldsFor(chatCompletionsRequest).slice(-3);
    assert.deepEqual(
      last.map(({ name }) => name),
      ['functions', 'function_call', 'user'],
    );
  });

  it('have a JSON control for any schema without a better control', () => {
    const schemas = [{}, true, { type: 'array', items: {} }, { $ref: '#/$defs/odd' }, { anyOf: [] }];
    for (const each of schemas) {
      const [field] = createFields({ properties: { field: each } });
      assert.deepEqual(
        field?.controls.map(({ kind }) => kind),
        ['json'],
      );
    }
  });
});

describe('the field search', () => {
  const fields = createFieldsFor(contentGenerationRequest);
  const search = (text: string) =>
    fields.filter((field) => matchesSearch(field, searchWords(text))).map(({ name }) => name);

  it('finds names and help texts, in any order and case', () => {
    assert.deepEqual(search('CACHED'), ['cachedContent']);
    assert.deepEqual(search('harm strictly'), ['safetySettings']);
  });

  it('finds the object that contains a field', () => {
    assert.deepEqual(search('aspectratio'), ['generationConfig']);
    assert.deepEqual(search('generationConfig.seed'), ['generationConfig']);
  });

  it('finds all fields for an empty text, and none for an unknown text', () => {
    assert.equal(search('  ').length, fields.length);
    assert.deepEqual(search('no such thing'), []);
  });
});

const chatCompletionsControls = {
  temperature: 'number',
  n: 'number',
  logprobs: 'choice',
  stop: 'text list json',
  modalities: 'list',
  audio: 'group json',
  'audio.format': 'choice',
  'audio.voice': 'text json',
  prediction: 'json',
  metadata: 'json',
  logit_bias: 'json',
  tools: 'json',
  tool_choice: 'text json',
  reasoning_effort: 'text',
  response_format: 'group json',
  'response_format.type': 'choice',
  extra_body: 'json',
};

function pick(
  from: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.keys(names).map((name) => [name, from[name]]));
}
