import type { HeaderChoice, HeaderNames } from '../../headerNames.ts';
import type { Encoded, Message } from '../../message.ts';
import type { Route } from '../../routes.ts';
import type { FormatDecoder } from '../../stream/reply.ts';
import type { SaidRecorder } from '../../stream/saidRecorder.ts';
import type { ErrorFormat } from './errorFormat.ts';
import type { CommonFields } from './requestSettings.ts';

/** Where a request goes, with the caller's options. */
export interface Destination {
  /** The path of the route at this gateway. */
  readonly path: string;
  /** How this gateway spells the headers that providers name after themselves. */
  readonly headers?: HeaderChoice | undefined;
  /** Names of beta features to turn on. */
  readonly betas?: readonly string[] | undefined;
}

/** A request before it is sent: its body, and the headers and the path that depend on it. */
export interface PreparedRequest {
  readonly body: object;
  readonly params?: Readonly<Record<string, string>>;
  readonly vendorHeaders?: Partial<HeaderNames>;
}

/** What decides whether a model goes on with a reply that ends the conversation. */
export interface PrefixQuestion {
  readonly model: string;
  /** What the gateway tells of the model. */
  readonly told: boolean | undefined;
  /** Fields of the request besides the conversation. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** How a model is asked to go on with a reply, by a conversation that ends with it. */
export interface PrefixForm {
  /** Whether a model goes on with it, as far as is known. */
  isTaken(question: PrefixQuestion): boolean;
  /** The fields of such a conversation as providers require them. */
  mark(encoded: object): object;
}

/**
 * Describes one API format for both sides of the wire. Everything that lists formats loops over these objects
 * in `textFormats.ts`. Schemas of requests are loaded there, because loading them costs more than everything
 * else.
 */
export interface ApiFormat {
  readonly id: string;
  /** The name for people, with whose API it is. */
  readonly label: string;
  /** One word of it, for where there is no room. */
  readonly shortLabel: string;
  /** The route for a conversation. */
  readonly route: Route;
  /** All routes for requests of this format. */
  readonly routes: readonly Route[];
  /** Whether the path holds the model in place of the body. */
  readonly isModelInPath: boolean;
  /** Fields of the conversation, which a form of parameters leaves out. */
  readonly ownFields: readonly string[];
  /** How it takes the parameters that several formats share. */
  readonly common: CommonFields;
  /** Fields that are sent unless they are set. */
  defaults(model: string): Readonly<Record<string, unknown>>;
  /** The least that the output may be limited to, in tokens; 1 where absent. */
  readonly minOutputLimit?: number;
  /** Whether a reply that is not streamed may take as long as making a video. */
  readonly isSlow?: boolean;
  /** How a reply that ends the conversation is gone on with; absent where the format has no such thing. */
  readonly prefix?: PrefixForm;
  /** Encodes a conversation as fields of a request. */
  encode(messages: readonly Message[]): Encoded<object>;
  /**
   * @param parse reads an event or a whole reply where calls hold their arguments as JSON values; undefined when it
   * is no JSON
   */
  createDecoder(parse?: (json: string) => unknown): FormatDecoder;
  /** Creates what gathers a reply so that it can go back unchanged. */
  createRecorder(): SaidRecorder;
  /** Adds what a request needs beside its body. */
  prepare?(request: object, destination: Destination): PreparedRequest;
  readonly error: ErrorFormat;
}
