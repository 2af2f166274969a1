/** The messages between the extension and a local gateway it started, over the child's IPC channel. Types only. */

/** The gateway is ready. The credential is valid for this run only, and is sent nowhere else. */
export interface FromLocalGateway {
  readonly type: 'listening';
  readonly baseUrl: string;
  readonly credential: string;
}

/** Keys of configured upstreams, by name. They replace those of the environment variables. */
export interface ToLocalGateway {
  readonly type: 'keys';
  readonly keys: Readonly<Record<string, string>>;
}
