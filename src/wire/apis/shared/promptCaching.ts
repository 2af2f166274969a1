import type { JsonObject } from '../../../base/json.ts';
import type { CacheMark, CacheMember, ForeignMessage, ForeignPart } from '../../message.ts';

/** The fields for prompt caching that a server accepts in requests of one format. */
export interface CacheSupport {
  /** The form of marks; absent if the server accepts none. */
  readonly marks?: CacheMember;
  /** Whether the server accepts `prompt_cache_key`; absent if it is unknown. */
  readonly acceptsKey?: boolean;
}

/** The server that receives a request. */
interface CachingServer {
  readonly host: string;
  readonly model: string;
  /** The user's choice for the server; absent if there is none. */
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
  if (promptCaching === false) return { acceptsKey: false };
  const known = knownServers.find((server) => server.host.test(host));
  const acceptsKey = promptCaching ?? known?.keyFormats?.includes(format);
  const marks = findMarks(format, known, promptCaching === true, model);
  return { ...(marks && { marks }), ...(acceptsKey !== undefined && { acceptsKey }) };
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

/** The lifetimes that each form of marks allows. */
const lifetimes: Readonly<Record<CacheMember, readonly string[]>> = {
  cache_control: ['5m', '1h'],
  prompt_cache_breakpoint: ['30m', '12h'],
};

/** Whether a form of marks allows the lifetime of a mark. */
export function allowsLifetime(member: CacheMember, { ttl }: CacheMark): boolean {
  return ttl === undefined || lifetimes[member].includes(ttl);
}

/** The member of a part or a tool that contains its mark; no member without a mark. */
export function writeMark(mark: CacheMark | undefined): JsonObject {
  if (!mark) return {};
  const { member, ttl } = mark;
  const kind = member === 'cache_control' ? { type: 'ephemeral' } : { mode: 'explicit' };
  return { [member]: { ...kind, ...(ttl !== undefined && { ttl }) } };
}

/** Providers refuse a request with more marks. */
const maxMarks = 4;

/** The result of `addOwnMarks`. */
interface OwnMarks {
  readonly messages: readonly ForeignMessage[];
  /** Whether to mark the last tool. */
  readonly marksTools: boolean;
}

/**
 * Marks the last two turns of the user, so that each request can use the cache of the previous request. Also marks the
 * instructions and, if the format needs it, the tools. A conversation that already has marks is sent with these marks
 * instead.
 *
 * @param otherMarks the number of marks outside the conversation
 * @param turnCount the number of turns to mark: none in a conversation that does not continue
 */
export function addOwnMarks(
  messages: readonly ForeignMessage[],
  format: string,
  { marks: member }: CacheSupport,
  otherMarks = 0,
  turnCount = 2,
): OwnMarks {
  const room = maxMarks - otherMarks;
  if (!member || room <= 0) return { messages: removeMarks(messages), marksTools: false };
  const { length: existing } = messages.flatMap(({ parts }) => parts.filter(({ cacheMark }) => cacheMark));
  if (existing > 0 && existing <= room)
    return { messages: messages.map((message) => setMember(message, member)), marksTools: false };
  const isMarkable = (part: ForeignPart) => isMarkableIn(format, part);
  const hasMarkablePart = ({ parts }: ForeignMessage) => parts.some(isMarkable);
  const firstTurn = messages.findIndex(({ role }) => role !== 'system');
  const start = messages.slice(0, Math.max(firstTurn, 0)).findLastIndex(hasMarkablePart);
  const turns = messages.flatMap((message, index) =>
    message.role === 'user' && hasMarkablePart(message) ? [index] : [],
  );
  const newest = turnCount > 0 ? turns.slice(-turnCount).reverse() : [];
  const markedIndices = new Set([...newest, ...(start === -1 ? [] : [start])].slice(0, room));
  return {
    messages: removeMarks(messages).map((message, index) =>
      markedIndices.has(index)
        ? addMark(message, message.parts.findLastIndex(isMarkable), { member })
        : message,
    ),
    marksTools: format === 'messages' && markedIndices.size < room,
  };
}

function removeMarks(messages: readonly ForeignMessage[]): readonly ForeignMessage[] {
  return messages.map((message) => {
    if (!message.parts.some(({ cacheMark }) => cacheMark)) return message;
    return { ...message, parts: message.parts.map(({ cacheMark: _, ...part }) => part) };
  });
}

function setMember(message: ForeignMessage, member: CacheMember): ForeignMessage {
  const parts = message.parts.map((part) => (part.cacheMark ? { ...part, cacheMark: { member } } : part));
  return { ...message, parts };
}

function addMark(message: ForeignMessage, index: number, cacheMark: CacheMark): ForeignMessage {
  const part = message.parts[index];
  return part ? { ...message, parts: message.parts.with(index, { ...part, cacheMark }) } : message;
}

/** Other parts may be omitted from the request, and providers refuse a mark of an empty text. */
function isMarkableIn(format: string, part: ForeignPart): boolean {
  if (part.type === 'toolResult') return format !== 'chatCompletions' || part.text !== '';
  return part.type === 'text' && part.text.trim() !== '';
}
