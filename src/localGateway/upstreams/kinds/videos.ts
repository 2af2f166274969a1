import { videosAt } from '../formatEndpoints.ts';
import { plainList } from '../modelLists.ts';
import { addressBefore, addressField, bearer, httpKind } from '../upstreamKind.ts';

const version = '/v1';

/** Video jobs alone. */
export const videosKind = httpKind(
  'videos',
  { baseUrl: addressField('The address before /v1/videos, such as https://api.openai.com.') },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/v1$/),
    texts: () => ({}),
    tasks: { videos: videosAt(version) },
    models: plainList(`${version}/models`),
    credential: bearer,
  }),
);
