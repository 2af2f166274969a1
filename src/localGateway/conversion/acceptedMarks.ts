import { allowsLifetime, type CacheSupport } from '../../wire/apis/shared/promptCaching.ts';
import type { ReceivedPart, ReceivedRequest } from '../../wire/apis/shared/receivedRequest.ts';
import type { ContentRules } from '../../wire/apis/shared/requestForm.ts';
import type { CacheMark, CacheMember } from '../../wire/message.ts';
import type { ConversionNotes } from './conversionNotes.ts';

/**
 * Converts the cache marks that the upstream accepts to its form, and drops all other marks, because they only make
 * requests cheaper.
 */
export function keepAcceptedMarks(
  request: ReceivedRequest,
  { format, acceptsCacheMark, acceptsToolMarks }: ContentRules,
  support: CacheSupport,
  notes: ConversionNotes,
): ReceivedRequest {
  const keepsBreakpoints = request.isSameProvider === true && support.acceptsKey !== false;
  const acceptMark = (mark: CacheMark, canHaveMark: boolean | undefined): CacheMark | undefined => {
    const member = support.marks ?? (keepsBreakpoints ? findSameProviderMember(mark) : undefined);
    if (member && canHaveMark) return convertMark(mark, member, notes);
    notes.drop(mark.path ?? mark.member);
    return undefined;
  };
  const replaceMark = <Marked extends { readonly cacheMark?: CacheMark }>(
    marked: Marked,
    canHaveMark: boolean | undefined,
  ): Marked => {
    const { cacheMark, ...unmarked } = marked;
    const mark = cacheMark && acceptMark(cacheMark, canHaveMark);
    return cacheMark ? ({ ...unmarked, ...(mark && { cacheMark: mark }) } as Marked) : marked;
  };
  // OpenAI's tools have no mark.
  const marksTools = acceptsToolMarks === true && support.marks === 'cache_control';
  const { endMark, tools, ...settings } = request.settings;
  const marked: ReceivedRequest = {
    ...request,
    messages: request.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => replaceMark(part, acceptsCacheMark?.(part, message.role))),
    })),
    settings: {
      ...settings,
      ...(tools && { tools: { ...tools, value: tools.value.map((tool) => replaceMark(tool, marksTools)) } }),
    },
  };
  if (!endMark) return marked;
  if (format !== 'messages') return markLastPart(marked, acceptsCacheMark, endMark.value, acceptMark);
  const mark = acceptMark(endMark.value, true);
  return mark
    ? { ...marked, settings: { ...marked.settings, endMark: { ...endMark, value: mark } } }
    : marked;
}

/** Finds the form of a mark that both formats of the same provider share. Only OpenAI's formats share one. */
function findSameProviderMember({ member }: CacheMark): CacheMember | undefined {
  return member === 'prompt_cache_breakpoint' ? member : undefined;
}

function convertMark(mark: CacheMark, member: CacheMember, notes: ConversionNotes): CacheMark {
  const { ttl, path = mark.member } = mark;
  if (allowsLifetime(member, mark)) return { member, path, ...(ttl !== undefined && { ttl }) };
  notes.drop(`${path}.ttl`);
  return { member, path };
}

/** Marks the last part of the request, as the provider of the messages API does for a mark of the whole request. */
function markLastPart(
  request: ReceivedRequest,
  acceptsCacheMark: ContentRules['acceptsCacheMark'],
  mark: CacheMark,
  acceptMark: (mark: CacheMark, canHaveMark: boolean | undefined) => CacheMark | undefined,
): ReceivedRequest {
  const message = request.messages.at(-1);
  const part: ReceivedPart | undefined = message?.parts.at(-1);
  const canHaveMark = message && part && acceptsCacheMark?.(part, message.role);
  const cacheMark = acceptMark(mark, canHaveMark);
  if (!message || !part || !cacheMark) return request;
  const parts = message.parts.with(-1, { cacheMark, ...part });
  return { ...request, messages: request.messages.with(-1, { ...message, parts }) };
}
