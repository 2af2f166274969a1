import type { Connection } from '../connection/connection.ts';
import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { type Gateway, gatewayKey } from '../connection/gateways.ts';
import { lacksModel, UnlistedModels } from '../models/unlistedModels.ts';

/**
 * The gateway of one chat. Until the first question it is the window's gateway. Then it stays the same, since
 * each question sends the whole conversation along.
 */
export class ChatGateway {
  readonly #connection: Connection;
  readonly #unlistedModels = new UnlistedModels();
  #begunWith: Gateway | undefined;
  /** The key of the window's gateway when the last question was asked. */
  #askedBeside: string | undefined;
  #unlisted: string | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Undefined when no gateway is connected yet, or when the chat's gateway was removed. */
  get now(): GatewayConnection | undefined {
    return this.#begunWith ? this.#connection.find(this.#begunWith) : this.#connection.current;
  }

  /** The gateway that the chat belongs to; undefined before the first question. */
  get begunWith(): Gateway | undefined {
    return this.#begunWith;
  }

  /** The window's gateway, when the user switched to it since the last question and this chat kept its own. */
  get switchedTo(): Gateway | undefined {
    const { now } = this;
    const { current } = this.#connection;
    if (!this.#begunWith || !now || !current || now === current) return undefined;
    return gatewayKey(current.gateway) === this.#askedBeside ? undefined : current.gateway;
  }

  /** The model of the last warning, while the gateway still does not list it. */
  get unlisted(): string | undefined {
    return this.#unlisted !== undefined && this.lacks(this.#unlisted) ? this.#unlisted : undefined;
  }

  /** Binds the chat to its gateway. Called before each question. */
  begin(): void {
    this.#begunWith ??= this.now?.gateway;
    this.#askedBeside = this.#connection.current && gatewayKey(this.#connection.current.gateway);
    this.#unlisted = undefined;
  }

  moveTo(gateway: Gateway): void {
    this.#begunWith = gateway;
    this.#unlisted = undefined;
  }

  /** Unbinds the chat from its gateway, when its conversation is empty again. */
  release(): void {
    this.#begunWith = undefined;
    this.#unlisted = undefined;
  }

  /** Whether a model list was read and does not contain this model. */
  lacks(model: string): boolean {
    return this.now !== undefined && lacksModel(this.now, model);
  }

  /** Whether to warn that the gateway does not list this model. True once for each model. */
  async mustTellUnlisted(model: string): Promise<boolean> {
    if (!this.now || !(await this.#unlistedModels.isNews(this.now, model))) return false;
    this.#unlisted = model;
    return true;
  }
}
