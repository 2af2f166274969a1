/** The messages between the extension and a local gateway it started, over the child's IPC channel. Types only. */

/** The gateway is ready. The credential is of this start alone and goes nowhere but here. */
export interface FromLocalGateway {
  readonly type: 'listening';
  readonly baseUrl: string;
  readonly credential: string;
}

/** Keys of configured upstreams, by upstream name. They take the place of the same upstream's environment variable. */
export interface ToLocalGateway {
  readonly type: 'keys';
  readonly keys: Readonly<Record<string, string>>;
}
