import assert from 'node:assert/strict';
import type * as z from 'zod';
import { messagesRequest, partnerMessagesRequest } from '../../../src/wire/apis/messages/schema.ts';
import { responsesRequest } from '../../../src/wire/apis/responses/schema.ts';

const conversation = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };

interface TestedFormat {
  readonly schema: z.ZodType;
  readonly smallest: object;
  /** Fields with invalid values, and the path that the error names. */
  readonly refused: readonly (readonly [path: string, body: object])[];
  /** Valid fields, unknown ones included. */
  readonly accepted: object;
}

const common: TestedFormat['refused'] = [
  ['messages', { messages: [] }],
  ['messages.0.role', { messages: [{ role: 'tool', content: 'Hi' }] }],
  ['messages.0.content', { messages: [{ role: 'user' }] }],
  ['max_tokens', { max_tokens: 0 }],
  ['max_tokens', { max_tokens: undefined }],
  ['temperature', { temperature: 1.1 }],
  ['top_p', { top_p: 1.1 }],
  ['top_k', { top_k: -1 }],
  ['system', { system: 7 }],
  ['system', { system: [{ type: 'text' }] }],
  ['thinking.type', { thinking: { type: 'sometimes' } }],
  ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 1 } }],
  ['tools.0.name', { tools: [{ input_schema: { type: 'object' } }] }],
  ['tools.0.input_schema.type', { tools: [{ name: 'list', input_schema: {} }] }],
  ['stop_sequences.0', { stop_sequences: [1] }],
  ['stream', { stream: 'yes' }],
];

const accepted = {
  system: [{ type: 'text', text: 'Be kind', cache_control: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }],
    },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hmm', signature: 's' }] },
  ],
  tools: [{ type: 'web_search_20990101', name: 'web_search', max_uses: 1 }],
  tool_choice: { type: 'tool', name: 'web_search' },
  thinking: { type: 'adaptive', display: 'summarized' },
  future_field: [1],
};

const formats: Readonly<Record<string, TestedFormat>> = {
  'direct messages': {
    schema: messagesRequest,
    smallest: { model: 'm', ...conversation },
    refused: [...common, ['model', { model: '' }], ['model', { model: undefined }]],
    accepted,
  },
  'partner-model messages': {
    schema: partnerMessagesRequest,
    smallest: { vendor_version: 'tag-2023-10-16', ...conversation },
    refused: [
      ...common,
      ['vendor_version', { vendor_version: undefined }],
      ['vendor_version', { vendor_version: '2023-06-01' }],
    ],
    accepted,
  },
  responses: {
    schema: responsesRequest,
    smallest: { model: 'm' },
    refused: [
      ['model', { model: '' }],
      ['input', { input: 7 }],
      ['max_output_tokens', { max_output_tokens: 0 }],
      ['temperature', { temperature: 2.1 }],
      ['top_p', { top_p: -1 }],
      ['metadata.a', { metadata: { a: 1 } }],
      ['reasoning.effort', { reasoning: { effort: 3 } }],
      ['background', { background: 'yes' }],
      ['tools', { tools: {} }],
    ],
    accepted: {
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'function_call_output', call_id: 'c', output: 'ok' },
        { type: 'reasoning', summary: [], encrypted_content: 'e' },
      ],
      conversation: { id: 'conv_1' },
      tool_choice: { type: 'function', name: 'list' },
      temperature: null,
      instructions: null,
      future_field: [1],
    },
  },
};

for (const [name, { schema, smallest, refused, accepted }] of Object.entries(formats)) {
  describe(`the request of the format ${name}`, () => {
    for (const [path, body] of refused) {
      it(`reports ${path} when it rejects ${JSON.stringify(body)}`, () => {
        const { error } = schema.safeParse({ ...smallest, ...body });
        assert.deepEqual(
          error?.issues.map((issue) => issue.path.join('.')),
          [path],
        );
      });
    }

    it('passes unknown fields through unchanged', () => {
      const body = { ...smallest, ...accepted };
      assert.deepEqual(schema.parse(body), body);
    });
  });
}
