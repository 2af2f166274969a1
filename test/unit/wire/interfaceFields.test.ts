import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { chatCompletionsRequest } from '../../../src/wire/apis/chatCompletions/schema.ts';
import { contentGenerationRequest } from '../../../src/wire/apis/contentGeneration/schema.ts';
import { interactionsRequest } from '../../../src/wire/apis/interactions/schema.ts';
import { messagesRequest, partnerMessagesRequest } from '../../../src/wire/apis/messages/schema.ts';
import { responsesRequest } from '../../../src/wire/apis/responses/schema.ts';
import { videoSynthesisRequest } from '../../../src/wire/apis/videoSynthesis/schema.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** A field of a table of the interface: its types, and whether a table marks it as required. */
interface Field {
  readonly type: string;
  readonly required: boolean | null;
}

/** The tables of the interface: format to field path to field. `[]` is any element, `*` any name. */
const tables: Readonly<Record<string, Readonly<Record<string, Field>>>> = JSON.parse(
  readFileSync(new URL('../../fixtures/interfaceFields.json', import.meta.url), 'utf8'),
);

interface Request {
  readonly schema: z.ZodType;
  /** The minimal fields of a request. */
  readonly smallest: object;
}

const conversation = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };

const requests: Readonly<Record<string, Request>> = {
  chatCompletions: {
    schema: chatCompletionsRequest,
    smallest: { model: 'm', messages: conversation.messages },
  },
  contentGeneration: {
    schema: contentGenerationRequest,
    smallest: { contents: [{ parts: [{ text: 'Hi' }] }] },
  },
  messages: { schema: messagesRequest, smallest: { model: 'm', ...conversation } },
  partnerMessages: {
    schema: partnerMessagesRequest,
    smallest: { vendor_version: 'tag-2023-10-16', ...conversation },
  },
  responses: { schema: responsesRequest, smallest: { model: 'm' } },
  interactions: { schema: interactionsRequest, smallest: { model: 'm', input: 'Hi' } },
  videoSynthesis: { schema: videoSynthesisRequest, smallest: { model: 'm', input: { prompt: 'Hi' } } },
};

/** The schema itself and every alternative within it. */
function listAlternatives(schema: Schema): readonly Schema[] {
  return [
    schema,
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((each) => listAlternatives(each)),
  ];
}

function findChild(schema: Schema, step: string): Schema | undefined {
  const children = listAlternatives(schema).map((each) => {
    if (step === '[]') return each.items;
    return step === '*' ? each.additionalProperties : each.properties?.[step];
  });
  return children.find((each) => typeof each === 'object' && !Array.isArray(each)) as Schema | undefined;
}

function splitPath(path: string): readonly string[] {
  return path.replaceAll('[]', '.[]').split('.');
}

function findField(schema: Schema, path: string): Schema | undefined {
  return splitPath(path).reduce<Schema | undefined>((at, step) => at && findChild(at, step), schema);
}

/** A copy of a request without the field; undefined if the request does not have the field. */
function removeField(request: object, path: string): object | undefined {
  const copy = structuredClone(request);
  const steps = splitPath(path).map((step) => (step === '[]' ? '0' : step));
  const name = steps.pop() ?? '';
  const parent = steps.reduce<unknown>((at, step) => (at ? Reflect.get(at, step) : at), copy);
  if (typeof parent !== 'object' || parent === null || !(name in parent)) return undefined;
  Reflect.deleteProperty(parent, name);
  return copy;
}

/** The paths of all fields that a form could not explain. */
function listUndescribed(schema: Schema, path = ''): readonly string[] {
  return listAlternatives(schema).flatMap((each) => [
    ...Object.entries(each.properties ?? {}).flatMap(([name, property]) => [
      ...((property as Schema).description ? [] : [`${path}${name}`]),
      ...listUndescribed(property as Schema, `${path}${name}.`),
    ]),
    ...[each.items, each.additionalProperties]
      .filter((inner) => typeof inner === 'object')
      .flatMap((inner) => listUndescribed(inner as Schema, `${path}[].`)),
  ]);
}

for (const [format, { schema, smallest }] of Object.entries(requests)) {
  describe(`the ${format} request`, () => {
    const json = z.toJSONSchema(schema, { io: 'input' });

    for (const [path, { type, required }] of Object.entries(tables[format] ?? {})) {
      it(`accepts ${type} for ${path}${required === null ? '' : required ? ', which is required' : ', which is optional'}`, () => {
        const found = findField(json, path);
        assert.ok(found, `${path} has no schema`);
        const types = listAlternatives(found).flatMap((each) => each.type ?? []);
        for (const each of type.split(' or ')) assert.ok(types.includes(each as never), `takes no ${each}`);
        const rest = removeField(smallest, path);
        if (required === false) assert.equal(rest, undefined);
        if (required === true) assert.equal(schema.safeParse(rest).success, false);
      });
    }

    it('is valid with only its required fields', () => void schema.parse(smallest));

    it('describes every field', () => assert.deepEqual(listUndescribed(json), []));
  });
}

describe('the interface tables', () => {
  it('all have a schema', () => assert.deepEqual(Object.keys(tables), Object.keys(requests)));
});
