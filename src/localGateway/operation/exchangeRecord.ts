/** What is told of a request when its response is over. Holds no secret, no text of a prompt and no address. */
export interface ExchangeRecord {
  /** When it began, in milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  /** The path of the route as the gateway names it, without values; of what was refused, why. */
  readonly route: string;
  readonly status: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** How long the first byte of the body took, in milliseconds; undefined where there was none. */
  readonly firstByteMs?: number;
  /** The bytes of the response's body. */
  readonly bytes: number;
  /** The model's id as the caller wrote it, where an upstream was found for it; of an alias, the model that was asked last. */
  readonly model?: string;
  readonly upstream?: string;
  /** The alias that the caller wrote. */
  readonly alias?: string;
  /** The models of the alias that were asked before, why they did not answer, and whether they may be billed. */
  readonly passedOver?: readonly string[];
  /** The name of the caller's credential; undefined for the user's own and for those without one. */
  readonly credential?: string;
  readonly requestId: string;
  /** Such as `messages->chat-completions`. */
  readonly conversion?: string;
  /** Whether the response ended before it was complete. */
  readonly isCut: boolean;
  readonly tokens?: ReportedTokens;
}

/** Tokens as a reply reports them. */
export interface ReportedTokens {
  readonly input?: number;
  readonly output?: number;
}
