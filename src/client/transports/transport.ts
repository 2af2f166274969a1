import type { LookupFunction } from 'node:net';
import type { RequestHandle } from '../../http/dispatchedRequest.ts';
import type { Trust } from '../../http/trust.ts';
import type { ReplyHeaders } from '../../wire/retryHint.ts';

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

/** Receives the events of one request, in this order. Nothing follows `onEnd` or `onError`. */
export interface TransportHandler {
  /** The connection uses a proxy, named by host and port. Called again when that changes. */
  onProxy(proxy: string): void;
  /** While connecting: VS Code begins or ends to ask the user to sign in to a proxy. */
  onProxyLogin(pending: boolean): void;
  /**
   * The connection is made and the request is about to be written. From here on the gateway may receive it.
   */
  onSent(): void;
  /** Called once for the reply, never for informational replies (1xx). */
  onHead(status: number, headers: ReplyHeaders): void;
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  onError(error: Error): void;
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
