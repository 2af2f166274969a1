import assert from 'node:assert/strict';
import { isObject, type JsonObject, parseJson } from '../../src/base/json.ts';
import {
  isForm,
  readBoundary,
  readFormBody,
  readFormParts,
  writeMultipartForm,
} from '../../src/localGateway/http/formBody.ts';
import { HttpError } from '../../src/localGateway/http/httpError.ts';
import {
  type RequestBody,
  readModelField,
  readRequestBody,
} from '../../src/localGateway/http/requestBody.ts';
import { joinPieces } from '../../src/localGateway/json/bodyPieces.ts';
import { replaceAddresses } from '../../src/localGateway/json/jsonEdit.ts';
import { limitBody } from '../../src/localGateway/server/limitedRequest.ts';
import { servedRoutes } from '../../src/localGateway/server/servedRoutes.ts';
import {
  assertPrototypesUnchanged,
  assertSame,
  divideBytes,
  readFixtureLines,
  readFixtures,
} from '../support/fuzzing.ts';

const form = [
  '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n',
  '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx\r\n',
  '--b--\r\n',
];

/** JSON with the fields that the gateway reads, other JSON, and a form. */
export function seeds(): readonly (Buffer | string)[] {
  return [
    '{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}],"n":-1.5e+3}',
    '{ "mod\\u0065l" : "a/b", "response_format":{"type":"json_object"},\r\n"model":["x"] , "s":"\\ud800" }',
    '\ufeff{"background":true,"previous_response_id":null,"agent":"a","anthropic_version":"1"}',
    '{"contents":[{"parts":[{"text":"Hi"}]}],"generateContentRequest":{"model":"models/m"},"extra_body":{}}',
    form.join(''),
    ...readFixtureLines('taskRecords.jsonl').filter((_, nth) => nth % 20 === 0),
    ...readFixtures('conversations', '.jsonl'),
  ];
}

/** The local gateway's reading of the bodies of requests, which it passes on with few changes. */
export function fuzz(data: Buffer): void {
  if (data.subarray(0, 2).toString() === '--') checkForm(data);
  else checkJson(data);
  assertPrototypesUnchanged();
}

function checkJson(data: Buffer): void {
  const text = data.toString().replace(/^\uFEFF/, '');
  const value = parseJson(text);
  const body = unlessRefused(() => readRequestBody(data));
  assert.equal(body !== undefined, isObject(value), 'JSON.parse disagrees');
  if (!body || !isObject(value)) return;
  assert.equal(body.depth, measureDepth(text));
  checkFields(body, value);
  for (const pieces of divideBytes(data)) {
    const divided = readRequestBody(pieces);
    assert.ok(joinPieces(divided.pieces).equals(data));
    assertSame(divided.readField('model'), body.readField('model'), 'depends on the pieces');
    assert.ok(
      joinPieces(divided.replaceModel('x')).equals(joinPieces(body.replaceModel('x'))),
      'depends on the pieces',
    );
  }
  checkAddresses(data, value);
  for (const route of posts)
    unlessRefused(() => limitBody([data], 'application/json', { route, model: 'm' }));
}

const names = ['model', 'agent', 'response_format', 'stream', 'previous_response_id'] as const;

function checkFields(body: RequestBody, value: JsonObject): void {
  for (const name of names) assertSame(body.readField(name), ownMember(value, name), name);
  const model = unlessRefused(() => readModelField(body));
  assert.equal(model, typeof value.model === 'string' && value.model !== '' ? value.model : undefined);
  const replaced = parsed(joinPieces(body.replaceModel('a"b')));
  assertSame(replaced, Object.hasOwn(value, 'model') ? { ...value, model: 'a"b' } : value, 'another model');
  const { model: _, ...others } = value;
  const edited = parsed(body.editFields({ model: undefined, stream: [true] }));
  assertSame(sorted(edited), sorted({ ...others, stream: [true] }), 'other edited fields');
}

function ownMember(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Edited fields are written first. */
function sorted(value: unknown): unknown {
  return isObject(value) ? Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)) : value;
}

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(
    Buffer.from(bytes)
      .toString()
      .replace(/^\uFEFF/, ''),
  );
}

/** Counted in the text, because JSON.parse drops repeated members. */
function measureDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** An address that is replaced by itself changes nothing, and other strings are not read as addresses. */
function checkAddresses(data: Buffer, value: JsonObject): void {
  const bytes = data.subarray(data.indexOf('{'));
  const found: string[] = [];
  assert.equal(
    replaceAddresses(bytes, (text) => void found.push(text)),
    bytes,
  );
  const same = replaceAddresses(bytes, (text) => text);
  assertSame(parsed(same), value, 'other values');
  for (const text of found) assert.ok(text.includes('/'));
}

/** One route with a body for each API format. */
const posts = [
  ...new Map(
    servedRoutes.filter(({ method }) => method === 'POST').map((route) => [route.group, route]),
  ).values(),
];

function checkForm(data: Buffer): void {
  const type = 'multipart/form-data; boundary=b';
  assert.ok(isForm(type));
  assert.equal(readBoundary(type), 'b');
  const body = unlessRefused(() => readFormBody(data, type));
  if (body) {
    const changed = unlessRefused(() => joinPieces(body.replaceModel('other')));
    const written = changed ?? data;
    if (body.readField('model') === undefined) assert.ok(written.equals(data));
    else if (changed) assert.equal(readFormBody(written, type).readField('model'), 'other');
  }
  const parts = unlessRefused(() => readFormParts(data, type));
  if (parts && parts.length > 0) {
    const again = writeMultipartForm(parts);
    assertSame(readFormParts(again.bytes, again.type), parts, 'other parts after writing');
  }
  for (const route of posts) unlessRefused(() => limitBody([data], type, { route }));
}

/** The result; undefined if the request is refused with 400 or 403. */
function unlessRefused<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof HttpError, error instanceof Error ? error.stack : String(error));
    assert.ok([400, 403].includes(error.status) && error.message !== '');
    return undefined;
  }
}
