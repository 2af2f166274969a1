import assert from 'node:assert/strict';
import { readFormBody, readFormParts } from '../../../src/localGateway/http/formBody.ts';
import { HttpError } from '../../../src/localGateway/http/httpError.ts';
import { joinPieces } from '../../../src/localGateway/json/bodyPieces.ts';

describe('a form body', () => {
  async function encodeForm(fields: Readonly<Record<string, string | Blob>>) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const request = new Request('http://gateway.example', { method: 'POST', body: form });
    const type = request.headers.get('content-type') ?? '';
    return { type, bytes: Buffer.from(await request.arrayBuffer()) };
  }

  it('has text fields, and files that are not text fields', async () => {
    const picture = new Blob([Buffer.from('\r\n\r\nname="model"\r\n\r\nother')]);
    const { type, bytes } = await encodeForm({
      input_reference: picture,
      model: 'one/m',
      prompt: 'Ein Käfer\n',
    });
    const body = readFormBody(bytes, type);
    assert.equal(body.readField('model'), 'one/m');
    assert.equal(body.readText('prompt'), 'Ein Käfer\r\n');
    assert.equal(body.readText('input_reference'), undefined);
    const changed = joinPieces(body.replaceModel('m'));
    const form = await new Response(new Uint8Array(changed), {
      headers: { 'content-type': type },
    }).formData();
    assert.equal(form.get('model'), 'm');
    assert.equal(changed.length, bytes.length - 'one/'.length);
  });

  it('is read with the same model that its upstream reads', () => {
    const part = (head: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const readForm = (...parts: readonly string[]) =>
      readFormBody(Buffer.from(`${parts.join('')}--b--\r\n`), 'multipart/form-data; boundary=b');
    const body = readForm(part('name="model"', 'cheap'), part('name=model', 'dear'));
    assert.equal(body.readField('model'), 'dear');
    assert.equal(body.isRepeated('model'), true);
    const many = Array.from({ length: 100 }, (_, i) => part(`name="f${i}"`, ''));
    assert.equal(readForm(...many).readText('f99'), '');
    assert.throws(() => readForm(...many, part('name="model"', 'dear')), /more than 100 parts/);
    // A reader that skips these lines would find the other model.
    for (const line of ['--b\r\nno head\r\n', '--bb\r\n', '--b-\r\n', '--b \r\n\r\n\r\n']) {
      const parts = [part('name="model"', 'cheap'), line, part('name="model"', 'dear')];
      assert.throws(() => readForm(...parts), /a part has no head or no end/, JSON.stringify(line));
    }
  });

  it('is rejected if it is invalid or has another boundary', async () => {
    const { type, bytes } = await encodeForm({ model: 'm' });
    for (const [body, contentType] of [
      [bytes, 'multipart/form-data; other=1'],
      [bytes, 'multipart/form-data; boundary=other'],
      [Buffer.alloc(0), type],
      [bytes.subarray(0, 40), type],
    ] as const) {
      assert.throws(() => readFormBody(body, contentType), HttpError);
    }
  });

  it('has an empty value where a part has no line for it, which cannot be replaced', async () => {
    const { type, bytes } = await encodeForm({ model: 'm' });
    const body = readFormBody(
      Buffer.from(bytes.toString('latin1').replace('\r\n\r\nm', '\r\n'), 'latin1'),
      type,
    );
    assert.equal(body.readText('model'), '');
    assert.throws(() => body.replaceModel('other'), /“model” has no line for its value/);
    assert.throws(() => body.replaceField('model', 'other'), HttpError);
  });

  it('is rejected unless every reader finds the same boundary', () => {
    const read = (parameters: string, boundary = 'b') => {
      const part = `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n`;
      const bytes = Buffer.from(`${part}--${boundary}--\r\n`);
      const type = `multipart/form-data; ${parameters}`;
      assert.equal(readFormParts(bytes, type)[0]?.name, 'model');
      return readFormBody(bytes, type).readText('model');
    };
    const longest = 'b'.repeat(70);
    for (const [parameters, boundary] of [
      ['boundary=b', 'b'],
      ['boundary="b" ', 'b'],
      ['charset=utf-8; Boundary=b;x=y', 'b'],
      ['boundary=--xBoundary7', '--xBoundary7'],
      [`boundary=${longest}`, longest],
      [`boundary="${longest}"`, longest],
    ] as const)
      assert.equal(read(parameters, boundary), 'm', parameters);
    for (const [parameters, boundary] of [
      [`boundary=${longest}b`, longest],
      [`boundary="${longest}b"`, longest],
      [`boundary=${longest}b; boundary=b`, 'b'],
      ['boundary=b; boundary=c', 'b'],
      ['boundary=b; BOUNDARY="c"', 'b'],
      ['x="; boundary=b"; boundary=c', 'b'],
      ["boundary=b; boundary*=utf-8''c", 'b'],
      ['boundary=b"c"', 'b'],
      ['boundary="b\\c"', 'b\\c'],
      ['boundary=b c', 'b'],
    ] as const)
      assert.throws(() => read(parameters, boundary), HttpError, parameters);
  });
});
