import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { root } from '../../scripts/root.mjs';
import type { AgentHostBridge } from './agentHostBridge.ts';
import { type RunningGateway, startGateway } from './gatewayProcess.ts';
import { streamText } from './modelStreams.ts';
import { type ScriptedUpstream, startUpstream } from './scriptedUpstream.ts';
import { appears, poll, Workbench, type WorkbenchOptions } from './workbench.ts';

/** An upstream of each kind, and the API format of its model. The model is named `<name>-model`. */
const providers = [
  { name: 'completions', kind: 'openai-compatible', format: 'chatCompletions' },
  { name: 'generation', kind: 'content-generation', format: 'contentGeneration' },
  { name: 'messages', kind: 'messages', format: 'messages' },
  { name: 'responses', kind: 'responses', format: 'responses' },
  { name: 'interactions', kind: 'interactions', format: 'interactions' },
] as const;

/** The time limit of a choice in a list, in milliseconds. */
const listMs = 5_000;

/** The names of our tools. All agents call them by these names. */
export const toolNames: readonly string[] = JSON.parse(
  readFileSync(new URL('package.json', root), 'utf8'),
).contributes.languageModelTools.map(({ name }: { readonly name: string }) => name);

const keyEnv = 'TEST_PROVIDER_KEY';

export type ScriptedProvider = (typeof providers)[number];
export type ProviderName = ScriptedProvider['name'];

export const providerNames: readonly ProviderName[] = providers.map(({ name }) => name);

/** Writes the reply of a model in one turn of an agent. */
export type Turn = (format: ScriptedProvider['format'], res: ServerResponse) => void;

/** A turn that streams these bytes and ends. */
export function streamTurn(bytes: (format: ScriptedProvider['format']) => string): Turn {
  return (format, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes(format));
}

/**
 * VS Code's own chat in a window as users have it, with models of a local gateway whose upstreams play the
 * scripted turns, and with its demo models. Always `close` it.
 */
export class VscodeChat {
  readonly workbench: Workbench;
  readonly #gateway: RunningGateway;
  readonly #upstreams: readonly ScriptedUpstream[];
  readonly #folder: string;
  readonly #script: Script;

  private constructor(workbench: Workbench, started: StartedGateway) {
    this.workbench = workbench;
    this.#gateway = started.gateway;
    this.#upstreams = started.upstreams;
    this.#folder = started.folder;
    this.#script = started.script;
  }

  /**
   * @param settings user settings, in addition to the API format of each model
   * @param bridge of the agent host to the window's models
   * @param window more options of the window
   */
  static async open(
    name: string,
    settings: Readonly<Record<string, unknown>> = {},
    bridge?: AgentHostBridge,
    window: Pick<WorkbenchOptions, 'vsix' | 'isAgentsWindow'> = {},
  ): Promise<VscodeChat> {
    const started = await startGatewayWithProviders();
    try {
      const workbench = await Workbench.open({
        ...window,
        name,
        isFull: true,
        env: { MODEL_GATEWAY_DEV_GATEWAY: started.handshake, ...bridge?.env },
        ...(bridge && { prepare: (page: Page) => bridge.prepare(page) }),
        settings: {
          ...settings,
          'modelGateway.models': providers.map((each) => ({
            models: getModelId(each.name),
            format: each.format,
            facts: { pictures: true, reasoning: true },
          })),
        },
      });
      return new VscodeChat(workbench, started);
    } catch (error) {
      await endGateway(started);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.workbench.close();
    await endGateway({ gateway: this.#gateway, upstreams: this.#upstreams, folder: this.#folder });
  }

  /** The last reply in the chat. */
  get reply(): Locator {
    return this.workbench.page.locator('.interactive-response').filter({ visible: true }).last();
  }

  /** The body of the last request to an upstream. */
  get lastBody(): string {
    return this.#script.lastBody;
  }

  /** The ring that shows the used part of the model's context. */
  get contextUse(): Locator {
    return this.workbench.page.getByRole('button', { name: /^Context window usage/ });
  }

  /** Turns VS Code's chat on as a user does in the window. */
  async enable(): Promise<void> {
    const { workbench } = this;
    // The page of our own chat opens by itself, and takes the focus.
    await (await workbench.webview('New Chat')).getByRole('button', { name: 'Model: ' }).waitFor();
    await workbench.treeRows('Models').filter({ hasText: 'Use These Models in VS Code’s Chat' }).click();
    await workbench.quickInput.fill(getModelId('completions'));
    await workbench.quickInput.choose(getModelId('completions'));
    await workbench.page.getByRole('textbox', { name: 'Chat Input (Agent)' }).waitFor();
  }

  /** Opens the chat with this provider's model, with our command. */
  useProvider(provider: ProviderName): Promise<void> {
    return this.useModel(getModelId(provider));
  }

  /** Opens the chat with a model of the window's gateway, with our command. */
  async useModel(id: string): Promise<void> {
    const { page, quickInput } = this.workbench;
    await poll(`the list with ${id}`, async () => {
      await this.workbench.runCommand("Model Gateway: Use in VS Code's Chat");
      try {
        // VS Code's chat may take the focus late, which closes the list.
        await quickInput.fill(id, listMs);
        await quickInput.pick(id, listMs);
        return true;
      } catch {
        return undefined;
      }
    });
    await page.getByRole('textbox', { name: 'Chat Input (Agent)' }).waitFor();
    await page.getByRole('textbox', { name: `${id}.` }).waitFor();
  }

  /** Connects the window to this gateway, which an installed extension does not do by itself. */
  async connectToOwnGateway(): Promise<void> {
    const { baseUrl, credential } = this.#gateway;
    await this.connect(baseUrl, credential, 'demo/chat');
  }

  /** Connects the window to another gateway, whose first model is this one. */
  async connect(baseUrl: string, credential: string, model: string): Promise<void> {
    const { workbench } = this;
    await workbench.runCommand('Model Gateway: Connect to a Gateway…');
    await workbench.quickInput.fill(baseUrl);
    await workbench.quickInput.accept();
    await this.#enter(credential);
    // A page of our own chat opens by itself, and takes the focus.
    await poll(`a chat with ${model}`, async () => {
      for (const frame of workbench.page.frames())
        if (await appears(frame.getByRole('button', { name: `Model: ${model}` }))) return true;
      return undefined;
    });
  }

  /** The user's settings. */
  async readSettings(): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse(await readFile(this.#settingsFile, 'utf8'));
  }

  /** Replaces the user's settings, as in an editor. */
  async writeSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await writeFile(this.#settingsFile, JSON.stringify(settings));
  }

  /** Waits until VS Code has written these settings of the user. */
  async waitForSettings(expected: Readonly<Record<string, unknown>>): Promise<void> {
    await poll(`settings like ${JSON.stringify(expected)}`, async () => {
      // VS Code may be writing the file.
      const settings = await this.readSettings().catch(() => undefined);
      return isDeepStrictEqual(settings, expected) || undefined;
    });
  }

  get #settingsFile(): string {
    return join(this.workbench.dataDir, 'data/User/settings.json');
  }

  async setCredential(credential: string): Promise<void> {
    await this.workbench.runCommand('Model Gateway: Set Credential…');
    await this.#enter(credential);
  }

  async #enter(credential: string): Promise<void> {
    const { page, quickInput } = this.workbench;
    await page.locator('.quick-input-box input[type=password]').waitFor();
    await quickInput.fill(credential);
    await quickInput.accept();
    await quickInput.waitUntilClosed();
  }

  /**
   * Lets the models play these turns, one for each request with tools.
   *
   * @returns the bodies of the requests received for them so far
   */
  play(turns: readonly Turn[]): () => readonly string[] {
    this.#script.turns = [...turns];
    this.#script.bodies = [];
    return () => this.#script.bodies;
  }

  /** The message box of the chat, in the side bar if others are open in editors. */
  get input(): Locator {
    return this.#inputPart.getByRole('textbox', { name: /^Chat Input/ });
  }

  get #inputPart(): Locator {
    return this.workbench.page.locator('.interactive-input-part').filter({ visible: true }).last();
  }

  /**
   * Sends a question to the chat's model, which then plays these turns.
   *
   * @returns the bodies of the requests received for them so far
   */
  async sendQuestion(question: string, turns: readonly Turn[]): Promise<() => readonly string[]> {
    const requests = this.play(turns);
    await this.typeQuestion(question);
    return requests;
  }

  /** Sends a question to the chat's model, which plays the turns of `play`. */
  async typeQuestion(question: string): Promise<void> {
    const { page } = this.workbench;
    await this.input.focus();
    await page.keyboard.type(question);
    const typedText = this.#inputPart.locator('.view-lines').first();
    // VS Code ignores the key while it prepares a session. A question that was sent must not be sent again.
    await poll('the question in the chat', async () => {
      if ((await typedText.innerText()).trim() !== '') await page.keyboard.press('Enter');
      return appears(page.locator('.interactive-request').filter({ hasText: question }));
    });
  }

  /**
   * Waits until the last reply contains a text.
   *
   * @throws an error with the text of the chat after 90 seconds
   */
  async waitForReply(text: string | RegExp): Promise<void> {
    await this.reply
      .filter({ hasText: text })
      .waitFor({ timeout: 90_000 })
      .catch(async (cause: unknown) => {
        const shown = await this.workbench.page.locator('.interactive-session').last().innerText();
        throw new Error(`The last reply does not contain “${text}”. The chat shows:\n${shown}`, { cause });
      });
  }

  /** Sends a question and waits for the reply. */
  async exchange(question: string, reply: string): Promise<void> {
    await this.sendQuestion(question, [streamTurn((format) => streamText(format, reply))]);
    await this.waitForReply(reply);
  }

  /** Ends the reply that is streaming. */
  async stop(): Promise<void> {
    await this.stopButton.click();
  }

  /** The button that ends a reply. It is visible while the chat waits for one. */
  get stopButton(): Locator {
    return this.workbench.page.locator('.chat-execute-toolbar').getByRole('button', { name: /^Cancel/ });
  }
}

interface StartedGateway {
  readonly gateway: RunningGateway;
  readonly upstreams: readonly ScriptedUpstream[];
  readonly folder: string;
  readonly handshake: string;
  readonly script: Script;
}

/** The remaining turns of the models, and the received requests. */
interface Script {
  turns: Turn[];
  bodies: string[];
  /** The body of the last request, also without tools. */
  lastBody: string;
}

const titleTurn = streamTurn((format) => streamText(format, 'A title'));

function getModelId(provider: ProviderName): string {
  return `${provider}-model`;
}

async function startGatewayWithProviders(): Promise<StartedGateway> {
  const script: Script = { turns: [], bodies: [], lastBody: '' };
  const upstreams = await Promise.all(
    providers.map(({ format }) =>
      startUpstream(({ body }, res) => {
        script.lastBody = body.toString();
        // VS Code requests titles in parallel with the agent's turns, without tools.
        if (!JSON.parse(body.toString()).tools?.length) return titleTurn(format, res);
        script.bodies.push(body.toString());
        const turn = script.turns.shift();
        if (turn) turn(format, res);
        else res.writeHead(500).end();
      }),
    ),
  );
  const config = {
    upstreams: providers.map(({ name, kind }, index) => ({
      name,
      kind,
      models: [getModelId(name)],
      keyEnv,
      baseUrl: getBaseUrl(kind, upstreams[index]?.baseUrl ?? ''),
    })),
  };
  const gateway = await startGateway({ config, env: { [keyEnv]: 'test-key' } });
  const folder = await mkdtemp(join(tmpdir(), 'vscode-chat-'));
  const handshake = join(folder, 'handshake.json');
  await writeFile(handshake, gateway.stdout().split('\n')[0] ?? '', { mode: 0o600 });
  return { gateway, upstreams, folder, handshake, script };
}

function getBaseUrl(kind: ScriptedProvider['kind'], address: string): string {
  return kind === 'openai-compatible' ? address : new URL(address).origin;
}

async function endGateway(started: Pick<StartedGateway, 'gateway' | 'upstreams' | 'folder'>): Promise<void> {
  await started.gateway.stop();
  await Promise.all(started.upstreams.map((each) => each.close()));
  await rm(started.folder, { recursive: true, force: true });
}
