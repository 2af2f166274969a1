import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, parseJson } from '../../src/base/json.ts';
import { findConversion } from '../../src/localGateway/conversion/conversion.ts';
import type { ConvertibleFormat } from '../support/convertibleFormat.ts';
import { convertible, minimalRequests, names } from '../unit/localGateway/conversion/conversions.ts';
import { streamFixtures } from '../unit/wire/streamFixtures.ts';

/** The types of the providers' own client libraries for a whole reply, and for the events of a stream. */
const published: Readonly<Record<ConvertibleFormat, { readonly reply: string; readonly event: string }>> = {
  chatCompletions: {
    reply: 'import("openai/resources/chat/completions").ChatCompletion',
    event: 'import("openai/resources/chat/completions").ChatCompletionChunk',
  },
  contentGeneration: {
    reply: 'Pick<import("@google/genai").GenerateContentResponse, "candidates" | "usageMetadata">',
    event: 'Pick<import("@google/genai").GenerateContentResponse, "candidates" | "usageMetadata">',
  },
  messages: {
    reply: 'import("@anthropic-ai/sdk/resources/messages").Message',
    event: 'import("@anthropic-ai/sdk/resources/messages").RawMessageStreamEvent | { type: "ping" }',
  },
  responses: {
    reply: 'Omit<import("openai/resources/responses/responses").Response, "_request_id">',
    event: 'import("openai/resources/responses/responses").ResponseStreamEvent',
  },
};

/** Removes the members that gateways add to chat completions. */
const omitExtensions = (name: string, value: unknown) =>
  name === 'reasoning_content' || name === 'images' || name === 'annotations' ? undefined : value;

const helpers = `
type Read<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? readonly Read<U>[] : T extends object ? { readonly [K in keyof T]: Read<T[K]> } : T;
declare function check<T>(value: Read<T>): void;
`;

/** The type errors of values, checked against their published types. */
function listTypeErrors(
  values: readonly { readonly type: string; readonly json: string }[],
): readonly string[] {
  const unique = new Map(values.map((value) => [value.type + value.json, value]));
  const lines = [...unique.values()].map(
    ({ type, json }, nth) => `const v${nth} = ${json} as const; check<${type}>(v${nth});`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'published-types-'));
  try {
    symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'check.ts'), `export {};${helpers}${lines.join('\n')}`);
    const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--pretty', 'false', '--module', 'nodenext'];
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, 'check.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const folders: Readonly<Record<ConvertibleFormat, string>> = {
  chatCompletions: '.',
  contentGeneration: 'contentGeneration',
  messages: 'messages',
  responses: 'responses',
};

describe('converted replies, checked with the types of the providers’ client libraries', function () {
  this.timeout(120_000);

  for (const from of convertible) {
    it(`have all members that a caller of ${from} may read, whole and streamed`, () => {
      const values: { type: string; json: string }[] = [];
      const { reply, event } = published[from];
      for (const to of convertible.filter((each) => each !== from)) {
        for (const { bytes, expected } of streamFixtures(folders[to])) {
          if (expected.end.kind !== 'complete' && expected.end.kind !== 'truncated') continue;
          const framing = 'events';
          const body = Buffer.from(JSON.stringify(minimalRequests[from]));
          const request = findConversion(from, to)?.convertRequest(body, { model: 'm', framing });
          assert.ok(request);
          try {
            values.push({ type: reply, json: JSON.stringify(request.convertReply(bytes, names)) });
          } catch {
            continue;
          }
          const stream = request.createStream(names);
          const text = stream.write(bytes) + stream.end();
          for (const line of text.split(/\r?\n/)) {
            const data = parseJson(line.replace(/^data: /, ''));
            if (isObject(data))
              values.push({
                type: event,
                json: JSON.stringify(data, from === 'chatCompletions' ? omitExtensions : undefined),
              });
          }
        }
      }
      assert.ok(values.length > 100);
      const found = [...new Set(listTypeErrors(values).map((line) => line.replace(/^\S+: /, '')))];
      assert.deepEqual(found, []);
    });
  }
});
