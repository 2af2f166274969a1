import assert from 'node:assert/strict';
import { parseJson, sameJson } from '../../src/base/json.ts';
import { type LoadedConfig, parseConfig } from '../../src/localGateway/config/configFile.ts';
import { ConfigError } from '../../src/localGateway/config/configSchema.ts';
import { readConfigText } from '../../src/localGateway/config/configText.ts';
import { describeAccess, readUpstreamAccess } from '../../src/localGateway/config/consents.ts';
import { createModelFilter } from '../../src/localGateway/models/modelTable.ts';
import { assertPrototypesUnchanged, assertSame, readDocumentedCode } from '../support/fuzzing.ts';

const hash = 'ab'.repeat(32);
const upstream = '"name": "one", "kind": "openai-compatible", "baseUrl": "https://models.example/v1"';

/** The documented examples, and files with every kind of field. */
export function seeds(): readonly string[] {
  return [
    ...readDocumentedCode('local-gateway', 'jsonc?').map((code) =>
      code.startsWith('{') ? code : `{${code}}`,
    ),
    `{ "upstreams": [{ ${upstream} }], "port": 8080, "$schema": "x" }`,
    `{ // comment\n"upstreams": [{ ${upstream}, "keyEnv": "KEY", "headers": { "x-a": "b" }, "models": ["m"] }],
      "aliases": [{ "name": "fast", "models": ["one/a", "demo/chat"], "strategy": "weighted",
        "weights": { "one/a": 2 }, "nextAfterSeconds": 0.5, "nextOnServerError": true }],
      /* more */ "credentials": [{ "name": "ci", "sha256": "${hash}", "models": ["a*"], "requestsPerMinute": 5, }], }`,
    `{"upstreams":[{"name":"v","kind":"dashscope","baseUrl":"https://a.example","keyCommand":"print-key"}]}`,
    `{"upstreams":[{"name":"g","kind":"content-generation","baseUrl":"http://10.0.0.1","plainHttp":true}]}`,
    `{"upstreams":[{"name":"a","kind":"messages","baseUrl":"https://a.example/v1","keyFile":"~/key","hide":["*"]}]}`,
  ];
}

const file = 'gateway.json';

/** The reader of the local gateway's configuration. */
export function fuzz(data: Buffer): void {
  const content = data.toString();
  checkText(content);
  const loaded = unlessRefused(content);
  if (loaded) checkConfig(loaded);
  assertPrototypesUnchanged();
}

/** Text that JSON.parse accepts has the same value here. */
function checkText(content: string): void {
  const { value, problems, findPosition } = readConfigText(content);
  const lines = content.split(/\r\n|\r|\n/).length;
  for (const { position, problem } of problems) {
    assert.ok(position.line >= 1 && position.line <= lines && position.column >= 1);
    assert.notEqual(problem, '');
  }
  const parsed = parseJson(content.replace(/^\uFEFF/, ''));
  if (parsed === undefined || problems.length > 0) return;
  assertSame(value, parsed, 'JSON.parse disagrees');
  assert.ok(findPosition(['upstreams', 0, 'name']).line <= lines);
}

function unlessRefused(content: string): LoadedConfig | undefined {
  try {
    return parseConfig(content, file);
  } catch (error) {
    assert.ok(error instanceof ConfigError, error instanceof Error ? error.stack : String(error));
    const [title, ...problems] = error.message.split('\n');
    assert.equal(title, `The configuration ${file} cannot be used:`);
    assert.match(problems[0] ?? '', /^ {2}gateway\.json:\d+:\d+ .*: /);
    return undefined;
  }
}

/** A configuration that is read can be used, and is read again unchanged after it was written. */
function checkConfig({ config, describeLocation }: LoadedConfig): void {
  assert.ok(sameJson(parseConfig(JSON.stringify(config), file).config, config), 'changes when it is written');
  const names = config.upstreams.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const [nth, each] of config.upstreams.entries()) {
    assert.match(describeLocation('upstreams', nth), /^gateway\.json:\d+:\d+ upstreams\[\d+\]$/);
    const access = readUpstreamAccess(each);
    for (const address of access.addresses) assert.ok(URL.canParse(address), address);
    for (const details of ['in-full', 'left-out'] as const)
      assert.doesNotMatch(describeAccess(access, details), /[\p{Cc}\u2028\u2029]/u);
    const { allows, shows } = createModelFilter(each);
    assert.ok(allows('m') || !shows('m'), 'a model is shown but not allowed');
  }
}
