import type { LookupFunction } from 'node:net';
import type { ReplyHeaders } from '../../base/replyHeaders.ts';
import type { RequestHandle } from '../../http/dispatchedRequest.ts';
import type { Trust } from '../../http/trustedCertificates.ts';

export interface TransportRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How requests are sent to a gateway. */
export interface TransportOptions {
  /**
   * `direct`: pooled connections without a proxy. `host`: Node's own `https`, to which VS Code adds its proxy and
   * certificates. `auto`, the default: `direct`, or `host` if that cannot connect.
   */
  readonly transport?: 'auto' | 'direct' | 'host';
  /**
   * Returns host and port of the proxy that VS Code uses for an origin; called before each request. Requests go
   * through this proxy over VS Code's own network stack, or are not sent.
   */
  readonly proxy?: (origin: string) => string | undefined;
  /** Whether the operating system's certificate authorities are trusted; true by default. */
  readonly systemCertificates?: boolean;
}

/** How a transport makes connections. */
export interface ConnectionOptions extends Trust {
  /** Returns host and port of the configured proxy for an origin. Requests to the origin must use it. */
  readonly proxy?: ((origin: string) => string | undefined) | undefined;
  /** Finds the addresses of a host. A proxy resolves names itself. */
  readonly lookup?: LookupFunction;
}

/** Receives the events of one request, in this order. `onEnd` or `onError` is the last event. */
export interface TransportHandler {
  /** The connection uses a proxy, given by host and port. Called again if the proxy changes. */
  onProxy(proxy: string): void;
  /** While connecting: VS Code starts or ends the sign-in to a proxy. */
  onProxyLogin(isPending: boolean): void;
  /**
   * The connection is made and the request is about to be written. From then on the gateway may receive it.
   */
  onSent(): void;
  /** Called once for the reply, never for informational replies (1xx). */
  onHead(status: number, headers: ReplyHeaders): void;
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** Sends requests to the gateway. A transport does not follow redirects, does not retry and has no timeouts. */
export interface Transport {
  readonly name: 'undici' | 'https';
  dispatch(request: TransportRequest, handler: TransportHandler): RequestHandle;
  /** Closes idle connections at once, and the others after their replies. */
  close(): void;
}

/** How long an idle connection stays open, in milliseconds, unless the gateway sends another duration. */
export const keepAliveMs = 30_000;

/** The error of a connection that the other side closed without an error. */
export function createConnectionClosedError(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}
