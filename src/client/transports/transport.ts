import type { LookupFunction } from 'node:net';
import type { ReplyHeaders } from '../../wire/retryHint.ts';

export interface TransportRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How connections are made. */
export interface Connecting {
  /** Host and port of the proxy that is set for an origin; nothing goes there without it. */
  readonly proxy?: ((origin: string) => string | undefined) | undefined;
  /** Whether the operating system's authorities are trusted beside the bundled ones; they are by default. */
  readonly systemCertificates?: boolean | undefined;
  /** Finds the addresses of a name; a proxy finds them by itself. */
  readonly lookup?: LookupFunction;
  /** The only authorities to trust, in PEM. */
  readonly ca?: readonly string[];
}

/** What a transport tells of one request, in this order; after `onEnd` or `onError` nothing more. */
export interface TransportHandler {
  /** The connection goes through a proxy, named by host and port. May be told again, with another one. */
  onProxy(proxy: string): void;
  /** While the connection is made: the user is being asked who they are to a proxy, or has been. */
  onAsking(asking: boolean): void;
  /** A connection stands and the request is about to be written: from here on it may be received. */
  onSent(): void;
  /** Once for the reply; informational replies (1xx) are left out. */
  onHead(status: number, headers: ReplyHeaders): void;
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** A request on its way. */
export interface RequestHandle {
  /** Closes the socket at once. The handler may still be told of an error. */
  abort(): void;
  pause(): void;
  resume(): void;
}

/** A way to the gateway. Transports follow no redirect, resend nothing and keep no time. */
export interface Transport {
  readonly name: 'undici' | 'https';
  dispatch(request: TransportRequest, handler: TransportHandler): RequestHandle;
  /** Closes the connections that nobody uses, and the others once their replies are over. */
  close(): void;
}
