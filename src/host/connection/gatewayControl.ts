import { createConnection, type Socket } from 'node:net';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/emitter.ts';
import { isObject } from '../../base/json.ts';
import { type JsonLines, jsonLines } from '../../base/node/jsonLines.ts';
import type {
  FromGateway,
  GatewayGreeting,
  GatewayQuestion,
  GatewayStatus,
  ServedRequest,
  UpstreamAccess,
} from '../../protocol/gatewayControl.ts';

/** How long the gateway may take for an answer, in milliseconds: it asks its upstreams for their models. */
const answerMs = 15_000;

/** The local gateway did not do what it was asked for. The message says why, in its own words. */
export class GatewayControlError extends Error {
  override readonly name = 'GatewayControlError';
}

type Answer = Extract<FromGateway, { readonly id: number }>;

/** A window's connection to the local gateway that all windows of the user share. */
export class GatewayControl implements Disposable {
  readonly #socket: Socket;
  readonly #lines: JsonLines;
  readonly #waiting = new Map<number, { answer(answer: Answer): void; fail(error: Error): void }>();
  readonly #onLog = new Emitter<readonly string[]>();
  readonly #onServed = new Emitter<ServedRequest>();
  readonly #onDidChange = new Emitter();
  readonly #onDidClose = new Emitter();
  #lastId = 0;
  #isStopping = false;

  /** Fires with lines of its log, once they were asked for. */
  readonly onLog = this.#onLog.event;
  /** Fires with each request that it answered, of any program, once its log was asked for. */
  readonly onServed = this.#onServed.event;
  /** Fires when its configuration or a key changed. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires once, when the connection has ended, by whichever side. */
  readonly onDidClose = this.#onDidClose.event;

  /** Whether somebody stopped it, in this window or elsewhere. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = jsonLines(socket, (value) => this.#receive(value));
    socket.once('close', () => this.#closed());
  }

  /** @param path of the socket that the gateway's file names */
  static connect(path: string): Promise<GatewayControl> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(path);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new GatewayControl(socket));
      });
    });
  }

  /** Says that this window uses the gateway from now on. */
  async hello(window: string): Promise<GatewayGreeting> {
    const answer = await this.#ask({ type: 'hello', window });
    if (answer.type !== 'welcome') throw new GatewayControlError(answer.type);
    return answer.gateway;
  }

  async state(): Promise<GatewayStatus> {
    const answer = await this.#ask({ type: 'state' });
    if (answer.type !== 'state') throw new GatewayControlError(answer.type);
    return answer.state;
  }

  /**
   * Requests the ids of an upstream's models through the gateway, at the first address that lists some.
   *
   * @param upstream as the configuration would write it
   * @param otherUrls other addresses that may be meant, at the same origin
   * @returns the address that answered, and the ids
   * @throws {GatewayControlError} with what is wrong with it
   */
  async tryUpstream(
    upstream: unknown,
    key: string | undefined,
    otherUrls: readonly string[] = [],
  ): Promise<Pick<Extract<Answer, { type: 'tried' }>, 'baseUrl' | 'models'>> {
    const answer = await this.#ask({ type: 'try', upstream, key, otherUrls });
    if (answer.type !== 'tried') throw new GatewayControlError(answer.type);
    return answer;
  }

  /** Hands keys of upstreams over, by their names; an empty one is forgotten. */
  async giveKeys(keys: Readonly<Record<string, string>>): Promise<void> {
    await this.#ask({ type: 'keys', keys });
  }

  /** Says that the user allows upstreams to be asked there, with that key. */
  async consent(access: UpstreamAccess): Promise<void> {
    await this.#ask({ type: 'consent', access });
  }

  /** Reports that the user entered an upstream, which is consent to its addresses and keys. */
  async entered(upstream: unknown): Promise<void> {
    await this.#ask({ type: 'entered', upstream });
  }

  /** Asks for the last lines of its log, and for each that follows. */
  async followLog(): Promise<void> {
    await this.#ask({ type: 'log' });
  }

  /** Whether it ends with its last window, or runs until it is stopped. */
  async setLifetime(whileWindows: boolean): Promise<void> {
    await this.#ask({ type: 'lifetime', whileWindows });
  }

  /** @throws {GatewayControlError} with what is wrong with its configuration, which then stays as it was */
  async reload(): Promise<void> {
    await this.#ask({ type: 'reload' });
  }

  /** Replaces its credential, at once and for all callers. Whoever greets it again is told the new one. */
  async newCredential(): Promise<void> {
    await this.#ask({ type: 'newCredential' });
  }

  async stop(): Promise<void> {
    await this.#ask({ type: 'stop' });
  }

  /** Ends it so that a newer one can take its place, and resolves once it is gone. */
  async replace(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.onDidClose(() => resolve()));
    await this.#ask({ type: 'stop', isReplaced: true });
    await gone;
  }

  dispose(): void {
    this.#socket.destroySoon();
  }

  #ask(question: GatewayQuestion): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new GatewayControlError('The connection to the local gateway has ended.'));
        return;
      }
      const timer = setTimeout(() => settle(reject)(new GatewayControlError('It did not answer.')), answerMs);
      const settle = <Value>(act: (value: Value) => void) => {
        return (value: Value) => {
          clearTimeout(timer);
          this.#waiting.delete(id);
          act(value);
        };
      };
      this.#waiting.set(id, { answer: settle(resolve), fail: settle(reject) });
      this.#lines.send({ id, ...question });
    });
  }

  /** The gateway is of another version perhaps: what is not known is left. */
  #receive(value: unknown): void {
    if (!isObject(value)) return;
    const message = value as unknown as FromGateway;
    if (message.type === 'log') {
      this.#onLog.fire(message.lines);
      if (message.request) this.#onServed.fire(message.request);
    } else if (message.type === 'changed') this.#onDidChange.fire();
    else if (message.type === 'stopping') this.#isStopping = true;
    else if (message.type === 'failed')
      this.#waiting.get(message.id)?.fail(new GatewayControlError(message.problem));
    else this.#waiting.get(message.id)?.answer(message);
  }

  #closed(): void {
    for (const { fail } of this.#waiting.values())
      fail(new GatewayControlError('The connection to the local gateway has ended.'));
    this.#onDidClose.fire();
  }
}
