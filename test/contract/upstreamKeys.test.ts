import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { HttpError } from '../../src/localGateway/http/httpError.ts';
import type { Upstream } from '../../src/localGateway/upstreams/upstream.ts';
import { createChatBody, postChat } from '../support/chatCompletionsCalls.ts';
import { createCall, openConfiguredUpstream } from '../support/configuredUpstream.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';

describe('the key of an upstream', function () {
  this.timeout(20_000);
  let folder: string;
  let server: ScriptedUpstream;
  let status: number;
  const upstreams: Upstream[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'upstream-keys-'));
    status = 200;
    server = await startUpstream(({ headers }, res) =>
      res.writeHead(status).end(`{"a":"${headers.authorization}"}`),
    );
  });
  afterEach(async () => {
    for (const upstream of upstreams.splice(0)) await upstream.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function openUpstreamWith(fields: object, key?: string): Upstream {
    const upstream = openConfiguredUpstream(
      { kind: 'cloud-platform', project: 'p', location: 'global', baseUrl: server.baseUrl, ...fields },
      () => key,
    );
    upstreams.push(upstream);
    return upstream;
  }

  /** A program that records its run and then executes the script. */
  function createCommand(script: string): { readonly keyCommand: string; runs(): number } {
    const file = join(folder, 'program.mjs');
    const log = join(folder, 'runs');
    writeFileSync(log, '');
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(log)}, 'x');\n${script}`,
    );
    return { keyCommand: `"${process.execPath}" "${file}"`, runs: () => readFileSync(log).length };
  }

  const send = async (upstream: Upstream) => {
    const request = { format: 'contentGeneration', framing: 'whole' } as const;
    const reply = await upstream.send(createCall({ request, model: 'm' }));
    const chunks: Uint8Array[] = [];
    for await (const chunk of reply.body) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString();
  };

  async function catchFailure(upstream: Upstream): Promise<HttpError> {
    const error = await send(upstream).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof HttpError, String(error));
    return error;
  }

  it('comes from a command, which runs once for many callers', async () => {
    const { keyCommand, runs } = createCommand(
      `console.log(JSON.stringify({ access_token: 'cloud-token', expires_in: 3600 }));`,
    );
    const upstream = openUpstreamWith({ keyCommand });
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(upstream)));
    assert.deepEqual(new Set(replies), new Set(['{"a":"Bearer cloud-token"}']));
    assert.equal(runs(), 1);
  });

  it('is read again after a refusal, but the request is not sent again', async () => {
    const { keyCommand, runs } = createCommand(`console.log('cloud-token');`);
    const upstream = openUpstreamWith({ keyCommand });
    status = 401;
    const failure = await catchFailure(upstream);
    assert.equal(failure.status, 424);
    assert.match(
      failure.message,
      /returned 401.* The key of this gateway for it, that its keyCommand prints, is wrong or lacks a permission\.$/,
    );
    assert.doesNotMatch(failure.message, /cloud-token/);
    assert.equal(server.requests.length, 1);
    status = 200;
    await send(upstream);
    assert.equal(runs(), 2);
  });

  it('P3 has a failing command reported by how it ended, without its output', async () => {
    const failures: readonly (readonly [script: string, pattern: RegExp])[] = [
      [
        `console.log('canary'); console.error('canary'); process.exit(3);`,
        /ended with exit code 3\. Run it in/,
      ],
      [
        `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`,
        /was killed by SIGTERM|exit code 143/,
      ],
      [`process.stdout.write('canary'.repeat(1e5));`, /printed far more than a key/],
      [`console.log('canary canary');`, /is neither a key on one line/],
      ['', /the output of its keyCommand is empty/],
    ];
    for (const [script, pattern] of failures) {
      const {
        status: expected,
        message,
        neverSent,
        headers,
      } = await catchFailure(openUpstreamWith(createCommand(script)));
      assert.match(message, /^Upstream 'one' cannot be used: /);
      assert.match(message, pattern);
      assert.doesNotMatch(message, /canary/);
      assert.deepEqual([expected, neverSent, headers['x-should-retry']], [424, true, 'false']);
    }
    assert.match(
      (await catchFailure(openUpstreamWith({ keyCommand: 'no-such-command-here' }))).message,
      /exit code \d+/,
    );
    assert.equal(server.requests.length, 0);
  });

  it('whose command never ends does not leave a process behind', async () => {
    const pidFile = join(folder, 'pid');
    const { keyCommand } = createCommand(
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`,
    );
    // The shell waits for its child.
    const upstream = openUpstreamWith({ keyCommand: `${keyCommand}; true` });
    const failing = catchFailure(upstream);
    const pid = await waitForPid(pidFile);
    await upstream.close();
    assert.match((await failing).message, /keyCommand/);
    while (isRunning(pid)) await wait(10);
  });

  it('comes from a command that started another program, which keeps its output open', async () => {
    const pidFile = join(folder, 'pid');
    const { keyCommand } = createCommand(
      `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const options = { detached: true, stdio: 'inherit' };
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], options);
      child.unref();
      writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      console.log('cloud-token');`,
    );
    const upstream = openUpstreamWith({ keyCommand });
    assert.equal(await send(upstream), '{"a":"Bearer cloud-token"}');
    const pid = await waitForPid(pidFile);
    assert.ok(isRunning(pid), 'it may be an agent');
    process.kill(pid);
  });

  it('for which the caller did not wait means that nothing was sent', async () => {
    const upstream = openUpstreamWith({
      keyCommand: `"${process.execPath}" -e "setInterval(() => {}, 1000)"`,
    });
    const caller = new AbortController();
    const request = { format: 'contentGeneration', framing: 'whole' } as const;
    const sending = upstream.send({ ...createCall({ request, model: 'm' }), signal: caller.signal });
    caller.abort(new Error('the caller disconnected'));
    await assert.rejects(sending, (error) => error instanceof HttpError && error.neverSent);
    assert.equal(server.requests.length, 0);
  });

  it('comes from a file, which is read again after a refusal', async () => {
    const keyFile = join(folder, 'token');
    const ended = new Date(Date.now() - 10_000);
    writeFileSync(keyFile, JSON.stringify({ access_token: 'first', expires_in: 5 }));
    utimesSync(keyFile, ended, ended);
    const upstream = openUpstreamWith({ keyFile });
    assert.match((await catchFailure(upstream)).message, /the key in its keyFile .* expired at/);
    writeFileSync(keyFile, 'second\n');
    const again = openUpstreamWith({ keyFile });
    assert.equal(await send(again), '{"a":"Bearer second"}');
    writeFileSync(keyFile, 'third\n');
    status = 401;
    await catchFailure(again);
    status = 200;
    assert.equal(await send(again), '{"a":"Bearer third"}');
  });

  it('has its file reported if that is missing, a folder or an account key', async () => {
    const account = join(folder, 'account.json');
    writeFileSync(account, '{"type":"service_account","private_key":"canary"}');
    const readFailureMessage = async (keyFile: string) =>
      (await catchFailure(openUpstreamWith({ keyFile }))).message;
    assert.match(
      await readFailureMessage(join(folder, 'missing')),
      /its keyFile .*missing cannot be read \(ENOENT\)/,
    );
    assert.match(await readFailureMessage(folder), /cannot be read \(it is not a file\)/);
    assert.match(
      await readFailureMessage(account),
      /contains the key of an account, not a token; use a keyCommand/,
    );
    assert.equal(server.requests.length, 0);
  });

  it('T3 does not come from another file by a link that replaces its file or folder', async () => {
    const [project, others] = [join(folder, 'project'), join(folder, 'others')];
    for (const [path, key] of [
      [project, 'allowed'],
      [others, 'canary'],
    ] as const) {
      mkdirSync(path);
      writeFileSync(join(path, 'token'), key);
    }
    const keyFile = join(project, 'token');
    const upstream = openUpstreamWith({ keyFile });
    assert.equal(await send(upstream), '{"a":"Bearer allowed"}');
    rmSync(keyFile);
    symlinkSync('../others/token', keyFile);
    const { message } = await catchFailure(openUpstreamWith({ keyFile }));
    assert.match(message, /keyFile .*project.token is a link to .*others.token, so name that file/);
    const before = openUpstreamWith({ keyFile });
    renameSync(project, join(folder, 'earlier'));
    symlinkSync('others', project);
    assert.match((await catchFailure(before)).message, /is a link to .*others.token/);
    assert.doesNotMatch(JSON.stringify(server.requests.map(({ headers }) => headers)), /canary/);
  });

  it('can come from a file that is renewed by links within its folder', async () => {
    mkdirSync(join(folder, '..first'));
    writeFileSync(join(folder, '..first', 'token'), 'renewed');
    symlinkSync('..first', join(folder, '..data'));
    const keyFile = join(folder, 'token');
    symlinkSync(join('..data', 'token'), keyFile);
    assert.equal(await send(openUpstreamWith({ keyFile })), '{"a":"Bearer renewed"}');
  });

  it('that was given directly has priority over a command', async () => {
    const { keyCommand, runs } = createCommand(`console.log('of-command');`);
    assert.equal(await send(openUpstreamWith({ keyCommand }, 'handed-over')), '{"a":"Bearer handed-over"}');
    assert.equal(runs(), 0);
  });
});

async function waitForPid(file: string): Promise<number> {
  for (;;) {
    try {
      const pid = Number(readFileSync(file, 'utf8'));
      if (pid > 0) return pid;
    } catch {
      // Not there yet.
    }
    await wait(10);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a refusal of an upstream', function () {
  this.timeout(20_000);
  const { startScriptedUpstream, startGatewayFor } = setUpUpstreams();

  it('has its status and code passed on if it is not about the key', async () => {
    const json = { 'content-type': 'application/json' };
    const page = '<html><title>Just a moment...</title></html>';
    const moderation = { error: { message: 'Forbidden', code: 403, metadata: { reasons: ['violence'] } } };
    const refusals: readonly (readonly [
      status: number,
      body: string | Buffer,
      headers: Record<string, string>,
      code: unknown,
    ])[] = [
      [403, JSON.stringify(moderation), json, 403],
      [403, gzipSync(JSON.stringify(moderation)), { ...json, 'content-encoding': 'gzip' }, 403],
      [
        403,
        JSON.stringify({ error: { message: 'Words', code: 'unsupported_country' } }),
        json,
        'unsupported_country',
      ],
      [
        403,
        JSON.stringify({ error: { message: 'Access from your region is not allowed.', code: 'x' } }),
        json,
        'x',
      ],
      [
        403,
        JSON.stringify({ error: { message: 'Words', code: 'model_not_found' } }),
        json,
        'model_not_found',
      ],
      [
        403,
        JSON.stringify({ error: { message: 'Words', code: 'insufficient_user_quota' } }),
        json,
        'insufficient_user_quota',
      ],
      [400, JSON.stringify({ error: { message: 'Words', code: 'invalid_value' } }), json, 'invalid_value'],
      [403, page, { 'content-type': 'text/html', 'cf-mitigated': 'challenge' }, 'upstream_challenge'],
      [503, page, { 'content-type': 'text/html', 'cf-mitigated': 'challenge' }, 'upstream_challenge'],
      [403, '<html><title>Access denied</title></html>', { 'content-type': 'text/html' }, 'upstream_blocked'],
      [403, 'error code: 1009', { 'content-type': 'text/plain' }, 'upstream_region'],
    ];
    let [now] = refusals;
    const upstream = await startScriptedUpstream((_request, res) => {
      const [status, body, headers] = now ?? [500, '', {}];
      res.writeHead(status, headers).end(body);
    });
    const gateway = await startGatewayFor(
      [createUpstreamConfig('one', upstream.baseUrl, { keyEnv: 'TEST_KEY' })],
      {
        env: { TEST_KEY: 'test-upstream-key1' },
      },
    );
    for (const refusal of refusals) {
      now = refusal;
      const reply = await postChat(gateway, { body: createChatBody('hi', { model: 'm' }) });
      const { error } = (await reply.json()) as { error: { code: unknown } };
      assert.deepEqual([reply.status, error.code], [refusal[0], refusal[3]]);
      // A firewall blocks the same request again.
      const isStopped = /^upstream_/.test(String(error.code));
      assert.equal(reply.headers.get('x-should-retry'), isStopped ? 'false' : null);
    }
  });
});
