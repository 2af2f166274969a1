import * as z from 'zod';
import { contentGenerationRequest } from '../../wire/apis/contentGeneration/request.ts';
import { messagesRequest } from '../../wire/apis/messages/request.ts';
import { responsesRequest } from '../../wire/apis/responses/request.ts';
import type { Route } from '../../wire/routes.ts';
import type { Catalogue } from '../catalogue.ts';
import { catalogueFor } from '../config/allowedModels.ts';
import { invalidRequest } from '../httpError.ts';
import { providerRoutes } from '../providerRoutes.ts';
import { readBody } from '../readBody.ts';
import type { GatewayRequest, ServedRoute } from '../server/handler.ts';
import type { TokenCount, TokenQuestion } from '../upstreams/upstream.ts';
import { modelId } from './modelId.ts';

/** A member may hold the request, which is how instructions and tools are counted. */
const wrappedRequest = z.looseObject({ generateContentRequest: contentGenerationRequest.nullish() });

type CountRequest = Omit<TokenQuestion, 'model'>;

const messagesCount = messagesRequest.omit({ max_tokens: true });

/** How tokens are counted in one API format. */
interface TokenCounter {
  readonly route: Route;
  /** @throws {HttpError} 400 unless the body is a request of the format */
  read(request: GatewayRequest): CountRequest;
  answer(tokens: number): object;
}

/** The formats that have a route for counts. */
const counters: readonly TokenCounter[] = [
  {
    route: providerRoutes.countGenerationTokens,
    read({ params, body }) {
      const { generateContentRequest } = readBody(body, wrappedRequest);
      const request = generateContentRequest ?? readBody(body, contentGenerationRequest);
      return {
        servedModel: modelId(params.model),
        request: { format: 'contentGeneration', body: request, framing: 'whole' },
      };
    },
    answer: (tokens) => ({
      totalTokens: tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }],
    }),
  },
  {
    route: providerRoutes.countMessagesTokens,
    read(request) {
      const body = { ...readBody(request.body, messagesCount), max_tokens: 1 };
      return { servedModel: body.model, request: { format: 'messages', body } };
    },
    answer: (tokens) => ({ input_tokens: tokens }),
  },
  {
    route: providerRoutes.countResponsesTokens,
    read(request) {
      const body = readBody(request.body, responsesRequest);
      return { servedModel: body.model, request: { format: 'responses', body } };
    },
    answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
];

export function tokenCountRoutes(catalogue: Catalogue): readonly ServedRoute[] {
  return counters.map(({ route, read, answer }) => ({
    route,
    answer(request) {
      const { tokens, note } = count(catalogueFor(catalogue, request), read(request));
      return { json: { ...answer(tokens), ...(note !== undefined && { note }) } };
    },
  }));
}

function count(catalogue: Catalogue, { servedModel, request }: CountRequest): TokenCount {
  const { upstream, model } = catalogue.find(servedModel);
  if (upstream.countTokens) return upstream.countTokens({ request, servedModel, model });
  const message = `The tokens of "${servedModel.slice(0, 100)}" cannot be counted: upstream '${upstream.name}' has no route for it.`;
  throw invalidRequest(message, 'unsupported_operation', 'model');
}
