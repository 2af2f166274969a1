/**
 * The messages between the extension's windows and the local gateway that they share. They are lines of JSON on a
 * socket that only the user can open. Types only.
 */

/** A request to the gateway. The reply has the same `id`. */
export type ToGateway = { readonly id: number } & ControlRequest;

export type ControlRequest =
  /** A window uses the gateway until its connection ends. */
  | { readonly type: 'hello' }
  /**
   * Keys of upstreams by upstream name. They take precedence over keys from variables and commands. An empty key
   * removes the stored one.
   */
  | { readonly type: 'keys'; readonly keys: Readonly<Record<string, string>> }
  | { readonly type: 'state' }
  /** Lists the models of an unsaved upstream configuration, from the first address that returns a list. */
  | {
      readonly type: 'try';
      readonly upstream: unknown;
      readonly key?: string | undefined;
      readonly otherUrls?: readonly string[];
    }
  /** Requests the last lines of the log, and subscribes to the next ones. */
  | { readonly type: 'log' }
  /** The user allows requests to these addresses with this key. */
  | { readonly type: 'consent'; readonly access: UpstreamAccess }
  /** The user entered this upstream, which is consent to its values. */
  | { readonly type: 'entered'; readonly upstream: unknown }
  /** Whether the gateway ends with its last window, or runs until it is stopped. */
  | { readonly type: 'lifetime'; readonly exitsAfterWindows: boolean }
  /** Reads the configuration and the credential again. */
  | { readonly type: 'reload' }
  /** Replaces the credential at once for all callers. The next welcome contains the new one. */
  | { readonly type: 'newCredential' }
  /**
   * Ends the gateway for all windows. `isReplaced`: a newer gateway starts at once, so it is not shown as stopped.
   */
  | { readonly type: 'stop'; readonly isReplaced?: boolean };

export type FromGateway =
  | { readonly type: 'welcome'; readonly id: number; readonly gateway: GatewayGreeting }
  | { readonly type: 'state'; readonly id: number; readonly state: GatewayStatus }
  | {
      readonly type: 'tried';
      readonly id: number;
      readonly baseUrl: string;
      readonly models: readonly string[];
    }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly problem: string }
  /** Sent to windows that subscribed to the log, with the request that a line describes. Contains no secrets. */
  | { readonly type: 'log'; readonly lines: readonly string[]; readonly request?: ServedRequest }
  /** Sent to all windows when the configuration, a key, or the failing state of an upstream changes. */
  | { readonly type: 'changed' }
  /** Sent to all windows when the gateway is stopped and not replaced, before their connections end. */
  | { readonly type: 'stopping' };

/** A request of any program to the gateway. Contains no secrets, prompt text or addresses. */
export interface ServedRequest {
  /** When it began, in milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  /** The pattern of the path, without values; for a refused request, the reason of the refusal. */
  readonly route: string;
  readonly status: number;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** Time to the first byte of the body, in milliseconds; undefined if there was no byte. */
  readonly firstByteMs?: number;
  /** The number of bytes of the response's body. */
  readonly bytes: number;
  /**
   * The model id in the caller's request, if an upstream was found for it. For an alias, the last model that was
   * tried.
   */
  readonly model?: string;
  readonly upstream?: string;
  /** The name of the key that was sent, if the upstream has several. */
  readonly key?: string;
  /** The keys that were refused before, each with its status. */
  readonly refusedKeys?: readonly string[];
  /** The alias in the caller's request. */
  readonly alias?: string;
  /** The models of the alias that were tried before, why they failed, and whether they may be billed. */
  readonly skippedModels?: readonly string[];
  /** The name of the caller's credential; undefined for the user's own and for callers without a credential. */
  readonly credential?: string;
  readonly requestId: string;
  /** The conversion between API formats, such as `messages->chat-completions`. */
  readonly conversion?: string;
  /** Whether the response ended before it was complete. */
  readonly isCut: boolean;
}

/** The gateway that a window connected to. The credential is sent only to its `baseUrl`. */
export interface GatewayGreeting {
  readonly version: string;
  readonly baseUrl: string;
  readonly credential: string;
  /** The configured upstreams. Windows send their keys before any request. */
  readonly upstreams: readonly Required<Pick<UpstreamStatus, 'name' | 'origin'>>[];
}

export interface GatewayStatus {
  /** The kinds of upstreams that a configuration may name. */
  readonly kinds: readonly string[];
  readonly upstreams: readonly UpstreamStatus[];
  /** The credentials of the configuration that expire or have expired. */
  readonly credentials?: readonly CredentialExpiry[];
  /** Changes whenever the gateway's list of models changes. */
  readonly listing: string;
  readonly windows: number;
  readonly exitsAfterWindows: boolean;
  /** Path of the configuration file. */
  readonly config?: string;
  /** Why the current configuration was not loaded. */
  readonly configProblem?: string;
  /**
   * The port in the current configuration, if it only takes effect at the gateway's next start; null if the
   * configuration no longer has a port.
   */
  readonly waitingPort?: number | null;
  /** The number of requests in progress. */
  readonly openRequests: number;
}

/** The source of a key in the configuration. */
interface KeyAccess {
  readonly keyEnv?: string | undefined;
  readonly keyCommand?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** Where requests of an upstream go and where its keys come from, as the configuration defines it. */
export interface UpstreamAccess extends KeyAccess {
  readonly addresses: readonly string[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The sources of several keys. */
  readonly keys?: readonly KeyAccess[] | undefined;
}

/** One of several keys of an upstream. */
export interface KeyStatus {
  readonly name: string;
  readonly source: UpstreamStatus['key'];
  /** The status of the refusal after which it is not used. */
  readonly refused?: number;
  /** Until when it is not used, in milliseconds since 1970. */
  readonly restsUntil?: number;
}

export interface UpstreamStatus {
  readonly name: string;
  readonly kind: string;
  /** The origin of its address; absent for an upstream inside the gateway. */
  readonly origin?: string;
  /** The number of listed models. */
  readonly models: number;
  /** Why its models could not be listed. */
  readonly problem?: string;
  /** The code of that problem, such as `upstream_credential`. */
  readonly problemCode?: string;
  /** The gateway skips it until this time after a failure, in milliseconds since 1970. */
  readonly failingUntil?: number;
  /** Its models that are skipped after they were refused, at most twenty, by the upstream's own ids. */
  readonly failingModels?: readonly { readonly id: string; readonly until: number }[];
  /** The access that the user has to allow before it receives requests. */
  readonly waitsFor?: UpstreamAccess;
  /** The source of its key; `missing` if the configured source has no key. */
  readonly key: 'window' | 'environment' | 'command' | 'file' | 'missing' | 'none';
  /** Its keys, if the configuration lists several. */
  readonly keys?: readonly KeyStatus[];
}

/** A credential of the configuration that expires or has expired. */
export interface CredentialExpiry {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}
