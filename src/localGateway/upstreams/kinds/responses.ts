import { responsesAt, storedResponsesAt } from '../formatEndpoints.ts';
import { plainList } from '../modelLists.ts';
import { addressBefore, addressField, bearer, httpKind } from '../upstreamKind.ts';

const version = '/v1';

const texts = { responses: responsesAt(version) };

/** Responses alone, in the background too. */
export const responsesKind = httpKind(
  'responses',
  { baseUrl: addressField('The address before /v1/responses, such as https://api.openai.com.') },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/v1$/),
    texts: () => texts,
    tasks: { responses: storedResponsesAt(version) },
    models: plainList(`${version}/models`),
    credential: bearer,
  }),
);
