import assert from 'node:assert/strict';
import { readFormBody } from '../../../../src/localGateway/http/formBody.ts';
import { HttpError } from '../../../../src/localGateway/http/httpError.ts';
import { readRequestBody } from '../../../../src/localGateway/http/requestBody.ts';
import { readCountedMembers } from '../../../../src/localGateway/server/countedBody.ts';

describe('P17 the body of a request that limits count', () => {
  const read = (text: string, isVideo = false) =>
    readCountedMembers(readRequestBody([Buffer.from(text)]), isVideo);
  const refusal = (code: string) => (error: unknown) =>
    error instanceof HttpError && error.status === 400 && error.code === code;

  it('is read with a byte order mark, and with equal names in different objects', () => {
    assert.deepEqual(read('\ufeff{"n":3}'), { n: 3 });
    const messages = [{ content: 'a', __proto: 1 }, { content: { content: ['{"n":1,"n":2}'] } }, {}];
    assert.deepEqual(read(JSON.stringify({ messages, n: null })), { messages, n: null });
    assert.deepEqual(Object.keys(read('{"__proto__":{"n":1},"n":2}')), ['__proto__', 'n']);
    assert.doesNotThrow(() => read(`{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`));
  });

  it('is refused if a name occurs twice in an object at any depth, however it is written', () => {
    for (const text of [
      '{"n":100,"n":1}',
      '{"n":1,"n":1}',
      '{"n":100,"\\u006e":1}',
      '{"model":"dear","model":"cheap"}',
      '{"generationConfig":{"maxOutputTokens":9000,"maxOutputTokens":1}}',
      '{"generationConfig":{"maxOutputTokens":9000},"generationConfig":{}}',
      '{"messages":[{"role":"user","content":"a long text","content":"Hi"}]}',
      '{"x":[[{"y":{"z":1,"z":{"n":1}}}]]}',
    ])
      assert.throws(() => read(text), refusal('repeated_field'), text);
  });

  it('is refused if it has a counted name in other letters, which some upstreams read', () => {
    for (const text of [
      '{"N":100}',
      '{"n":1,"N":100}',
      '{"model":"cheap","Model":"dear"}',
      '{"max_toKens":9000}',
      '{"generationConfig":{"maxoutputtokens":9000}}',
    ])
      assert.throws(() => read(text), refusal('ambiguous_field'), text);
    for (const text of ['{"metadata":{"N":100}}', '{"Parameters":{"duration":60}}'])
      assert.throws(() => read(text, true), refusal('ambiguous_field'), text);
    for (const text of ['{"metadata":{"N":"x","Model":"y"}}', '{"tools":[{"N":1,"n":2}]}'])
      assert.doesNotThrow(() => read(text), text);
  });

  it('is refused as a form if a field occurs twice or readers differ about its parts', () => {
    const form = (...heads: readonly string[]) => {
      const parts = heads.map((head) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n1\r\n`);
      const type = 'multipart/form-data; boundary=b';
      return readCountedMembers(readFormBody(Buffer.from(`${parts.join('')}--b--\r\n`), type), true);
    };
    assert.deepEqual(form('name="n"', 'name="image"; filename="a"', 'name="image"; filename="b"'), {
      n: '1',
    });
    for (const heads of [['name="n"', 'name="n"'], ['name="n"', 'name=n'], ["name*=utf-8''n"]])
      assert.throws(() => form('name="seconds"', ...heads), refusal('invalid_form'), heads.join());
    assert.throws(() => form('name="Seconds"'), refusal('ambiguous_field'));
  });
});
