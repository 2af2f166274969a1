import type { Connection } from '../../connection/connection.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { buildGatewayKey, type Gateway } from '../../connection/gateways.ts';
import { lacksModel, UnlistedModels } from '../../models/unlistedModels.ts';

/**
 * The gateway of a chat. Before the first question, the chat uses the window's gateway. The first question binds the
 * chat to its gateway, because each question sends the whole conversation.
 */
export class ChatGateway {
  readonly #windowConnection: Connection;
  readonly #unlistedModels = new UnlistedModels();
  #boundGateway: Gateway | undefined;
  /** The key of the window's gateway when the last question was sent. */
  #windowGatewayKey: string | undefined;
  #warnedModels: readonly string[] = [];

  constructor(connection: Connection) {
    this.#windowConnection = connection;
  }

  /** The connection to the chat's gateway; undefined if no gateway is connected yet, or if the gateway was removed. */
  get connection(): GatewayConnection | undefined {
    return this.#boundGateway
      ? this.#windowConnection.find(this.#boundGateway)
      : this.#windowConnection.current;
  }

  /** The gateway that the chat is bound to; undefined before the first question. */
  get boundGateway(): Gateway | undefined {
    return this.#boundGateway;
  }

  /**
   * The window's gateway, if the user switched to it after the last question and this chat still uses its own
   * gateway.
   */
  get newWindowGateway(): Gateway | undefined {
    const { connection } = this;
    const { current } = this.#windowConnection;
    if (!this.#boundGateway || !connection || !current || connection === current) return undefined;
    return buildGatewayKey(current.gateway) === this.#windowGatewayKey ? undefined : current.gateway;
  }

  /** The models of the last warning, without models that the gateway lists by now. */
  get unlistedModels(): readonly string[] {
    return this.#warnedModels.filter((model) => this.isUnlisted(model));
  }

  /** Binds the chat to its current gateway. Call it before each question. */
  bind(): void {
    this.#boundGateway ??= this.connection?.gateway;
    this.#windowGatewayKey =
      this.#windowConnection.current && buildGatewayKey(this.#windowConnection.current.gateway);
    this.#warnedModels = [];
  }

  /** Binds the chat to another gateway. */
  moveTo(gateway: Gateway): void {
    this.#boundGateway = gateway;
    this.#warnedModels = [];
  }

  /** Whether the gateway's model list was read and does not contain this model. */
  isUnlisted(model: string): boolean {
    return this.connection !== undefined && lacksModel(this.connection, model);
  }

  /** Whether to warn that the gateway does not list some of these models. The user is warned once about each model. */
  async shouldWarnUnlisted(models: readonly string[]): Promise<boolean> {
    const newModels: string[] = [];
    for (const model of models) {
      if (this.connection && (await this.#unlistedModels.shouldWarn(this.connection, model)))
        newModels.push(model);
    }
    if (newModels.length > 0) this.#warnedModels = newModels;
    return newModels.length > 0;
  }
}
