import type { Connection } from '../connection/connection.ts';
import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { type Gateway, gatewayKey } from '../connection/gateways.ts';
import { lacksModel, UnlistedModels } from '../models/unlistedModels.ts';

/**
 * The gateway that one chat asks: the window's until the first question, from then on the one it was begun
 * with, since everything said so far goes along with each question.
 */
export class ChatGateway {
  readonly #connection: Connection;
  readonly #unlistedModels = new UnlistedModels();
  #begunWith: Gateway | undefined;
  /** The window's gateway when the last question was asked. */
  #askedBeside: string | undefined;
  #unlisted: string | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Undefined when there is none to ask: none is connected yet, or this chat's was removed. */
  get now(): GatewayConnection | undefined {
    return this.#begunWith ? this.#connection.find(this.#begunWith) : this.#connection.current;
  }

  /** The gateway that the chat belongs to; undefined before the first question. */
  get begunWith(): Gateway | undefined {
    return this.#begunWith;
  }

  /** The window's gateway, where the user switched to it since the last question and this chat stayed behind. */
  get switchedTo(): Gateway | undefined {
    const { now } = this;
    const { current } = this.#connection;
    if (!this.#begunWith || !now || !current || now === current) return undefined;
    return gatewayKey(current.gateway) === this.#askedBeside ? undefined : current.gateway;
  }

  /** The model that the user was told of last, while the gateway still does not list it. */
  get unlisted(): string | undefined {
    return this.#unlisted !== undefined && this.lacks(this.#unlisted) ? this.#unlisted : undefined;
  }

  /** A question is about to be asked: the chat belongs to this gateway from now on. */
  begin(): void {
    this.#begunWith ??= this.now?.gateway;
    this.#askedBeside = this.#connection.current && gatewayKey(this.#connection.current.gateway);
    this.#unlisted = undefined;
  }

  moveTo(gateway: Gateway): void {
    this.#begunWith = gateway;
    this.#unlisted = undefined;
  }

  /** Nothing was said that belongs to any gateway. */
  release(): void {
    this.#begunWith = undefined;
    this.#unlisted = undefined;
  }

  /** Whether the gateway's list, as far as there is one, is without this model. */
  lacks(model: string): boolean {
    return this.now !== undefined && lacksModel(this.now, model);
  }

  /** Whether the user has yet to hear that the gateway does not list this model; true once for each. */
  async mustTellUnlisted(model: string): Promise<boolean> {
    if (!this.now || !(await this.#unlistedModels.isNews(this.now, model))) return false;
    this.#unlisted = model;
    return true;
  }
}
