import type { HeaderChoice, HeaderNames } from '../headerNames.ts';
import type { Encoded, Message } from '../message.ts';
import type { Route } from '../routes.ts';
import type { ShapeReader } from '../stream/replyDecoder.ts';
import type { ErrorForm } from './errorForm.ts';

/** Reads one reply, and knows more of it than the decoder that feeds it. */
export interface FormatDecoder extends ShapeReader {
  /** The gateway goes on writing the reply in the background. */
  readonly pending?: boolean;
}

/** Where a request goes, and what its caller says about it. */
export interface Destination {
  /** The path that this gateway has the route at. */
  readonly path: string;
  /** How this gateway spells the headers that providers name after themselves. */
  readonly headers?: HeaderChoice | undefined;
  /** Beta features to turn on, by their names. */
  readonly betas?: readonly string[] | undefined;
}

/** A request as it leaves: its body, and what goes along with it. */
export interface PreparedRequest {
  readonly body: object;
  readonly params?: Readonly<Record<string, string>>;
  readonly vendorHeaders?: Partial<HeaderNames>;
}

/**
 * What one API format is, for both sides of the wire. Whatever lists formats loops over these objects, in
 * `textFormats.ts`; the schema of requests is there as well, because loading it costs more than all the rest.
 */
export interface ApiFormat {
  readonly id: string;
  /** The name as people read it, in English. */
  readonly label: string;
  /** The route by which a conversation is sent. */
  readonly route: Route;
  /** All routes that take a request of this format, that one included. */
  readonly routes: readonly Route[];
  /** Whether the path names the model, and the body does not. */
  readonly isModelInPath: boolean;
  /** Fields that are filled in with the conversation: a form of parameters leaves them out. */
  readonly ownFields: readonly string[];
  /** Fields that are sent where nothing else was set. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** A reply that is not streamed may be as long in coming as a video takes to make. */
  readonly isSlow?: boolean;
  /** Puts a conversation into the fields of a request. */
  encode(messages: readonly Message[]): Encoded<object>;
  /** Reads the conversation of a request, which keeps to the schema. */
  decode(request: object): readonly Message[];
  createDecoder(): FormatDecoder;
  /** What goes along with a request, where that is more than the body. */
  prepare?(request: object, destination: Destination): PreparedRequest;
  readonly error: ErrorForm;
}
