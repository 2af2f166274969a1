import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Route } from '../../wire/routes.ts';
import type { CredentialAccess } from '../config/gatewayCredentials.ts';
import type { Query } from '../http/query.ts';
import type { BodyPieces } from '../json/bodyPieces.ts';
import type { RequestSpending, UpstreamReply } from '../upstreams/upstream.ts';
import type { ExchangeNotes } from './exchangeNotes.ts';
import type { FurtherModel } from './furtherModels.ts';
import type { Params } from './routeTable.ts';

/** An admitted request with its whole body. */
export interface GatewayRequest {
  /** The caller's X-Request-Id, or a new ID. */
  readonly id: string;
  /** The route, with the caller's spelling of the path. */
  readonly route: Route;
  readonly params: Params;
  readonly query: Query;
  /** The query as received, without its question mark. */
  readonly rawQuery: string;
  /** The caller's headers. Only the headers meant for the credential contain it. */
  readonly headers: IncomingHttpHeaders;
  /** The rights of the caller. */
  readonly access: CredentialAccess;
  /** The body as it arrived; empty without a body. */
  readonly pieces: BodyPieces;
  /** The whole body in one piece, which costs memory for a long body. */
  readonly body: Uint8Array;
  /** The models that the body names outside its member `model`, if the credential is limited to some models. */
  readonly furtherModels: readonly FurtherModel[];
  /** Aborted when the caller has disconnected or the gateway ends. No reply is sent afterwards. */
  readonly signal: Cancellation;
  /** Counts the requests to models against the spending limits. */
  readonly spending: RequestSpending;
  /** For logs and metrics. */
  readonly notes: ExchangeNotes;
}

interface ResponseHead {
  /** 200 if absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface JsonResponse extends ResponseHead {
  readonly json: object;
}

interface BytesResponse extends ResponseHead {
  readonly bytes: Uint8Array;
}

/** A reply that is passed on as it arrives. */
interface RelayedResponse {
  readonly relayed: UpstreamReply;
}

/** The connection ends without a reply. */
interface CutResponse {
  readonly cut: true;
}

export type HandlerResponse = JsonResponse | BytesResponse | RelayedResponse | CutResponse;

/** A route in all its spellings, with its handler. */
export interface ServedRoute {
  readonly route: Route;
  /**
   * @throws {HttpError} for a refusal, which is written in the error format of the route's group. Storage errors
   * are written in the same way; any other error is a bug.
   */
  handle(request: GatewayRequest): HandlerResponse | Promise<HandlerResponse>;
  /**
   * Finds the group that determines the format of errors, if the format depends on the request and not on the
   * route.
   */
  findErrorGroup?(request: GatewayRequest): string;
}
