import * as z from 'zod';
import { contentGenerationRequest } from '../../wire/apis/contentGeneration/request.ts';
import { messagesRequest } from '../../wire/apis/messages/request.ts';
import { responsesRequest } from '../../wire/apis/responses/request.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import type { Route } from '../../wire/routes.ts';
import { type CountingUpstream, countAtUpstream } from '../conversion/exchange/countAtUpstream.ts';
import { readBody } from '../http/readBody.ts';
import { modelField, modelId, readRequestBody } from '../http/requestBody.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { catalogueFor } from '../server/allowedModels.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { providerRoutes } from '../server/providerRoutes.ts';
import { cannotCount } from '../upstreams/unsupported.ts';
import type { CheckedRequest, Upstream } from '../upstreams/upstream.ts';

/** A member may hold the request, which is how instructions and tools are counted. */
const wrappedRequest = z.looseObject({ generateContentRequest: contentGenerationRequest.nullish() });

const messagesCount = messagesRequest.omit({ max_tokens: true });

/** How tokens are counted in one API format. */
interface TokenCounter {
  readonly route: Route;
  readonly format: TextFormatId;
  /** @throws {HttpError} 400 unless the body is a request of the format */
  read(request: GatewayRequest): Omit<CheckedRequest, 'format'>;
  answer(tokens: number): object;
}

/** The formats that have a route for counts. */
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
    answer: (tokens) => ({
      totalTokens: tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }],
    }),
  },
  {
    route: providerRoutes.countMessagesTokens,
    format: 'messages',
    read: ({ body }) => ({ body: { ...readBody(body, messagesCount), max_tokens: 1 } }),
    answer: (tokens) => ({ input_tokens: tokens }),
  },
  {
    route: providerRoutes.countResponsesTokens,
    format: 'responses',
    read: ({ body }) => ({ body: readBody(body, responsesRequest) }),
    answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
];

export function tokenCountRoutes(catalogue: Catalogue): readonly ServedRoute[] {
  return counters.map((counter) => ({
    route: counter.route,
    answer: (request) => count(catalogueFor(catalogue, request), counter, request),
  }));
}

/** Lets the upstream of the model count: over its own route for counts, or by itself. */
async function count(
  catalogue: Catalogue,
  { format, read, answer }: TokenCounter,
  request: GatewayRequest,
): Promise<Answer> {
  const { headers, rawQuery: query, id: requestId, signal } = request;
  const body = readRequestBody(request.body);
  const servedModel = textFormat(format).isModelInPath ? modelId(request.params.model) : modelField(body);
  const [{ upstream, model }] = (await catalogue.find(servedModel)).places;
  if (counts(upstream)) {
    const call = { request: { format }, body, headers, query, servedModel, model, requestId, signal };
    const callers = { request: () => read(request).body, answer };
    return { relayed: await countAtUpstream(upstream, call, callers) };
  }
  if (!upstream.countTokens) throw cannotCount(upstream.name, servedModel);
  const question = { request: { format, ...read(request) }, servedModel, model };
  const { tokens, note } = upstream.countTokens(question);
  return { json: { ...answer(tokens), ...(note !== undefined && { note }) } };
}

function counts(upstream: Upstream): upstream is Upstream & CountingUpstream {
  return upstream.sendCount !== undefined && upstream.countFormatsOf !== undefined;
}
