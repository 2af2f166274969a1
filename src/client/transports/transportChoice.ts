import { isLoopback } from '../../base/loopback.ts';
import { privateLookup } from '../../http/privateAddress.ts';
import type { Connecting, Transport, TransportOptions } from './transport.ts';

type Name = Transport['name'];

/**
 * The transports to the gateway itself. Plain http that may leave this machine does not use a proxy, because a
 * proxy could read it. It only connects to private addresses.
 */
export function gatewayTransports(
  options: TransportOptions & { readonly baseUrl: string; readonly plainHttp?: string },
): TransportChoice {
  const isPlain = options.plainHttp === 'private-network' && /^http:/i.test(options.baseUrl);
  if (!isPlain) return new TransportChoice(options);
  return new TransportChoice({ ...options, transport: 'direct' }, { lookup: privateLookup() });
}

/**
 * Chooses the transport of a request, and remembers the working one for each origin. A transport is loaded on its
 * first use.
 */
export class TransportChoice {
  readonly #options: TransportOptions;
  readonly #connecting: Connecting;
  readonly #loaded = new Map<Name, Transport>();
  readonly #winners = new Map<string, Name>();

  constructor(options: TransportOptions, connecting: Connecting = {}) {
    const { proxy, systemCertificates } = options;
    this.#options = options;
    this.#connecting = { proxy, systemCertificates, ...connecting };
  }

  /**
   * The transports to try for `url`, best first. The second one is used only if the first could not connect. With
   * a proxy, only the editor's own `https` is used. This machine is always reached directly. Even if no proxy is
   * set, VS Code may know one.
   */
  order({ origin, hostname }: URL): readonly [Name, Name?] {
    const { transport = 'auto', proxy } = this.#options;
    if (transport === 'direct') return ['undici'];
    if (transport === 'host') return ['https'];
    if (isLoopback(hostname)) return ['undici'];
    const isEditors = proxy?.(origin) !== undefined || this.#winners.get(origin) === 'https';
    return isEditors ? ['https'] : ['undici', 'https'];
  }

  /** Remembers the transport that made a connection to the origin, for the life of this object. */
  remember({ origin }: URL, winner: Name): void {
    this.#winners.set(origin, winner);
  }

  /** Returns a loaded transport synchronously, so that a later request does not wait for a microtask. */
  get(name: Name): Transport | Promise<Transport> {
    return this.#loaded.get(name) ?? this.#load(name);
  }

  close(): void {
    for (const transport of this.#loaded.values()) transport.close();
  }

  async #load(name: Name): Promise<Transport> {
    const created =
      name === 'undici'
        ? (await import('./undiciTransport.ts')).createUndiciTransport(this.#connecting)
        : (await import('./nodeHttpsTransport.ts')).createHttpsTransport(this.#connecting);
    const transport = this.#loaded.get(name) ?? created;
    this.#loaded.set(name, transport);
    return transport;
  }
}
