import type { Agent, ClientRequest } from 'node:http';
import https from 'node:https';
import { KEEP_ALIVE_MS } from './keepAlive.ts';

/** Finds what a proxy wants to know of the user; asks for it where it must. */
type LookUpAuthorization = (...args: readonly unknown[]) => Promise<string | undefined>;

/** What VS Code's patch makes for a request: it resolves proxies, signs in to them and adds certificates. */
interface EditorAgent extends Agent {
  keepAlive?: boolean;
  readonly options?: { timeout?: number };
  /** For the agents that open tunnels. */
  readonly opts?: { lookupProxyAuthorization?: LookUpAuthorization };
}

/**
 * The agent of VS Code's network stack. The patch makes a new one for each request, which could never use a
 * connection again; one that it is given back it leaves as it is. So the first one is kept, and told to keep its
 * connections.
 */
export class KeptEditorAgent {
  readonly #onAsk: (asking: boolean) => void;
  #agent: EditorAgent | undefined;
  #asking = 0;

  /** @param onAsk told when VS Code begins to find out who the user is to a proxy, and when it has ended */
  constructor(onAsk: (asking: boolean) => void) {
    this.#onAsk = onAsk;
  }

  /** Undefined until there is one. */
  get agent(): Agent | undefined {
    return this.#agent;
  }

  get asking(): boolean {
    return this.#asking > 0;
  }

  /** Keeps the agent of the first request, which has not left yet. The one of all other programs is no one's. */
  keep(request: ClientRequest & { readonly agent?: EditorAgent }): void {
    const { agent } = request;
    if (this.#agent || !agent || agent === https.globalAgent) return;
    this.#agent = agent;
    agent.keepAlive = true;
    if (agent.options) agent.options.timeout = KEEP_ALIVE_MS;
    request.shouldKeepAlive = true;
    this.#listenToQuestions(agent);
  }

  /** Lets go of idle connections at once, and of the others after their replies. */
  close(): void {
    if (!this.#agent) return;
    this.#agent.keepAlive = false;
    for (const idle of Object.values(this.#agent.freeSockets).flat()) idle?.destroy();
    this.#agent = undefined;
  }

  #listenToQuestions({ opts }: EditorAgent): void {
    const lookUp = opts?.lookupProxyAuthorization;
    if (!lookUp) return;
    opts.lookupProxyAuthorization = async (...args) => {
      this.#ask(1);
      try {
        return await lookUp(...args);
      } finally {
        this.#ask(-1);
      }
    };
  }

  #ask(change: 1 | -1): void {
    const before = this.asking;
    this.#asking += change;
    if (before !== this.asking) this.#onAsk(this.asking);
  }
}
