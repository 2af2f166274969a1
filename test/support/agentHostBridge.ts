import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { workFolder } from '../../scripts/vscodeInstall.mjs';
import { poll } from './workbench.ts';

/** The kind of sessions of VS Code's Copilot agent. */
const copilot = 'agent-host-copilotcli';

/**
 * Replacements in the window's bundle. A class stores its service for the agent host, and for commands; and the agent host
 * of the server receives the settings that VS Code sends only to a local one.
 */
const patches = [
  ['return s===RN?0:s.startsWith(', 'return 0;return s===RN?0:s.startsWith('],
  ['jEe=I([m(0,Qc),m(1,U),m(2,tg)],jEe)', 'jEe=I([m(0,Qc),m(1,U),m(2,tg),m(3,Uhn),m(4,ye)],jEe)'],
  [
    'jEe=class extends k{constructor(e,t,i){super();',
    'jEe=class extends k{constructor(e,t,i,models,commands){super();globalThis.agentHost={models,commands};',
  ],
] as const;

/**
 * Connects the agent host of VS Code's server to the models of the window. VS Code does so only in a local desktop
 * window; both ends are VS Code's own here, and only the channel between them is ours.
 */
export class AgentHostBridge {
  readonly #server: Server;
  #page: Page | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<AgentHostBridge> {
    const server = createServer();
    const bridge = new AgentHostBridge(server);
    server.on('request', async (request, response) => {
      const body = JSON.parse(await text(request));
      const reply = request.url === '/chat' ? bridge.chat(body) : bridge.#listModels();
      await reply.then(
        (json) => response.end(json),
        () => response.writeHead(503).end(),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return bridge;
  }

  /** Variables for the processes of VS Code's server. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    const hook = pathToFileURL(fileURLToPath(new URL('agentHostHook.mjs', import.meta.url)));
    return {
      NODE_OPTIONS: `--import=${hook}`,
      AGENT_HOST_BRIDGE: `http://127.0.0.1:${port}/`,
      // The agent host would create branches and worktrees in this repository.
      GIT_CEILING_DIRECTORIES: workFolder,
    };
  }

  /** Prepares the window, before it opens. */
  async prepare(page: Page): Promise<void> {
    this.#page = page;
    await page.route('**/workbench/workbench.js', async (route) => {
      const response = await route.fetch();
      let body = await response.text();
      for (const [before, after] of patches) {
        if (body.split(before).length !== 2) throw new Error('This workbench is not the expected one.');
        body = body.replace(before, after);
      }
      await route.fulfill({ response, body });
    });
  }

  /** Runs a command of VS Code in the window. */
  async runCommand(command: string, ...args: readonly unknown[]): Promise<void> {
    await this.#evaluate('commands', 'executeCommand', [command, ...args]);
  }

  /** Opens a new chat with the Copilot agent and a model of a gateway. */
  async openChat(model: string, place: 'sidebar' | 'editor' = 'sidebar'): Promise<void> {
    await this.runCommand(`workbench.action.chat.openNewChatSessionInPlace.${copilot}`, place);
    await poll(`${model} in the agent host`, async () => (await this.chooseModel(model)) || undefined);
    await this.#page?.getByRole('textbox', { name: `${model}.` }).waitFor();
  }

  /**
   * Chooses the model in the open chat.
   *
   * @returns whether the Copilot agent shows it
   */
  async chooseModel(model: string): Promise<boolean> {
    const models: readonly OfferedModel[] = JSON.parse(await this.#listModels());
    const id = models.map((each) => each.modelIdentifier).find((each) => each.endsWith(`/${model}`));
    const modelSelector = { vendor: copilot, id };
    return this.runCommand('workbench.action.chat.open', { mode: 'agent', modelSelector }).then(
      () => true,
      () => false,
    );
  }

  /** Sends a request of the agent host to a model of the window. Returns the reply as JSON. */
  chat(request: object): Promise<string> {
    return this.#evaluate('models', 'chat', [request, 'token']);
  }

  #listModels(): Promise<string> {
    return this.#evaluate('models', 'listModels', ['token']);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #evaluate(service: string, method: string, args: readonly unknown[]): Promise<string> {
    const page = this.#page;
    assert.ok(page, 'the window is open');
    await poll(
      'service in the window',
      async () => (await page.evaluate(() => 'agentHost' in globalThis)) || undefined,
    );
    return page.evaluate(
      async ([name, call, json]) => {
        const { agentHost } = globalThis as unknown as { agentHost: Record<string, Service> };
        const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
        const values = json.map((each) => (each === 'token' ? token : each));
        return JSON.stringify(await agentHost[name]?.[call]?.(...values)) ?? '';
      },
      [service, method, args] as const,
    );
  }
}

/** A model as the agent host receives it. */
interface OfferedModel {
  readonly modelIdentifier: string;
}

type Service = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;
