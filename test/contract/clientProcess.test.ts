import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { startFaultServer } from '../support/faultServer.ts';

const client = new URL('../../src/client/gatewayClient.ts', import.meta.url).href;

/** Runs a script in a new process and returns its output, parsed as JSON. */
function runScriptSync(script: string): unknown {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

const listOnce = (baseUrl: string, transport: string) => `
  const { createGatewayClient } = await import(${JSON.stringify(client)});
  const gateway = createGatewayClient({
    baseUrl: ${JSON.stringify(baseUrl)},
    credential: async () => 'test-credential',
    transport: ${JSON.stringify(transport)},
  });
  await gateway.listModels().catch(() => {});
  await gateway.close();`;

const dispatchers = `['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map((name) => globalThis[Symbol.for(name)])`;

describe('the client in a process of other code', () => {
  it('does not set a global dispatcher when there is none', async () => {
    const found = runScriptSync(`${listOnce('http://127.0.0.1:1', 'direct')}
      console.log(JSON.stringify(${dispatchers}.map((dispatcher) => dispatcher === undefined)));`);
    assert.deepEqual(found, [true, true]);
  });

  it('does not replace an existing global dispatcher', async () => {
    const found = runScriptSync(`
      await fetch('data:,').then((reply) => reply.text());
      const before = ${dispatchers};
      ${listOnce('http://127.0.0.1:1', 'direct')}
      const after = ${dispatchers};
      console.log(JSON.stringify([before.some(Boolean), after.every((dispatcher, at) => dispatcher === before[at])]));`);
    assert.deepEqual(found, [true, true]);
  });

  it('loads neither a transport nor the request schema before the first call', () => {
    const found = runScriptSync(`
      const { registerHooks } = await import('node:module');
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const gateway = (await import(${JSON.stringify(client)})).createGatewayClient({
        baseUrl: 'http://127.0.0.1:1',
        credential: async () => undefined,
      });
      console.log(JSON.stringify([typeof gateway.chatCompletions, loaded.some((url) => /undici|zod|nodeHttps/.test(url))]));`);
    assert.deepEqual(found, ['function', false]);
  });

  it('lets the process exit once it is closed', async () => {
    const server = await startFaultServer((connection) => connection.respond(200, {}, '{"data":[]}'));
    for (const transport of ['direct', 'host']) {
      const script = `${listOnce(server.baseUrl, transport)} console.log('true');`;
      assert.equal(await runScript(script), 'true\n');
    }
    await server.close();
  });
});

/** Like `runScriptSync`, but does not block the server that the other process calls, and returns the output as text. */
async function runScript(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout;
}
