import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import tls from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { isLoopback } from '../../base/loopback.ts';
import type { RequestHandle } from '../../http/dispatchedRequest.ts';
import { lookUp } from '../../http/dnsLookup.ts';
import { ProxyError, readProxyHost } from '../../http/proxy.ts';
import { createSecureContext } from '../../http/trustedCertificates.ts';
import { ReusedEditorAgent } from './editorAgent.ts';
import {
  type ConnectionOptions,
  createConnectionClosedError,
  keepAliveMs,
  type Transport,
  type TransportHandler,
  type TransportRequest,
} from './transport.ts';

/**
 * Sends over Node's own `https`, which VS Code patches in its extension host to use its proxies and certificates. Reads
 * `https.request` on every call, because the patch replaces it.
 */
export class HttpsTransport implements Transport {
  readonly name = 'https';
  readonly #options: ConnectionOptions;
  readonly #connectingHandles = new Set<HttpsHandle>();
  readonly #editor = new ReusedEditorAgent((isPending) => {
    for (const handle of this.#connectingHandles) handle.reportProxyLogin(isPending);
  });
  readonly #localAgents = new LocalAgents();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  dispatch(request: TransportRequest, handler: TransportHandler): RequestHandle {
    const { hostname, origin } = request.url;
    const isLocal = isLoopback(hostname);
    const proxy = isLocal ? undefined : this.#options.proxy?.(origin);
    const sockets = new PendingSockets();
    const clientRequest = isLocal
      ? this.#sendToLocalhost(request)
      : sockets.watch(() => this.#sendThroughEditor(request));
    const onConnectingEnded = () => {
      sockets.release();
      this.#connectingHandles.delete(handle);
    };
    const handle = new HttpsHandle(clientRequest, handler, { proxy, sockets, onConnectingEnded });
    this.#connectingHandles.add(handle);
    if (this.#editor.isLoginPending) handle.reportProxyLogin(true);
    clientRequest.end(request.body);
    return handle;
  }

  close(): void {
    this.#editor.close();
    this.#localAgents.close();
  }

  #sendThroughEditor({ method, url, headers }: TransportRequest): ClientRequest {
    const { lookup, ca } = this.#options;
    const { agent } = this.#editor;
    const clientRequest = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      headers: { ...headers },
      // Explicit, so that an environment variable cannot turn the check off.
      rejectUnauthorized: true,
      ...(agent && { agent }),
      ...(ca && { ca: [...ca] }),
      ...(lookup && { lookup: createHostLookup(url.hostname, lookup) }),
    });
    this.#editor.captureAgent(clientRequest);
    return clientRequest;
  }

  /** The patch replaces `request` but not its class, so requests to this machine do not use a proxy. */
  #sendToLocalhost({ method, url, headers }: TransportRequest): ClientRequest {
    const options: https.RequestOptions = {
      ...urlToHttpOptions(url),
      method,
      headers: { ...headers },
      rejectUnauthorized: true,
      agent: this.#localAgents.getAgent(url, this.#options),
    };
    return new http.ClientRequest(options);
  }
}

/** Agents for connections to this machine. */
class LocalAgents {
  readonly #agents = new Map<string, http.Agent>();

  getAgent({ protocol }: URL, options: ConnectionOptions): http.Agent {
    const existing = this.#agents.get(protocol);
    if (existing) return existing;
    const { lookup = lookUp } = options;
    const agentOptions = { keepAlive: true, timeout: keepAliveMs, lookup };
    const agent =
      protocol === 'https:'
        ? new https.Agent({ ...agentOptions, secureContext: createSecureContext(options) })
        : new http.Agent(agentOptions);
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

/** Creates a lookup that resolves `host` with `lookup`. Any other name belongs to a proxy. */
function createHostLookup(host: string, lookup: LookupFunction): LookupFunction {
  return (hostname, options, done) => (hostname === host ? lookup : lookUp)(hostname, options, done);
}

/** The patch's report about a new connection: its proxy in the syntax of a PAC file, and its error. */
interface ProxyEvent {
  readonly proxy: string;
  readonly error?: unknown;
}

interface HandleOptions {
  /** The configured proxy for the gateway. */
  readonly proxy: string | undefined;
  readonly sockets: PendingSockets;
  /** Called when there is a connection, or when the request ends without one. */
  readonly onConnectingEnded: () => void;
}

class HttpsHandle implements RequestHandle {
  readonly #request: ClientRequest;
  readonly #handler: TransportHandler;
  readonly #sockets: PendingSockets;
  readonly #onConnectingEnded: () => void;
  /** The configured proxy for the gateway. Requests must not bypass it. */
  readonly #requiredProxy: string | undefined;
  /** The proxy of the connection. */
  #proxy: string | undefined;
  #proxyError: unknown;
  #reply: IncomingMessage | undefined;
  #isOver = false;

  constructor(
    request: ClientRequest,
    handler: TransportHandler,
    { proxy, sockets, onConnectingEnded }: HandleOptions,
  ) {
    this.#request = request;
    this.#handler = handler;
    this.#requiredProxy = proxy;
    this.#sockets = sockets;
    this.#onConnectingEnded = onConnectingEnded;
    if (proxy !== undefined) this.#reportProxy(proxy);
    request.on('proxy', (event: ProxyEvent) => this.#checkProxy(event));
    request.on('socket', (socket) => this.#onSocket(socket));
    request.on('response', (reply) => this.#onReply(reply));
    request.on('error', (error) => this.#fail(this.#explainError(error)));
    // A reply with a protocol upgrade closes the connection without an error.
    request.on('close', () => this.#reply ?? this.#fail(this.#explainError(createConnectionClosedError())));
  }

  abort(): void {
    if (!this.#request.socket) this.#sockets.abandon();
    this.#request.destroy();
  }

  pause(): void {
    this.#reply?.pause();
  }

  resume(): void {
    this.#reply?.resume();
  }

  /** Called when VS Code starts and ends the sign-in to a proxy. */
  reportProxyLogin(isPending: boolean): void {
    this.#sockets.runOutside(() => this.#handler.onProxyLogin(isPending));
  }

  /**
   * Records the proxy of a new connection. Throws to prevent a direct connection that bypasses the configured proxy.
   */
  #checkProxy({ proxy, error }: ProxyEvent): void {
    this.#proxyError ??= error;
    if (proxy !== 'DIRECT') {
      this.#proxy = readProxyHost(proxy);
      this.#reportProxy(this.#proxy);
    } else if (this.#requiredProxy !== undefined && this.#proxyError === undefined) {
      throw new ProxyError('unused', this.#requiredProxy);
    }
  }

  #reportProxy(proxy: string): void {
    this.#sockets.runOutside(() => this.#handler.onProxy(proxy));
  }

  #onSocket(socket: Socket): void {
    this.#onConnectingEnded();
    if (this.#isProxyReply) return;
    const isBypass =
      this.#requiredProxy !== undefined && this.#proxy === undefined && !this.#request.reusedSocket;
    if (isBypass) this.#request.destroy(new ProxyError('unused', this.#requiredProxy ?? ''));
    else whenConnected(socket, () => this.#handler.onSent());
  }

  /** If a proxy refuses the tunnel, its reply arrives like the gateway's, but on a socket without TLS. */
  get #isProxyReply(): boolean {
    const { protocol, socket } = this.#request;
    return protocol === 'https:' && !(socket instanceof tls.TLSSocket);
  }

  #onReply(reply: IncomingMessage): void {
    const { statusCode: status = 0, headers } = reply;
    if (this.#isProxyReply) {
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

  #explainError(error: Error): Error {
    if (error instanceof ProxyError) return error;
    if (this.#proxyError instanceof ProxyError) return this.#proxyError;
    const isProxyFailure = this.#proxyError !== undefined || (this.#request.socket && this.#isProxyReply);
    if (!isProxyFailure) return error;
    return new ProxyError('unusable', this.#proxyName, { cause: this.#proxyError ?? error });
  }

  get #proxyName(): string {
    return this.#proxy ?? this.#requiredProxy ?? 'on the way';
  }

  #fail(error: Error): void {
    this.#finish(() => this.#handler.onError(error));
  }

  #finish(report: () => void): void {
    this.#onConnectingEnded();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sockets.runOutside(report);
  }
}

/** A reused socket, or one through a proxy, may be connected already. */
function whenConnected(socket: Socket, callback: () => void): void {
  if ('secureConnecting' in socket && socket.secureConnecting) socket.once('secureConnect', callback);
  else if (socket.connecting) socket.once('connect', callback);
  else callback();
}

/** The sockets of the request that is being sent. */
const currentSockets = new AsyncLocalStorage<PendingSockets>();

/**
 * The sockets that are opened for one request before the request has its socket. An agent that opens a tunnel does not
 * pass its socket to the request until the proxy has replied, so aborting the request cannot close it.
 */
export class PendingSockets {
  readonly #sockets = new Set<Socket>();
  #isAbandoned = false;

  /** Runs a callback outside the context of the request, so that later sockets do not count as opened for it. */
  readonly runOutside: (callback: () => void) => void = AsyncLocalStorage.snapshot();

  /** Runs a callback and records the sockets that it opens. */
  watch<T>(callback: () => T): T {
    watchNewSockets();
    return currentSockets.run(this, callback);
  }

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A socket that is destroyed before it starts to connect would connect anyway.
    if (this.#isAbandoned) process.nextTick(() => socket.destroy());
  }

  /** Called when the request has its socket and closes it itself. */
  release(): void {
    this.#sockets.clear();
  }

  /** Closes the open sockets, and later ones as soon as they open. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

let isWatching = false;

function watchNewSockets(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('net.client.socket', (message) => {
    currentSockets.getStore()?.add((message as { readonly socket: Socket }).socket);
  });
}
