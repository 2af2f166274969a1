import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { type FaultServer, startFaultServer } from './faultServer.ts';
import { makeCertificate, type TestCertificate } from './faultServerCertificates.ts';

/** One of the system's authorities, which scripts/windowTests.mjs made for this run. */
export function readTestAuthority(): TestCertificate {
  return JSON.parse(readFileSync(process.env.MODEL_GATEWAY_TEST_AUTHORITY ?? '', 'utf8'));
}

/**
 * A gateway under a name that a name server resolves to this machine, so that direct requests, without the proxy,
 * arrive too.
 */
export interface NamedGateway {
  readonly server: FaultServer;
  /** Host and port, as in a CONNECT request. */
  readonly authority: string;
  readonly baseUrl: string;
  /** The names that were looked up for direct connections. */
  readonly lookedUp: string[];
  close(): Promise<void>;
}

const name = 'gateway.model.test';

/** Replies to model lists, chats and paid requests over TLS. */
export async function startNamedGateway(issuer: TestCertificate | undefined): Promise<NamedGateway> {
  const tls = makeCertificate({ name, host: name, ...(issuer && { issuer }) });
  const server = await startFaultServer(
    async (connection, { path }) => {
      if (path === '/v1/models') await connection.respond(200, {}, '{"data":[{"id":"a"}]}');
      else if (path.includes('interactions'))
        await connection.respond(200, {}, '{"id":"t","status":"running"}');
      else {
        const choice = { index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' };
        await connection.beginStream();
        await connection.write(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
        connection.end();
      }
    },
    { tls },
  );
  const lookedUp: string[] = [];
  const lookUp = dns.lookup as (...args: unknown[]) => void;
  const names = mock.method(dns, 'lookup', (host: string, options: dns.LookupAllOptions, done: Done) => {
    if (host !== name) return isIP(host) ? lookUp(host, options, done) : done(createUnknownNameError(host));
    lookedUp.push(host);
    if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
    else done(null, '127.0.0.1', 4);
  });
  return {
    server,
    authority: `${name}:${server.port}`,
    baseUrl: `https://${name}:${server.port}`,
    lookedUp,
    async close() {
      names.mock.restore();
      await server.close();
    },
  };
}

type Done = (...found: unknown[]) => void;

function createUnknownNameError(host: string): Error {
  return Object.assign(new Error(`${host} is unknown`), { code: 'ENOTFOUND' });
}

/** Changes settings of VS Code's network stack, and waits until this process has them. */
export async function setHttp(settings: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [key, value] of Object.entries(settings)) {
    const current = () => vscode.workspace.getConfiguration('http').inspect(key)?.globalValue;
    if (JSON.stringify(current()) === JSON.stringify(value)) continue;
    const known = Promise.withResolvers<void>();
    const subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`http.${key}`)) known.resolve();
    });
    await vscode.workspace.getConfiguration('http').update(key, value, vscode.ConfigurationTarget.Global);
    await known.promise;
    subscription.dispose();
  }
}

/** Sets the transport of the extension, or removes the setting. */
export async function setTransport(transport: string | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration('modelGateway');
  await settings.update('transport', transport, vscode.ConfigurationTarget.Global);
}
