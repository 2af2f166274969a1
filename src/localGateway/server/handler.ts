import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Route } from '../../wire/routes.ts';
import type { Access } from '../config/access.ts';
import type { Query } from '../http/query.ts';
import type { Pieces } from '../json/pieces.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';
import type { ExchangeNotes } from './exchangeNotes.ts';
import type { FurtherModel } from './furtherModels.ts';
import type { Params } from './routeTable.ts';

/** A request that the guard has admitted, with its whole body. */
export interface GatewayRequest {
  /** The caller's X-Request-Id, or a new id. */
  readonly id: string;
  /** The route with the path in the caller's spelling. */
  readonly route: Route;
  readonly params: Params;
  readonly query: Query;
  /** The query as it came, without its question mark. */
  readonly rawQuery: string;
  /** The caller's headers, which hold the credential in none but those meant for it. */
  readonly headers: IncomingHttpHeaders;
  /** What the caller may do. */
  readonly access: Access;
  /** The body as it arrived; none where there is none. */
  readonly pieces: Pieces;
  /** All of it in one piece, which costs memory for a long body. */
  readonly body: Uint8Array;
  /** The models that the body names besides its own, where the credential is limited to some. */
  readonly furtherModels: readonly FurtherModel[];
  /** Aborted when the caller has left or the gateway ends, after which no answer is sent. */
  readonly signal: Cancellation;
  /** For logs and metrics. */
  readonly notes: ExchangeNotes;
}

interface AnswerHead {
  /** 200 where absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface JsonAnswer extends AnswerHead {
  readonly json: object;
}

interface BytesAnswer extends AnswerHead {
  readonly bytes: Uint8Array;
}

/** A reply that is passed on as it arrives. */
interface RelayedAnswer {
  readonly relayed: UpstreamReply;
}

/** The connection ends without an answer. */
interface CutAnswer {
  readonly cut: true;
}

export type Answer = JsonAnswer | BytesAnswer | RelayedAnswer | CutAnswer;

/** A route with what answers it, in all its spellings. */
export interface ServedRoute {
  readonly route: Route;
  /**
   * @throws {HttpError} for a refusal, which is told in the format of the route's group. Storage errors are told
   * as well; anything else is a bug.
   */
  answer(request: GatewayRequest): Answer | Promise<Answer>;
  /** The group in whose format errors are told, where the request decides it and not the route. */
  errorGroup?(request: GatewayRequest): string;
}
