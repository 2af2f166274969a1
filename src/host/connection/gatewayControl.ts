import { createConnection, type Socket } from 'node:net';
import { type Disposable, Emitter } from '../../base/emitter.ts';
import { isObject } from '../../base/json.ts';
import { createJsonLines, type JsonLines } from '../../base/node/jsonLines.ts';
import type {
  ControlRequest,
  FromGateway,
  GatewayGreeting,
  GatewayStatus,
  ServedRequest,
  UpstreamAccess,
} from '../../protocol/gatewayControl.ts';

/** The timeout for a reply, in milliseconds. It includes the time of the gateway's own requests to an upstream. */
const replyTimeoutMs = 15_000;

/** A request to the local gateway failed. The message is the gateway's reason, or describes the lost connection. */
export class GatewayControlError extends Error {
  override readonly name = 'GatewayControlError';
}

type ControlReply = Extract<FromGateway, { readonly id: number }>;

/** A window's connection to the local gateway that all windows of the user share. */
export class GatewayControl implements Disposable {
  readonly #socket: Socket;
  readonly #lines: JsonLines;
  /** The requests that wait for a reply, by their ids. */
  readonly #pending = new Map<number, Pick<PromiseWithResolvers<ControlReply>, 'resolve' | 'reject'>>();
  readonly #onLog = new Emitter<readonly string[]>();
  readonly #onServed = new Emitter<ServedRequest>();
  readonly #onDidChange = new Emitter();
  readonly #onDidClose = new Emitter();
  #lastId = 0;
  #wasStopped = false;

  /** Fires with lines of the gateway's log, after a call of `followLog`. */
  readonly onLog = this.#onLog.event;
  /** Fires with each request of any program that the gateway handled, after a call of `followLog`. */
  readonly onServed = this.#onServed.event;
  /** Fires when the gateway's configuration, a key, or the state of an upstream changed. */
  readonly onDidChange = this.#onDidChange.event;
  /** Fires once, when one side has ended the connection. */
  readonly onDidClose = this.#onDidClose.event;

  /** Whether the user stopped the gateway, in this window or elsewhere. False if a newer version replaced it. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = createJsonLines(socket, (value) => this.#receive(value));
    socket.once('close', () => this.#handleClose());
  }

  /** @param path the path of the socket, from running.json */
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

  /** Registers this window with the gateway. All requests throw a {GatewayControlError} if they fail. */
  async greet(): Promise<GatewayGreeting> {
    const reply = await this.#request({ type: 'hello' });
    if (reply.type !== 'welcome') throw createUnexpectedReplyError(reply);
    return reply.gateway;
  }

  async readStatus(): Promise<GatewayStatus> {
    const reply = await this.#request({ type: 'state' });
    if (reply.type !== 'state') throw createUnexpectedReplyError(reply);
    return reply.state;
  }

  /**
   * Requests the ids of an upstream's models through the gateway, from the first address that lists models.
   *
   * @param upstream the upstream as in the configuration
   * @param otherUrls other possible addresses, at the same origin
   * @returns the address that replied, and the ids
   * @throws {GatewayControlError} that describes the problem of the upstream
   */
  async tryUpstream(
    upstream: unknown,
    key: string | undefined,
    otherUrls: readonly string[] = [],
  ): Promise<Pick<Extract<ControlReply, { type: 'tried' }>, 'baseUrl' | 'models'>> {
    const reply = await this.#request({ type: 'try', upstream, key, otherUrls });
    if (reply.type !== 'tried') throw createUnexpectedReplyError(reply);
    return reply;
  }

  /** Sends keys to the gateway, by the names of their upstreams. An empty key removes the stored key. */
  async sendKeys(keys: Readonly<Record<string, string>>): Promise<void> {
    await this.#request({ type: 'keys', keys });
  }

  /** Reports that the user allows requests to upstreams at these addresses, with this key. */
  async reportConsent(access: UpstreamAccess): Promise<void> {
    await this.#request({ type: 'consent', access });
  }

  /** Reports that the user entered an upstream, which is consent to its addresses and keys. */
  async reportEntered(upstream: unknown): Promise<void> {
    await this.#request({ type: 'entered', upstream });
  }

  /** Requests the last lines of the gateway's log, and each following line. */
  async followLog(): Promise<void> {
    await this.#request({ type: 'log' });
  }

  /** Sets whether the gateway exits after its last window, or runs until it is stopped. */
  async setLifetime(exitsAfterWindows: boolean): Promise<void> {
    await this.#request({ type: 'lifetime', exitsAfterWindows });
  }

  /**
   * Reads the configuration again.
   *
   * @throws {GatewayControlError} that describes the problem of the configuration. The earlier configuration then
   * remains active.
   */
  async reload(): Promise<void> {
    await this.#request({ type: 'reload' });
  }

  /** Replaces the gateway's credential for all callers immediately. The next greeting returns the new credential. */
  async replaceCredential(): Promise<void> {
    await this.#request({ type: 'newCredential' });
  }

  /** Stops the gateway for all windows. */
  async stop(): Promise<void> {
    await this.#request({ type: 'stop' });
  }

  /** Stops the gateway, so that a newer version can replace it. Resolves once the connection has ended. */
  async replace(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.onDidClose(() => resolve()));
    await this.#request({ type: 'stop', isReplaced: true });
    await closed;
  }

  dispose(): void {
    this.#socket.destroySoon();
  }

  async #request(request: ControlRequest): Promise<ControlReply> {
    if (this.#socket.destroyed)
      throw new GatewayControlError('The connection to the local gateway has ended.');
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ControlReply>();
    const timer = setTimeout(
      () => reject(new GatewayControlError('The local gateway did not reply.')),
      replyTimeoutMs,
    );
    this.#pending.set(id, { resolve, reject });
    try {
      this.#lines.send({ id, ...request });
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /** Handles a message of the gateway. Ignores unknown messages, because the gateway may be another version. */
  #receive(value: unknown): void {
    if (!isObject(value)) return;
    const message = value as unknown as FromGateway;
    if (message.type === 'log') {
      this.#onLog.fire(message.lines);
      if (message.request) this.#onServed.fire(message.request);
    } else if (message.type === 'changed') this.#onDidChange.fire();
    else if (message.type === 'stopping') this.#wasStopped = true;
    else if (message.type === 'failed')
      this.#pending.get(message.id)?.reject(new GatewayControlError(message.problem));
    else this.#pending.get(message.id)?.resolve(message);
  }

  #handleClose(): void {
    for (const { reject } of this.#pending.values())
      reject(new GatewayControlError('The connection to the local gateway has ended.'));
    this.#onDidClose.fire();
  }
}

function createUnexpectedReplyError({ type }: ControlReply): GatewayControlError {
  return new GatewayControlError(`The local gateway sent an unexpected reply: ${type}.`);
}
