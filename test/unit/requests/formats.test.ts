import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import { writePowerShellCurl } from '../../../src/requests/formats/curl.ts';
import { createHar } from '../../../src/requests/formats/har.ts';
import { writeRequestReport } from '../../../src/requests/formats/requestReport.ts';
import { readSentRequest, writeHttpFile } from '../../../src/requests/formats/sentRequest.ts';
import type { OpenedRequest } from '../../../src/requests/requestRecord.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failures/gatewayError.ts';
import { harDocument } from '../../support/harSchema.ts';
import { parsePowerShell, passThroughWindowsPowerShell } from '../../support/powerShell.ts';
import { canary, createRecord, createTranscript } from '../../support/requestRecords.ts';

type Facts = NonNullable<Parameters<typeof createRecord>[0]>;

function openRequest(facts: Facts = {}): OpenedRequest {
  const { figures, content } = createRecord(facts);
  const known = content();
  return { figures, ...(known && { content: known }) };
}

const creator = { name: 'Model Gateway', version: '0.1.0' };

const refused: Facts = {
  status: 403,
  failure: 'The gateway refused the credential.',
  error: new GatewayError({
    kind: 'authentication',
    explanation: explain('reply-too-large'),
    requestedAt: new Date(),
    requestId: 'ours-1',
    body: '{"error":"no"}',
  }),
  transcript: createTranscript('{"model":"m","messages":[{"role":"user","content":"a private question"}]}', [
    [3, '{"error":"no"}'],
  ]),
};

const unreached: Facts = {
  failure: 'The gateway cannot be reached.',
  error: new GatewayError({
    kind: 'unreachable',
    explanation: explain('reply-too-large'),
    requestedAt: new Date(),
    requestId: 'ours-1',
  }),
  totalMs: 10_000,
  bytesReceived: 0,
  transcript: createTranscript('{"model":"m"}', [], {}),
};

describe('a HAR file of requests', () => {
  const streamed = openRequest({
    transcript: createTranscript(
      '{"model":"m","stream":true}',
      [
        [41, 'data: é\n\n'],
        [90, 'data: [DONE]\n\n'],
      ],
      {
        'content-type': 'text/event-stream',
      },
    ),
  });
  // `sentMs` and the later times are missing.
  const notReached = openRequest({
    ...unreached,
    status: undefined,
    sentMs: undefined,
    headersMs: undefined,
    firstByteMs: undefined,
    lastByteMs: undefined,
  } as Facts);

  it('is valid by the HAR 1.2 schema for successful, refused, failed and incomplete requests', () => {
    const bare = { figures: openRequest().figures };
    const listing = openRequest({
      method: 'GET',
      url: 'https://gateway.example/v1/tasks?limit=20&cursor=a%20b',
    });
    const document = createHar(
      [openRequest(), streamed, openRequest(refused), notReached, bare, listing],
      creator,
    );
    // As serialized, without undefined values.
    const written: unknown = JSON.parse(JSON.stringify(document));
    z.parse(harDocument, written);
  });

  it('has the bodies, their sizes, and times that add up', () => {
    const { entries } = z.parse(harDocument, createHar([streamed], creator)).log;
    const [{ request, response, timings, time } = assert.fail()] = entries;
    assert.equal(request.postData?.text, '{"model":"m","stream":true}');
    assert.equal(request.bodySize, 27);
    assert.equal(response.content.text, 'data: é\n\ndata: [DONE]\n\n');
    assert.equal(response.content.size, Buffer.byteLength(response.content.text ?? ''));
    assert.equal((timings.connect ?? 0) + timings.send + timings.wait + timings.receive, time);
    assert.deepEqual(JSON.parse(JSON.stringify(entries[0]))._events?.[0], { atMs: 41, text: 'data: é' });
  });

  it('T21 does not contain a credential', () => {
    const echo = openRequest({
      transcript: createTranscript(`{"user":"${canary}"}`, [[1, canary]], { 'x-echo': canary }),
    });
    assert.ok(!JSON.stringify(createHar([echo], creator)).includes(canary));
  });
});

describe('a .http file of a request', () => {
  it('takes the credential from the environment, and sends equivalent JSON', () => {
    const body = JSON.stringify({ content: '{{notAVariable}} {{{', nested: { a: { b: {} } } });
    const sent = readSentRequest(openRequest({ transcript: createTranscript(body, []) }));
    assert.ok(typeof sent === 'object');
    const [head = '', ...rest] = writeHttpFile(sent).split('\n\n');
    assert.deepEqual(head.split('\n'), [
      'POST https://gateway.example/v1/chat/completions',
      'content-type: application/json',
      'authorization: Bearer {{$processEnv MODEL_GATEWAY_CREDENTIAL}}',
    ]);
    assert.ok(!rest.join('').includes('{{'));
    assert.deepEqual(JSON.parse(rest.join('\n\n')), JSON.parse(body));
  });
});

describe('a command for PowerShell', () => {
  it('passes the body in a file, and doubles every kind of quote', () => {
    const sent = readSentRequest(
      openRequest({ transcript: createTranscript(`{"a":"it's ‘quoted’ $x"}`, []) }),
    );
    assert.ok(typeof sent === 'object');
    assert.equal(
      writePowerShellCurl(sent),
      [
        '$body = (New-TemporaryFile).FullName',
        `[IO.File]::WriteAllText($body, '{"a":"it''s ‘‘quoted’’ $x"}')`,
        "curl.exe 'https://gateway.example/v1/chat/completions' `",
        '  --no-buffer `',
        '  --request POST `',
        "  --header 'content-type: application/json' `",
        "  --header ('authorization: Bearer ' + $env:MODEL_GATEWAY_CREDENTIAL) `",
        '  --data-binary "@$body"',
        'Remove-Item -LiteralPath $body',
      ].join('\n'),
    );
  });
});

describe('a command for PowerShell, as PowerShell parses it', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'\'\u2018\u2019\u201a\u201b"`$\\{}()@#;&| '),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    maxLength: 30,
  });

  it('sends the same address, headers and body for any characters, and the credential from the environment', () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (value, content, hasBody) => {
        const body = JSON.stringify({ model: 'm', content });
        const request = {
          method: 'POST',
          url: 'https://gateway.example/v1/models/it\u2019s:generateContent?alt=sse',
          headers: [
            { name: 'x-content', value, takesCredential: false },
            { name: 'authorization', value: 'Bearer ', takesCredential: true },
          ],
          ...(hasBody && { body }),
        };
        const run = parsePowerShell(writePowerShellCurl(request), { MODEL_GATEWAY_CREDENTIAL: canary });
        assert.equal(run.program, 'curl.exe');
        const header = value === '' ? 'x-content;' : `x-content: ${value}`;
        const { 'temporary headers': ofFile, ...files } = run.files;
        assert.deepEqual(run.args, [
          request.url,
          '--no-buffer',
          '--request',
          'POST',
          ...(ofFile === undefined ? ['--header', header] : []),
          '--header',
          `authorization: Bearer ${canary}`,
          ...(ofFile === undefined ? [] : ['--header', '@temporary headers']),
          '--data-binary',
          '@temporary body',
        ]);
        assert.equal(ofFile ?? header, header);
        assert.deepEqual(files, { 'temporary body': hasBody ? body : '' });
        // Every argument except the address, which has only letters of a real address.
        assert.deepEqual(passThroughWindowsPowerShell(run.args.slice(1)), run.args.slice(1));
      }),
    );
  });
});

describe('a request that is not stored completely', () => {
  it('is not converted to a command, which would send something else', () => {
    const { figures, content } = createRecord();
    assert.equal(readSentRequest({ figures }), 'content-missing');
    const shortened = content({ maxBodyBytes: 5, hidesAll: true });
    assert.ok(shortened);
    assert.equal(readSentRequest({ figures, content: shortened }), 'body-shortened');
  });
});

describe('a report of a request', () => {
  it('has versions, class, ids and times, and omits the text of messages', () => {
    const report = writeRequestReport(openRequest(refused), { 'VS Code': '1.139.1' });
    for (const part of [
      'VS Code: 1.139.1',
      'POST https://gateway.example/v1/chat/completions',
      'Class: authentication',
      'Request ID: ours-1',
      'connected 12 ms, headers 40 ms',
      '"role": "user"',
      '"content": "(18 characters)"',
      'whole reply: (14 characters)',
    ]) {
      assert.ok(report.includes(part), `${part}\n\n${report}`);
    }
    assert.ok(!report.includes('private question'));
  });

  it('P3 does not contain the question in any part that repeats it', () => {
    const question = 'zebra quilts';
    const body = JSON.stringify({
      model: 'm',
      max_tokens: 7,
      temperature: 0.5,
      [question]: question,
      messages: [
        {
          role: question,
          type: 'zebra-quilts',
          content: [{ type: 'text', text: question, zebraQuilts: 42424242 }],
        },
        { role: 'user', content: 'why?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'quilts_of_zebra', parameters: { properties: { zebraQuilts: {} } } },
        },
      ],
      metadata: { zebra: 42424242 },
    });
    const echo = {
      message: `I cannot read "${question}"`,
      code: 'zebra_quilts',
      type: 'refused',
      param: 'why',
    };
    const known = createTranscript(body, [[3, JSON.stringify({ error: echo, body })]]);
    const { figures, content } = openRequest({ ...refused, transcript: known });
    const headers = {
      'x-request-id': 'id-zebraquilts-1',
      'x-zebra-quilts': '1',
      'x-echo': question,
      server: 'Zebra Quilts',
      'retry-after': '7',
      via: '42424242',
      'x-ratelimit-zebra-quilts': '1',
      'x-ratelimit-remaining-tokens': '9',
    };
    assert.ok(content && figures.failure);
    const explanation = explain('reply-too-large');
    const report = writeRequestReport(
      {
        figures: {
          ...figures,
          url: `${figures.url}?q=zebra`,
          gatewayRequestId: 'zebra-quilts',
          failure: { ...figures.failure, explanation, message: question, gatewayMessage: question },
        },
        content: {
          ...content,
          requestHeaders: { ...content.requestHeaders, ...headers },
          replyHeaders: headers,
        },
      },
      {},
    );
    assert.doesNotMatch(report, /zebra|quilts|why|424242/i);
    for (const part of [
      'type: refused',
      'retry-after: 7',
      'x-ratelimit-remaining-tokens: 9',
      '"max_tokens": 7',
      '"temperature": 0.5',
      '"role": "user"',
    ])
      assert.ok(report.includes(part), `${part}\n\n${report}`);
  });

  it('T3 shows error codes that are words, and omits codes that may be an encoding of the question', () => {
    const question = 'why do zebras quilt';
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: question }] });
    const codeIn = (code: unknown) => {
      const known = createTranscript(body, [[3, JSON.stringify({ error: { code } })]]);
      return /^code: (.*)$/m.exec(
        writeRequestReport(openRequest({ ...refused, transcript: known }), {}),
      )?.[1];
    };
    const bytes = Buffer.from(question);
    const encoded = (['base64', 'base64url', 'hex'] as const).map((each) => bytes.toString(each));
    for (const code of [...encoded, bytes.toString('base64').slice(0, 12), [...bytes].join('.')])
      assert.equal(codeIn(code), undefined, code);
    for (const code of [
      'rate_limit_exceeded',
      'InvalidParameter.DataInspection',
      'messages[0].content',
      'RESOURCE_EXHAUSTED',
      'tools.0.custom',
      'E1234',
      'http-400',
    ])
      assert.equal(codeIn(code), code);
  });

  it('does not contain a successful reply', () => {
    const report = writeRequestReport(openRequest(), {});
    assert.ok(!report.includes('"id":"c"'), report);
  });
});
