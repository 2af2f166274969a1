import type { Connection } from '../../connection/connection.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { type Gateway, gatewayKey } from '../../connection/gateways.ts';
import { lacksModel, UnlistedModels } from '../../models/unlistedModels.ts';

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
  #unlisted: readonly string[] = [];

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

  /** The models of the last warning, while the gateway still does not list them. */
  get unlisted(): readonly string[] {
    return this.#unlisted.filter((model) => this.lacks(model));
  }

  /** Binds the chat to its gateway. Called before each question. */
  begin(): void {
    this.#begunWith ??= this.now?.gateway;
    this.#askedBeside = this.#connection.current && gatewayKey(this.#connection.current.gateway);
    this.#unlisted = [];
  }

  moveTo(gateway: Gateway): void {
    this.#begunWith = gateway;
    this.#unlisted = [];
  }

  /** Whether a model list was read and does not contain this model. */
  lacks(model: string): boolean {
    return this.now !== undefined && lacksModel(this.now, model);
  }

  /** Whether to warn that the gateway does not list some of these models. True once for each model. */
  async mustTellUnlisted(models: readonly string[]): Promise<boolean> {
    const news: string[] = [];
    for (const model of models) {
      if (this.now && (await this.#unlistedModels.isNews(this.now, model))) news.push(model);
    }
    if (news.length > 0) this.#unlisted = news;
    return news.length > 0;
  }
}
