import type { Agent, ClientRequest } from 'node:http';
import https from 'node:https';
import { keepAliveMs } from './transport.ts';

/** Finds the credentials for a proxy, and prompts the user if necessary. */
type LookUpAuthorization = (...args: readonly unknown[]) => Promise<string | undefined>;

/**
 * The agent that VS Code's patch creates for a request. It resolves proxies, signs in to them and adds
 * certificates.
 */
interface EditorAgent extends Agent {
  keepAlive?: boolean;
  readonly options?: { timeout?: number };
  /** Options of the agents that open tunnels. */
  readonly opts?: { lookupProxyAuthorization?: LookUpAuthorization };
}

/**
 * Reuses an agent of VS Code's network stack. VS Code's patch of `https` creates a new agent for each request that
 * does not have one, so that connections would never be reused. This class stores the agent of the first request for
 * later requests.
 */
export class ReusedEditorAgent {
  readonly #onLogin: (isPending: boolean) => void;
  #agent: EditorAgent | undefined;
  #pendingLogins = 0;

  /** @param onLogin called when VS Code starts and ends the sign-in to a proxy */
  constructor(onLogin: (isPending: boolean) => void) {
    this.#onLogin = onLogin;
  }

  /** The stored agent; undefined before the first request. */
  get agent(): Agent | undefined {
    return this.#agent;
  }

  get isLoginPending(): boolean {
    return this.#pendingLogins > 0;
  }

  /**
   * Stores the agent of the first request, which is not sent yet. The global agent is not stored, because all
   * extensions share it.
   */
  captureAgent(request: ClientRequest & { readonly agent?: EditorAgent }): void {
    const { agent } = request;
    if (this.#agent || !agent || agent === https.globalAgent) return;
    this.#agent = agent;
    agent.keepAlive = true;
    if (agent.options) agent.options.timeout = keepAliveMs;
    request.shouldKeepAlive = true;
    this.#followLogins(agent);
  }

  /** Closes idle connections at once, and the others after their replies. */
  close(): void {
    if (!this.#agent) return;
    this.#agent.keepAlive = false;
    for (const idle of Object.values(this.#agent.freeSockets).flat()) idle?.destroy();
    this.#agent = undefined;
  }

  #followLogins({ opts }: EditorAgent): void {
    const lookUp = opts?.lookupProxyAuthorization;
    if (!lookUp) return;
    opts.lookupProxyAuthorization = async (...args) => {
      this.#countLogins(1);
      try {
        return await lookUp(...args);
      } finally {
        this.#countLogins(-1);
      }
    };
  }

  #countLogins(change: 1 | -1): void {
    const before = this.isLoginPending;
    this.#pendingLogins += change;
    if (before !== this.isLoginPending) this.#onLogin(this.isLoginPending);
  }
}
