import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { root } from '../../../scripts/root.mjs';
import { isObject, type JsonObject } from '../../../src/base/json.ts';
import { inputProblems } from '../../../src/host/agents/languageModelTools/defineTool.ts';
import * as inputs from '../../../src/host/agents/languageModelTools/toolInputs.ts';
import { videoRequest } from '../../../src/host/agents/languageModelTools/videoRequest.ts';

interface DeclaredTool {
  readonly name: string;
  readonly toolReferenceName: string;
  readonly modelDescription: string;
  readonly canBeReferencedInPrompt: boolean;
  readonly inputSchema: { readonly properties: Readonly<Record<string, JsonObject>> };
}

const tools: readonly DeclaredTool[] = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  .contributes.languageModelTools;
const schemas: Readonly<Record<string, unknown>> = inputs;

/** A JSON Schema without the parts that only people and agents read. */
function bare(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bare);
  if (!isObject(schema)) return schema;
  const { description: _, $schema: __, ...facts } = schema;
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, bare(value)]));
}

function findProblems(schema: z.ZodType, input: unknown): string {
  const { error } = schema.safeParse(input);
  assert.ok(error, 'the input is valid');
  return inputProblems(error.issues);
}

describe('the tools for agents', () => {
  it('accept the input schema in package.json, in which each field has a description', () => {
    for (const { name, inputSchema } of tools) {
      const id = name.replace(/^gateway./, (start) => start.slice(-1).toLowerCase());
      const schema = schemas[`${id}Input`];
      assert.ok(schema instanceof z.ZodType, `toolInputs.ts has no input of ${name}`);
      assert.deepEqual(bare(inputSchema), bare(z.toJSONSchema(schema, { io: 'input' })), name);
      for (const [field, { description }] of Object.entries(inputSchema.properties))
        assert.ok(typeof description === 'string' && description.length > 20, `describe ${field} of ${name}`);
    }
    assert.equal(tools.length, Object.keys(schemas).length, 'package.json has each of them');
  });

  it('have the same name in all agents, and refer only to existing tools', () => {
    const names = tools.map(({ name }) => name);
    for (const { name, toolReferenceName, modelDescription, canBeReferencedInPrompt, inputSchema } of tools) {
      // VS Code's Copilot agent calls tools by their reference names.
      assert.equal(toolReferenceName, name);
      assert.ok(canBeReferencedInPrompt);
      const text = modelDescription + JSON.stringify(inputSchema);
      const unknown = (text.match(/\bgateway[A-Z]\w+/g) ?? []).filter((name) => !names.includes(name));
      assert.deepEqual(unknown, []);
    }
  });

  it('report the invalid fields of hostile input and the next step, in a short text', () => {
    assert.equal(
      findProblems(inputs.startVideoInput, {
        prompt: '',
        count: 99,
        route: '../x',
        aspectRatio: 'wide',
        shell: 'rm',
      }),
      [
        'Nothing was done, because the input is not valid.',
        '- prompt: Too small: expected string to have >=1 characters',
        '- route: must be one of interactions, videoSynthesis',
        '- aspectRatio: must be width:height, such as 16:9',
        '- count: Too big: expected number to be <=8',
        '- input: unknown field “shell”; leave it out',
        'Correct these fields and call the tool again.',
      ].join('\n'),
    );
    for (const input of [undefined, null, 'text', []])
      assert.match(findProblems(inputs.readTaskInput, input), /- input: Invalid input: expected object/);
    const long = findProblems(inputs.listModelsInput, { [`[x](command:y)\u202e${'k'.repeat(10_000)}`]: 1 });
    assert.ok(long.length < 400 && !long.includes('](') && !long.includes('\u202e'), long);
  });
});

describe('a video requested by an agent', () => {
  it('is a request of its route, based on the defaults of the form', () => {
    const wish = { prompt: 'A kite', aspectRatio: '9:16', seconds: 8, seed: 7 };
    assert.deepEqual(videoRequest('videoSynthesis', 'wan', wish), {
      body: {
        model: 'wan',
        input: { prompt: 'A kite' },
        parameters: { size: '720*1280', duration: 8, seed: 7 },
      },
      unsupportedFields: [],
    });
    const { body, unsupportedFields } = videoRequest('interactions', 'omni', wish);
    assert.deepEqual([body.input, body.background, unsupportedFields], ['A kite', true, []]);
    assert.deepEqual(body.response_format, { type: 'video', aspect_ratio: '9:16', duration: '8s' });
  });

  it('reports values that its route does not support, instead of changing them', () => {
    const wish = { prompt: 'A kite', seconds: 2.5, resolution: '4k' };
    assert.deepEqual(videoRequest('videoSynthesis', 'wan', wish).unsupportedFields.toSorted(), [
      'resolution',
      'seconds',
    ]);
    assert.deepEqual(videoRequest('interactions', 'omni', wish).unsupportedFields, []);
    assert.deepEqual(
      videoRequest('interactions', 'omni', { ...wish, resolution: '480p' }).unsupportedFields,
      ['resolution'],
    );
  });
});
