import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import tls from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { isLoopback } from '../../base/loopback.ts';
import type { RequestHandle } from '../../http/dispatchedRequest.ts';
import { lookUp } from '../../http/lookup.ts';
import { ProxyError, proxyHost } from '../../http/proxy.ts';
import { secureContext } from '../../http/trust.ts';
import { KeptEditorAgent } from './editorAgent.ts';
import { Opening } from './opening.ts';
import {
  type Connecting,
  keepAliveMs,
  type Transport,
  type TransportHandler,
  type TransportRequest,
} from './transport.ts';

/**
 * Creates a transport over the runtime's own `https`, which VS Code patches in its extension host to use its
 * proxies and certificates. It reads `request` for every call, since the patch replaces it.
 */
export function createHttpsTransport(connecting: Connecting = {}): Transport {
  return new HttpsTransport(connecting);
}

class HttpsTransport implements Transport {
  readonly name = 'https';
  readonly #connecting: Connecting;
  readonly #connectingHandles = new Set<HttpsHandle>();
  readonly #editor = new KeptEditorAgent((pending) => {
    for (const handle of this.#connectingHandles) handle.proxyLogin(pending);
  });
  readonly #own = new OwnAgents();

  constructor(connecting: Connecting) {
    this.#connecting = connecting;
  }

  dispatch(request: TransportRequest, handler: TransportHandler): RequestHandle {
    const { hostname, origin } = request.url;
    const own = isLoopback(hostname);
    const proxy = own ? undefined : this.#connecting.proxy?.(origin);
    const opening = new Opening();
    const sending = own ? this.#sendHere(request) : opening.watch(() => this.#sendThroughEditor(request));
    const connected = () => {
      opening.done();
      this.#connectingHandles.delete(handle);
    };
    const handle = new HttpsHandle(sending, handler, { proxy, opening, connected });
    this.#connectingHandles.add(handle);
    if (this.#editor.loginPending) handle.proxyLogin(true);
    sending.end(request.body);
    return handle;
  }

  close(): void {
    this.#editor.close();
    this.#own.close();
  }

  #sendThroughEditor({ method, url, headers }: TransportRequest): ClientRequest {
    const { lookup, ca } = this.#connecting;
    const { agent } = this.#editor;
    const sending = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      headers: { ...headers },
      // Explicit, so that no environment variable can turn the check off.
      rejectUnauthorized: true,
      ...(agent && { agent }),
      ...(ca && { ca: [...ca] }),
      ...(lookup && { lookup: lookupOf(url.hostname, lookup) }),
    });
    this.#editor.keep(sending);
    return sending;
  }

  /** The patch replaces `request` but not its class: requests to this machine go through no proxy. */
  #sendHere({ method, url, headers }: TransportRequest): ClientRequest {
    const options: https.RequestOptions = {
      ...urlToHttpOptions(url),
      method,
      headers: { ...headers },
      rejectUnauthorized: true,
      agent: this.#own.agent(url, this.#connecting),
    };
    return new http.ClientRequest(options);
  }
}

/** Agents for connections to this machine. */
class OwnAgents {
  readonly #agents = new Map<string, http.Agent>();

  agent({ protocol }: URL, connecting: Connecting): http.Agent {
    const known = this.#agents.get(protocol);
    if (known) return known;
    const { lookup = lookUp } = connecting;
    const options = { keepAlive: true, timeout: keepAliveMs, lookup };
    const agent =
      protocol === 'https:'
        ? new https.Agent({ ...options, secureContext: secureContext(connecting) })
        : new http.Agent(options);
    this.#agents.set(protocol, agent);
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) {
      Object.assign(agent, { keepAlive: false });
      for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
    }
    this.#agents.clear();
  }
}

/** Looks up `host` with `lookup`. Any other name is that of a proxy. */
function lookupOf(host: string, lookup: LookupFunction): LookupFunction {
  return (hostname, options, done) => (hostname === host ? lookup : lookUp)(hostname, options, done);
}

/** What the patch reports about a new connection: its way, as a PAC file writes it, and why that failed. */
interface ProxyEvent {
  readonly proxy: string;
  readonly error?: unknown;
}

interface HandleOptions {
  /** The proxy that is set for the gateway. */
  readonly proxy: string | undefined;
  readonly opening: Opening;
  /** Called when there is a connection, or will be none. */
  readonly connected: () => void;
}

class HttpsHandle implements RequestHandle {
  readonly #request: ClientRequest;
  readonly #handler: TransportHandler;
  readonly #opening: Opening;
  readonly #connected: () => void;
  /** The proxy that is set for the gateway. Nothing may leave without it. */
  readonly #required: string | undefined;
  /** The proxy of the connection. */
  #proxy: string | undefined;
  #proxyError: unknown;
  #reply: IncomingMessage | undefined;
  #over = false;

  constructor(
    request: ClientRequest,
    handler: TransportHandler,
    { proxy, opening, connected }: HandleOptions,
  ) {
    this.#request = request;
    this.#handler = handler;
    this.#required = proxy;
    this.#opening = opening;
    this.#connected = connected;
    if (proxy !== undefined) this.#name(proxy);
    request.on('proxy', (way: ProxyEvent) => this.#goBy(way));
    request.on('socket', (socket) => this.#connect(socket));
    request.on('response', (reply) => this.#read(reply));
    request.on('error', (error) => this.#fail(this.#explained(error)));
    // A reply that changes the protocol closes the connection without an error.
    request.on('close', () => this.#reply ?? this.#fail(this.#explained(unanswered())));
  }

  abort(): void {
    if (!this.#request.socket) this.#opening.abandon();
    this.#request.destroy();
  }

  pause(): void {
    this.#reply?.pause();
  }

  resume(): void {
    this.#reply?.resume();
  }

  /** Called when VS Code begins and ends to ask the user to sign in to a proxy. */
  proxyLogin(pending: boolean): void {
    this.#opening.outside(() => this.#handler.onProxyLogin(pending));
  }

  /** An error thrown here keeps the patch from using this way. */
  #goBy({ proxy, error }: ProxyEvent): void {
    this.#proxyError ??= error;
    if (proxy !== 'DIRECT') {
      this.#proxy = proxyHost(proxy);
      this.#name(this.#proxy);
    } else if (this.#required !== undefined && this.#proxyError === undefined) {
      throw new ProxyError('unused', this.#required);
    }
  }

  #name(proxy: string): void {
    this.#opening.outside(() => this.#handler.onProxy(proxy));
  }

  #connect(socket: Socket): void {
    this.#connected();
    if (this.#isProxysAnswer) return;
    const isBypass = this.#required !== undefined && this.#proxy === undefined && !this.#request.reusedSocket;
    if (isBypass) this.#request.destroy(new ProxyError('unused', this.#required ?? ''));
    else whenConnected(socket, () => this.#handler.onSent());
  }

  /** The answer of a proxy that opens no tunnel arrives as the gateway's, on a socket without TLS. */
  get #isProxysAnswer(): boolean {
    const { protocol, socket } = this.#request;
    return protocol === 'https:' && !(socket instanceof tls.TLSSocket);
  }

  #read(reply: IncomingMessage): void {
    const { statusCode: status = 0, headers } = reply;
    if (this.#isProxysAnswer) {
      this.#fail(new ProxyError('refused', this.#proxyName, { status }));
      this.#request.destroy();
      return;
    }
    this.#reply = reply;
    reply.on('data', (bytes: Buffer) => this.#handler.onData(bytes));
    reply.on('end', () => this.#finish(() => this.#handler.onEnd()));
    reply.on('error', (error) => this.#fail(error));
    this.#handler.onHead(status, headers);
  }

  #explained(error: Error): Error {
    if (error instanceof ProxyError) return error;
    if (this.#proxyError instanceof ProxyError) return this.#proxyError;
    const isProxys = this.#proxyError !== undefined || (this.#request.socket && this.#isProxysAnswer);
    if (!isProxys) return error;
    return new ProxyError('unusable', this.#proxyName, { cause: this.#proxyError ?? error });
  }

  get #proxyName(): string {
    return this.#proxy ?? this.#required ?? 'on the way';
  }

  #fail(error: Error): void {
    this.#finish(() => this.#handler.onError(error));
  }

  #finish(tell: () => void): void {
    this.#connected();
    if (this.#over) return;
    this.#over = true;
    this.#opening.outside(tell);
  }
}

function unanswered(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}

/** A socket that was kept alive, or that came through a proxy, may be connected already. */
function whenConnected(socket: Socket, tell: () => void): void {
  if ('secureConnecting' in socket && socket.secureConnecting) socket.once('secureConnect', tell);
  else if (socket.connecting) socket.once('connect', tell);
  else tell();
}
