import { httpUpstream } from './httpUpstream.ts';
import type { UpstreamKind } from './upstreamKind.ts';

/** What speaks chat completions: the OpenAI API, and most model servers. */
export const openaiCompatibleKind: UpstreamKind = {
  kind: 'openai-compatible',
  fields: {},
  open: (config, key) =>
    httpUpstream(
      {
        format: 'chatCompletions',
        path: '/chat/completions',
        credential: (secret) => ({ authorization: `Bearer ${secret}` }),
      },
      config,
      key,
    ),
};
