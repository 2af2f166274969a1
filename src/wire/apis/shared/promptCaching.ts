import type { CacheMember } from '../../message.ts';

/** The fields for prompt caching that a server accepts in requests of one format. */
export interface CacheSupport {
  /** The form of marks; absent if the server accepts none. */
  readonly marks?: CacheMember;
  /** Whether the server accepts `prompt_cache_key`; absent if it is unknown. */
  readonly key?: boolean;
}

/** The server that gets a request. */
interface CachingServer {
  readonly host: string;
  readonly model: string;
  /** The user's choice for the server; absent if only known facts count. */
  readonly promptCaching?: boolean | undefined;
}

interface KnownServer {
  readonly host: RegExp;
  readonly marks?: CacheMember;
  /** The formats whose requests may contain `prompt_cache_key`; empty if it is refused. */
  readonly keyFormats?: readonly string[];
}

/**
 * Servers whose documentation or whose refusals show which fields they accept. Most others refuse unknown fields
 * with 400.
 */
const knownServers: readonly KnownServer[] = [
  { host: /^api\.openai\.com$/, keyFormats: ['chatCompletions', 'responses'] },
  { host: /(^|\.)openrouter\.ai$/, marks: 'cache_control', keyFormats: ['chatCompletions', 'responses'] },
  // Alibaba's explicit cache.
  { host: /(^|\.)aliyuncs\.com$/, marks: 'cache_control' },
  { host: /^api\.mistral\.ai$/, keyFormats: ['chatCompletions'] },
  { host: /^api\.moonshot\.(ai|cn)$/, keyFormats: ['chatCompletions'] },
  // Chat completions have a header instead.
  { host: /^api\.x\.ai$/, keyFormats: ['responses'] },
  { host: /(^|\.)googleapis\.com$/, keyFormats: [] },
];

/** OpenAI's models that accept marks. Earlier models refuse them. */
const markedModel = /(^|\/)gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/;

/** The fields for prompt caching that a server accepts in requests of a format. */
export function findCacheSupport(
  format: string,
  { host, model, promptCaching }: CachingServer,
): CacheSupport {
  if (promptCaching === false) return { key: false };
  const known = knownServers.find((server) => server.host.test(host));
  const key = promptCaching ?? known?.keyFormats?.includes(format);
  const marks = findMarks(format, known, promptCaching === true, model);
  return { ...(marks && { marks }), ...(key !== undefined && { key }) };
}

function findMarks(
  format: string,
  known: KnownServer | undefined,
  isAllowed: boolean,
  model: string,
): CacheMember | undefined {
  if (format === 'messages') return 'cache_control';
  if (format !== 'chatCompletions' && format !== 'responses') return undefined;
  if (known === knownServers[0]) return markedModel.test(model) ? 'prompt_cache_breakpoint' : undefined;
  if (format === 'responses') return undefined;
  return known?.marks ?? (isAllowed ? 'cache_control' : undefined);
}
