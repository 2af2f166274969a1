import * as z from 'zod';
import { contentGenerationRequest } from '../../wire/apis/contentGeneration/schema.ts';
import { messagesRequest } from '../../wire/apis/messages/schema.ts';
import { responsesRequest } from '../../wire/apis/responses/schema.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import type { Route } from '../../wire/routes.ts';
import { type CountingUpstream, countAtUpstream } from '../conversion/countAtUpstream.ts';
import { normalizeModelId, readBody, readModelField, readRequestBody } from '../http/requestBody.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { limitCatalogue } from '../server/allowedModels.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from '../server/routeHandler.ts';
import { providerRoutes } from '../server/servedRoutes.ts';
import type { CheckedRequest, Upstream } from '../upstreams/upstream.ts';
import { cannotCountError } from '../upstreams/upstreamFailure.ts';

/** A body that may contain a nested request. The provider counts instructions and tools only in a nested request. */
const wrappedRequest = z.looseObject({ generateContentRequest: contentGenerationRequest.nullish() });

const messagesCountRequest = messagesRequest.omit({ max_tokens: true });

/** The route for token counts of one API format. */
interface TokenCounter {
  readonly route: Route;
  readonly format: TextFormatId;
  /**
   * Reads the request whose tokens are counted.
   *
   * @throws {HttpError} 400 unless the body is a request of the format
   */
  read(request: GatewayRequest): Omit<CheckedRequest, 'format'>;
  writeReply(tokens: number): object;
}

const counters: readonly TokenCounter[] = [
  {
    route: providerRoutes.countGenerationTokens,
    format: 'contentGeneration',
    read({ body }) {
      const { generateContentRequest } = readBody(body, wrappedRequest);
      return {
        body: generateContentRequest ?? readBody(body, contentGenerationRequest),
        framing: 'whole',
      };
    },
    writeReply: (tokens) => ({
      totalTokens: tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }],
    }),
  },
  {
    route: providerRoutes.countMessagesTokens,
    format: 'messages',
    read: ({ body }) => ({ body: { ...readBody(body, messagesCountRequest), max_tokens: 1 } }),
    writeReply: (tokens) => ({ input_tokens: tokens }),
  },
  {
    route: providerRoutes.countResponsesTokens,
    format: 'responses',
    read: ({ body }) => ({ body: readBody(body, responsesRequest) }),
    writeReply: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
];

export function createTokenCountRoutes(catalogue: Catalogue): readonly ServedRoute[] {
  return counters.map((counter) => ({
    route: counter.route,
    handle: (request) => countTokens(limitCatalogue(catalogue, request), counter, request),
  }));
}

/** Lets the upstream of the model count the tokens: by its route for counts, or in the gateway. */
async function countTokens(
  catalogue: Catalogue,
  { format, read, writeReply }: TokenCounter,
  request: GatewayRequest,
): Promise<HandlerResponse> {
  const { headers, rawQuery: query, id: requestId, signal } = request;
  const body = readRequestBody(request.body);
  const servedModel = textFormat(format).isModelInPath
    ? normalizeModelId(request.params.model)
    : readModelField(body);
  const [{ upstream, model }] = (await catalogue.find(servedModel)).targets;
  if (isCountingUpstream(upstream)) {
    const call = { request: { format }, body, headers, query, servedModel, model, requestId, signal };
    const countRequest = { createRequest: () => read(request).body, writeReply };
    return { relayed: await countAtUpstream(upstream, call, countRequest) };
  }
  if (!upstream.countTokens) throw cannotCountError(upstream.name, servedModel);
  const checkedRequest = { format, ...read(request) };
  const { tokens, note } = upstream.countTokens({ request: checkedRequest, servedModel, model });
  return { json: { ...writeReply(tokens), ...(note !== undefined && { note }) } };
}

function isCountingUpstream(upstream: Upstream): upstream is Upstream & CountingUpstream {
  return upstream.sendCount !== undefined && upstream.listCountFormats !== undefined;
}
