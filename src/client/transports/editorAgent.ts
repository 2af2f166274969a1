import type { Agent, ClientRequest } from 'node:http';
import https from 'node:https';
import { KEEP_ALIVE_MS } from './keepAlive.ts';

/** Finds the credentials for a proxy, and asks the user when it must. */
type LookUpAuthorization = (...args: readonly unknown[]) => Promise<string | undefined>;

/**
 * The agent that VS Code's patch makes for a request. It resolves proxies, signs in to them and adds
 * certificates.
 */
interface EditorAgent extends Agent {
  keepAlive?: boolean;
  readonly options?: { timeout?: number };
  /** Options of the agents that open tunnels. */
  readonly opts?: { lookupProxyAuthorization?: LookUpAuthorization };
}

/**
 * Keeps the agent of VS Code's network stack. The patch makes a new one for each request, whose connections
 * could never be used again, but it leaves an agent that a request brings. So this class keeps the first one,
 * with its connections.
 */
export class KeptEditorAgent {
  readonly #onAsk: (asking: boolean) => void;
  #agent: EditorAgent | undefined;
  #asking = 0;

  /**
   * @param onAsk called when VS Code begins to ask the user to sign in to a proxy, and when that has ended
   */
  constructor(onAsk: (asking: boolean) => void) {
    this.#onAsk = onAsk;
  }

  /** The kept agent; undefined before the first request. */
  get agent(): Agent | undefined {
    return this.#agent;
  }

  get asking(): boolean {
    return this.#asking > 0;
  }

  /**
   * Keeps the agent of the first request, which has not left yet. The global agent, which all programs share,
   * is not kept.
   */
  keep(request: ClientRequest & { readonly agent?: EditorAgent }): void {
    const { agent } = request;
    if (this.#agent || !agent || agent === https.globalAgent) return;
    this.#agent = agent;
    agent.keepAlive = true;
    if (agent.options) agent.options.timeout = KEEP_ALIVE_MS;
    request.shouldKeepAlive = true;
    this.#listenToQuestions(agent);
  }

  /** Closes idle connections at once, and the others after their replies. */
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
