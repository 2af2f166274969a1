import * as z from 'zod';
import type { TextStyle } from '../../client/textStyles.ts';
import { chatCompletionsRequest } from '../../wire/apis/chatCompletions/request.ts';
import { contentGenerationRequest } from '../../wire/apis/contentGeneration/request.ts';
import { interactionsRequest } from '../../wire/apis/interactions/request.ts';
import { messagesRequest } from '../../wire/apis/messages/request.ts';
import { responsesRequest } from '../../wire/apis/responses/request.ts';

type Values = Readonly<Record<string, unknown>>;

/** A style's request schema, and the fields the chat itself fills in. */
const schemas = {
  'chat-completions': {
    request: chatCompletionsRequest,
    own: ['model', 'messages', 'stream', 'stream_options'],
  },
  'content-generation': { request: contentGenerationRequest, own: ['contents'] },
  messages: { request: messagesRequest, own: ['model', 'messages', 'stream'] },
  responses: { request: responsesRequest, own: ['model', 'input', 'stream', 'background'] },
  interactions: { request: interactionsRequest, own: ['model', 'agent', 'input', 'stream', 'background'] },
} as const satisfies Record<TextStyle, { request: z.ZodObject; own: readonly string[] }>;

/** What can be set in a style beside the conversation, as JSON Schema. */
export function parameterSchema(style: TextStyle): object {
  const schema = z.toJSONSchema(parameters(style), { io: 'input', unrepresentable: 'any' });
  return { ...schema, properties: withoutOwn(style, schema.properties ?? {}) };
}

/** The values that may be sent: those the schema accepts, and fields it does not know. Never throws. */
export function acceptedParameters(style: TextStyle, values: Values): Values {
  const given = withoutOwn(style, values);
  const checked = parameters(style).safeParse(given);
  if (checked.success) return checked.data;
  const wrong = new Set(checked.error.issues.map(({ path }) => path[0]));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)));
}

function parameters(style: TextStyle) {
  return z.looseObject(schemas[style].request.shape).partial();
}

function withoutOwn(style: TextStyle, fields: Values): Values {
  const own: readonly string[] = schemas[style].own;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !own.includes(name)));
}
