import { isLoopback } from '../../base/loopback.ts';
import { createPrivateLookup } from '../../http/privateAddress.ts';
import type { ConnectionOptions, Transport, TransportOptions } from './transport.ts';

type TransportName = Transport['name'];

/**
 * Creates the transports to the gateway itself. Plain http that may leave this machine does not use a proxy, because a
 * proxy could read it. Such connections are made to private addresses only.
 */
export function createGatewayTransports(
  options: TransportOptions & { readonly baseUrl: string; readonly plainHttp?: string },
): TransportChoice {
  const isPlain = options.plainHttp === 'private-network' && /^http:/i.test(options.baseUrl);
  if (!isPlain) return new TransportChoice(options);
  return new TransportChoice({ ...options, transport: 'direct' }, { lookup: createPrivateLookup() });
}

/**
 * Chooses the transport of a request, and remembers the working one for each origin. A transport is loaded on its
 * first use.
 */
export class TransportChoice {
  readonly #options: TransportOptions;
  readonly #connectionOptions: ConnectionOptions;
  readonly #loaded = new Map<TransportName, Transport>();
  readonly #workingTransports = new Map<string, TransportName>();

  constructor(options: TransportOptions, connectionOptions: ConnectionOptions = {}) {
    const { proxy, systemCertificates } = options;
    this.#options = options;
    this.#connectionOptions = { proxy, systemCertificates, ...connectionOptions };
  }

  /**
   * Returns the transports to try for `url`, best first. The second one is used only if the first cannot connect. With
   * a proxy, only the editor's own `https` is used. Connections to this machine do not use a proxy. VS Code may use a
   * proxy even if `proxy` does not return one.
   */
  order({ origin, hostname }: URL): readonly [TransportName, TransportName?] {
    const { transport = 'auto', proxy } = this.#options;
    if (transport === 'direct') return ['undici'];
    if (transport === 'host') return ['https'];
    if (isLoopback(hostname)) return ['undici'];
    const usesEditorOnly = proxy?.(origin) !== undefined || this.#workingTransports.get(origin) === 'https';
    return usesEditorOnly ? ['https'] : ['undici', 'https'];
  }

  /** Remembers the transport that made a connection to the origin, for the life of this object. */
  remember({ origin }: URL, name: TransportName): void {
    this.#workingTransports.set(origin, name);
  }

  /** Returns a loaded transport synchronously, so that a later request does not wait for a microtask. */
  get(name: TransportName): Transport | Promise<Transport> {
    return this.#loaded.get(name) ?? this.#load(name);
  }

  close(): void {
    for (const transport of this.#loaded.values()) transport.close();
  }

  async #load(name: TransportName): Promise<Transport> {
    const created =
      name === 'undici'
        ? new (await import('./undiciTransport.ts')).UndiciTransport(this.#connectionOptions)
        : new (await import('./nodeHttpsTransport.ts')).HttpsTransport(this.#connectionOptions);
    const transport = this.#loaded.get(name) ?? created;
    this.#loaded.set(name, transport);
    return transport;
  }
}
