import type { HeaderChoice, HeaderNames } from '../../headerNames.ts';
import type { Encoded, ForeignMessage } from '../../message.ts';
import type { Route } from '../../routes.ts';
import type { FormatDecoder } from '../../stream/decodedReply.ts';
import type { VerbatimRecorder } from '../../stream/verbatimRecorder.ts';
import type { ErrorFormat } from './errorFormat.ts';
import type { CommonFields } from './requestSettings.ts';

/** The destination of a request, with the caller's options. */
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

/** The facts that determine whether a model continues a reply that ends the conversation. */
export interface PrefixContext {
  readonly model: string;
  /** Whether the gateway reports that the model supports it. */
  readonly acceptsPrefix: boolean | undefined;
  /** Fields of the request besides the conversation. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** How a request ends with a reply that the model should continue. */
interface PrefixForm {
  /** Whether a model continues the reply, as far as is known. */
  isSupported(context: PrefixContext): boolean;
  /** Adds the fields that providers require in such a conversation. */
  mark(encoded: object): object;
}

/**
 * Describes one API format for the client and the local gateway. `textFormats.ts` lists these objects. It loads the
 * schemas of requests only when they are needed, because loading them takes longer than loading everything else.
 */
export interface ApiFormat {
  readonly id: string;
  /** The display name, with the owner of the API. */
  readonly label: string;
  /** A display name of one word. */
  readonly shortLabel: string;
  /** The route for a conversation. */
  readonly route: Route;
  /** All routes for requests of this format. */
  readonly routes: readonly Route[];
  /** Whether the path contains the model instead of the body. */
  readonly isModelInPath: boolean;
  /** Fields of the conversation, which a form of parameters omits. */
  readonly ownFields: readonly string[];
  /** How the format writes the parameters that several formats share. */
  readonly common: CommonFields;
  /** Values for fields that are not set. */
  defaults(model: string): Readonly<Record<string, unknown>>;
  /** The lowest allowed output limit, in tokens; 1 if absent. */
  readonly minOutputLimit?: number;
  /** Whether a reply that is not streamed may take as long as making a video. */
  readonly isSlow?: boolean;
  /** How to continue a reply that ends the conversation; absent if the format does not support it. */
  readonly prefix?: PrefixForm;
  /** Encodes a conversation as fields of a request. */
  encode(messages: readonly ForeignMessage[]): Encoded<object>;
  /**
   * @param parse parses an event or a whole reply, for formats whose calls have JSON values as arguments; returns
   * undefined if the text is not JSON
   */
  createDecoder(parse?: (json: string) => unknown): FormatDecoder;
  /** Creates a recorder of a reply, so that it can be sent back unchanged. */
  createRecorder(): VerbatimRecorder;
  /** Adds the headers and path that depend on the request. */
  prepare?(request: object, destination: Destination): PreparedRequest;
  readonly error: ErrorFormat;
}
