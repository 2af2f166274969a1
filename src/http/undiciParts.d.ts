// Parts of undici, without the package's index. The index also loads fetch, caches and mocks, and makes its own
// agent the dispatcher of the whole process, which the editor and all its extensions share.
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';
  export = Agent;
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  function connector(
    options: buildConnector.BuildOptions,
  ): (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
  export = connector;
}

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export = Pool;
}

declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import { EnvHttpProxyAgent } from 'undici';
  export = EnvHttpProxyAgent;
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';

  /** Requests a tunnel from a proxy. The package's index makes it a method of every dispatcher. */
  function connect(this: Dispatcher, options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  export = connect;
}
