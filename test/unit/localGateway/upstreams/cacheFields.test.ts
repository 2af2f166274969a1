import assert from 'node:assert/strict';
import { removeCacheFields } from '../../../../src/localGateway/upstreams/cacheFields.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const textPart = { type: 'text', text: 'x', ...mark };
const asUser = (...content: readonly object[]) => ({ messages: [{ role: 'user', content }] });
const source = { type: 'content', content: [textPart] };

/** Requests in which each `cache_control` that is an object is a mark. */
const requests: Readonly<Record<string, readonly [request: object, ...dropped: readonly string[]]>> = {
  'the content of a document': [
    asUser({ type: 'document', source }),
    'messages[].content[].source.content[].cache_control',
  ],
  'a document with a mark of its own': [
    asUser({ type: 'document', source: { type: 'text', data: 'x' }, ...mark }),
    'messages[].content[].cache_control',
  ],
  'a document in the result of a tool': [
    asUser({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'document', source }] }),
    'messages[].content[].content[].source.content[].cache_control',
  ],
  'the content of a search result': [
    asUser({ type: 'search_result', source: 'https://x.example', content: [textPart] }),
    'messages[].content[].content[].cache_control',
  ],
  'a search result in the result of a tool': [
    asUser({ type: 'tool_result', content: [{ type: 'search_result', content: [textPart], ...mark }] }),
    'messages[].content[].content[].content[].cache_control',
    'messages[].content[].content[].cache_control',
  ],
  'a fetched document': [
    asUser({
      type: 'web_fetch_tool_result',
      content: { type: 'web_fetch_result', content: { type: 'document', source, ...mark } },
    }),
    'messages[].content[].content.content.source.content[].cache_control',
    'messages[].content[].content.content.cache_control',
  ],
  'tools that a search found': [
    asUser({
      type: 'tool_search_tool_result',
      content: { type: 'tool_search_tool_search_result', tool_references: [{ tool_name: 'a', ...mark }] },
    }),
    'messages[].content[].content.tool_references[].cache_control',
  ],
  'a call of chat completions': [
    { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', type: 'function', ...mark }] }] },
    'messages[].tool_calls[].cache_control',
  ],
  'a function': [
    { tools: [{ type: 'function', function: { name: 'f', ...mark } }] },
    'tools[].function.cache_control',
  ],
  'the output of a function in responses': [
    { input: [{ type: 'function_call_output', output: [textPart] }] },
    'input[].output[].cache_control',
  ],
  'tools inside tools': [
    {
      input: [{ type: 'additional_tools', tools: [{ type: 'namespace', tools: [{ name: 'f', ...mark }] }] }],
    },
    'input[].tools[].tools[].cache_control',
  ],
};

const remove = (request: object) => removeCacheFields({ bytes: Buffer.from(JSON.stringify(request)) });

describe('the removal of cache marks', () => {
  for (const [name, [request, ...dropped]] of Object.entries(requests)) {
    it(`finds those of ${name}`, () => {
      const removed = remove(request);
      assert.deepEqual(removed?.dropped, dropped);
      const plain = JSON.stringify(request, (key, value) => (key === 'cache_control' ? undefined : value));
      assert.equal(Buffer.from(removed.bytes).toString(), plain);
    });
  }

  it('leaves arguments and schemas with such members unchanged', () => {
    const content = [textPart];
    for (const request of [
      asUser({ type: 'tool_use', id: 't', name: 'f', input: { content, source, ...mark } }),
      asUser({ type: 'tool_use', id: 't', name: 'f', input: [textPart] }),
      { tools: [{ name: 'f', input_schema: { type: 'object', properties: { content, ...mark } } }] },
      { tools: [{ type: 'function', function: { name: 'f', parameters: { content, ...mark } } }] },
      { metadata: { content, ...mark } },
    ])
      assert.equal(remove(request), undefined);
  });
});
