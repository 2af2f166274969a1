import type { LookupFunction } from 'node:net';
import type { ReplyHandler, RequestHandle } from '../../http/dispatchedRequest.ts';
import type { Trust } from '../../http/trust.ts';

export interface TransportRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How requests travel to a gateway. */
export interface TransportOptions {
  /**
   * `direct`: pooled connections without a proxy. `host`: Node's own `https`, which VS Code equips with its proxy
   * and certificates. `auto`, the default: `direct`, and `host` where that cannot connect.
   */
  readonly transport?: 'auto' | 'direct' | 'host';
  /**
   * Host and port of the proxy that VS Code is set up to use for an origin; called before each request.
   * Requests go through it by VS Code's own network stack, or are not sent.
   */
  readonly proxy?: (origin: string) => string | undefined;
  /** Whether the operating system's certificate authorities are trusted; true by default. */
  readonly systemCertificates?: boolean;
}

/** How a transport makes connections. */
export interface Connecting extends Trust {
  /** Host and port of the proxy that is set for an origin. Nothing goes there without it. */
  readonly proxy?: ((origin: string) => string | undefined) | undefined;
  /** Finds the addresses of a host. A proxy resolves names itself. */
  readonly lookup?: LookupFunction;
}

/** Receives the events of one request, the ones of its connection first. */
export interface TransportHandler extends ReplyHandler {
  /** The connection uses a proxy, named by host and port. Called again when that changes. */
  onProxy(proxy: string): void;
  /** While connecting: VS Code begins or ends to ask the user to sign in to a proxy. */
  onProxyLogin(pending: boolean): void;
  onSent(): void;
}

/** Sends requests to the gateway. A transport follows no redirect, resends nothing and has no timeouts. */
export interface Transport {
  readonly name: 'undici' | 'https';
  dispatch(request: TransportRequest, handler: TransportHandler): RequestHandle;
  /** Closes idle connections at once, and the others after their replies. */
  close(): void;
}

/** How long an idle connection is kept, in milliseconds, unless the gateway names a time. */
export const keepAliveMs = 30_000;
