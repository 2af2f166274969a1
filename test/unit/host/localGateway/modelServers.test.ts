import assert from 'node:assert/strict';
import {
  checkedServers,
  detectModelServers,
  isAmong,
} from '../../../../src/host/gateway/local/modelServers.ts';

type RequestModels = NonNullable<Parameters<typeof detectModelServers>[1]>;

const { signal } = new AbortController();

function list(owner: string, ...ids: readonly string[]) {
  return JSON.stringify({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', owned_by: owner })),
  });
}

/** Replies on these ports; the other ports do not reply. */
function replyOn(ports: Readonly<Record<number, string>>, status = 200): RequestModels {
  return async (port) => {
    const text = ports[port];
    return text === undefined ? undefined : { status, text };
  };
}

describe('the detection of model servers', () => {
  it('sends one request to each known port', async () => {
    const requests: number[] = [];
    await detectModelServers(signal, async (port) => {
      requests.push(port);
      return undefined;
    });
    assert.deepEqual(requests, [11_434, 8080, 1234, 8000]);
    assert.deepEqual(
      checkedServers.map((place) => Number(/\d+/.exec(place)?.[0])),
      requests,
    );
  });

  it('recognises a server under each name of this machine', () => {
    const server = { title: 'Ollama', name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: 1 };
    for (const address of ['http://localhost:11434/v1', 'http://127.0.0.1:11434', 'http://[::1]:11434/v1'])
      assert.ok(isAmong(server, ['https://models.example', address]), address);
    const others = ['http://127.0.0.1:8080/v1', 'https://127.0.0.1:11434/v1', 'https://o.example:11434', ''];
    assert.equal(isAmong(server, others), false);
  });

  it('finds each server with its address and the number of its models', async () => {
    const found = await detectModelServers(
      signal,
      replyOn({
        11434: list('library', 'llama3.2:latest', 'qwen3:8b'),
        8080: list('llamacpp', 'model.gguf'),
        1234: list('organization_owner', 'a', 'b', 'c'),
        8000: list('vllm', 'meta/x'),
      }),
    );
    assert.deepEqual(
      found.map(({ title, baseUrl, models }) => [title, baseUrl, models]),
      [
        ['Ollama', 'http://127.0.0.1:11434/v1', 2],
        ['llama.cpp', 'http://127.0.0.1:8080/v1', 1],
        ['LM Studio', 'http://127.0.0.1:1234/v1', 3],
        ['vLLM', 'http://127.0.0.1:8000/v1', 1],
      ],
    );
  });

  it('names a server by the owner in its model list, otherwise by its port', async () => {
    const found = await detectModelServers(
      signal,
      replyOn({ 8000: list('llamacpp', 'm'), 8080: list('me', 'm') }),
    );
    assert.deepEqual(
      found.map(({ title, baseUrl }) => [title, baseUrl]),
      [
        ['llama.cpp', 'http://127.0.0.1:8080/v1'],
        ['llama.cpp', 'http://127.0.0.1:8000/v1'],
      ],
    );
  });

  it('finds a server without models', async () => {
    for (const text of ['{"object":"list","data":null}', '{"object":"list","data":[]}']) {
      const [found] = await detectModelServers(signal, replyOn({ 11434: text }));
      assert.deepEqual([found?.title, found?.models], ['Ollama', 0]);
    }
  });

  it('ignores other programs on these ports', async () => {
    for (const text of [
      '<html>',
      '',
      '[]',
      '{}',
      '{"data":"x"}',
      '{"data":[1]}',
      '{"data":[{"id":7}]}',
      'null',
    ])
      assert.deepEqual(await detectModelServers(signal, replyOn({ 8080: text })), [], text);
    assert.deepEqual(await detectModelServers(signal, replyOn({ 8080: list('vllm', 'm') }, 401)), []);
  });
});
