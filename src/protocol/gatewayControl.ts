/**
 * The messages between windows of the extension and the local gateway that all of them share, over a socket that
 * only the user can open: a line of JSON each. Types only.
 */

/** What the file `running.json` in the gateway's folder tells of the gateway that runs. */
export interface RunningGatewayFile {
  readonly pid: number;
  readonly baseUrl: string;
  /** Path of the socket; on Windows, of the named pipe. */
  readonly socket: string;
}

/** Asks the gateway for something. The reply to a message bears its `id`. */
export type ToGateway = { readonly id: number } & GatewayQuestion;

export type GatewayQuestion =
  /** A window uses the gateway from now on, until `goodbye` or the end of the connection. */
  | { readonly type: 'hello'; readonly window: string }
  | { readonly type: 'goodbye' }
  /** Keys of upstreams by their names. They count before those of variables and commands; an empty one is forgotten. */
  | { readonly type: 'keys'; readonly keys: Readonly<Record<string, string>> }
  | { readonly type: 'state' }
  /** Requests the models of an upstream as a configuration would write it, at the first address that lists some. */
  | {
      readonly type: 'try';
      readonly upstream: unknown;
      readonly key?: string | undefined;
      readonly otherUrls?: readonly string[];
    }
  /** Asks for the last lines of the log, and for each that follows. */
  | { readonly type: 'log' }
  /** The user allows upstreams to be asked at these addresses, with this key. */
  | { readonly type: 'consent'; readonly access: UpstreamAccess }
  /** The user entered this upstream, which is consent to its values. */
  | { readonly type: 'entered'; readonly upstream: unknown }
  /** Whether it ends with its last window, or runs until it is stopped. */
  | { readonly type: 'lifetime'; readonly whileWindows: boolean }
  /** Reads the configuration and the credential again. */
  | { readonly type: 'reload' }
  /** Replaces the credential, at once and for all callers. The next welcome tells the new one. */
  | { readonly type: 'newCredential' }
  /** Ends it for all; `isReplaced` where a newer one takes its place at once, so that nobody takes it for stopped. */
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
  /** Told to whoever asked for the log, with the request that a line is about. Holds no secret. */
  | { readonly type: 'log'; readonly lines: readonly string[]; readonly request?: ServedRequest }
  /** Told to all when the configuration or a key changed, or when an upstream is left alone or no longer. */
  | { readonly type: 'changed' }
  /** Told to all when somebody stops it and no other takes its place, before their connections end. */
  | { readonly type: 'stopping' };

/** A request of any program that the gateway answered. Holds no secret, no text of a prompt and no address. */
export interface ServedRequest {
  /** When it began, in milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  /** The path of the route as the gateway names it, without values; of what was refused, why. */
  readonly route: string;
  readonly status: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** How long the first byte of the body took, in milliseconds; undefined where there was none. */
  readonly firstByteMs?: number;
  /** The bytes of the response's body. */
  readonly bytes: number;
  /** The model's id as the caller wrote it, where an upstream was found for it; of an alias, the model that was asked last. */
  readonly model?: string;
  readonly upstream?: string;
  /** The alias that the caller wrote. */
  readonly alias?: string;
  /** The models of the alias that were asked before, why they did not answer, and whether they may be billed. */
  readonly passedOver?: readonly string[];
  /** The name of the caller's credential; undefined for the user's own and for those without one. */
  readonly credential?: string;
  readonly requestId: string;
  /** Such as `messages->chat-completions`. */
  readonly conversion?: string;
  /** Whether the response ended before it was complete. */
  readonly isCut: boolean;
}

/** The gateway that a window reached. The credential is sent to its `baseUrl` only. */
export interface GatewayGreeting {
  readonly pid: number;
  readonly version: string;
  readonly baseUrl: string;
  readonly credential: string;
  readonly servesDemo: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The configured upstreams, to which windows hand over keys before they request anything. */
  readonly upstreams: readonly Required<Pick<UpstreamStatus, 'name' | 'origin'>>[];
}

export interface GatewayStatus {
  /** The kinds of upstreams that a configuration may name. */
  readonly kinds: readonly string[];
  readonly upstreams: readonly UpstreamStatus[];
  /** Differs whenever the gateway lists other models. */
  readonly listing: string;
  readonly windows: number;
  readonly whileWindows: boolean;
  /** Path of the configuration file. */
  readonly config?: string;
  /** Why the configuration as it is now was not taken. */
  readonly configProblem?: string;
  /**
   * The port that the configuration names now, where that counts only from the next start of the gateway on; null
   * where it names none any more.
   */
  readonly waitingPort?: number | null;
  /** How many requests are under way. */
  readonly openRequests: number;
}

/** Where requests of an upstream go and where its key comes from, as the configuration says it. */
export interface UpstreamAccess {
  readonly addresses: readonly string[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly keyEnv?: string | undefined;
  readonly keyCommand?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface UpstreamStatus {
  readonly name: string;
  readonly kind: string;
  /** Where it is; absent where it is in the gateway itself. */
  readonly origin?: string;
  /** How many models it lists. */
  readonly models: number;
  /** Why its models could not be listed. */
  readonly problem?: string;
  /** The code of that problem, such as `upstream_credential`. */
  readonly problemCode?: string;
  /** Until when it is left alone after a failure, in milliseconds since 1970. */
  readonly failingUntil?: number;
  /** Its models that are left alone after they were refused, twenty at most, by its own ids. */
  readonly failingModels?: readonly { readonly id: string; readonly until: number }[];
  /** What the user has to allow before it is asked. */
  readonly waitsFor?: UpstreamAccess;
  /** Where its key came from; `missing` when the configuration names one that is not there. */
  readonly key: 'window' | 'environment' | 'command' | 'file' | 'missing' | 'none';
}
