import { allowsLifetime } from '../../wire/apis/shared/cacheMarks.ts';
import type { CacheSupport } from '../../wire/apis/shared/promptCaching.ts';
import type { ReceivedPart, ReceivedRequest } from '../../wire/apis/shared/receivedRequest.ts';
import type { ContentRules } from '../../wire/apis/shared/requestForm.ts';
import type { CacheMark, CacheMember } from '../../wire/message.ts';
import type { ConversionNotes } from './conversionNotes.ts';

/**
 * The request with the cache marks that the upstream accepts, in its form. All other marks are reported as dropped:
 * they only make requests cheaper.
 */
export function withAcceptedMarks(
  request: ReceivedRequest,
  { format, takesCacheMark, takesToolMarks }: ContentRules,
  support: CacheSupport,
  notes: ConversionNotes,
): ReceivedRequest {
  const keepsBreakpoints = request.isSameProvider === true && support.key !== false;
  const accepted = (mark: CacheMark, isPlaced: boolean | undefined): CacheMark | undefined => {
    const member = support.marks ?? (keepsBreakpoints ? sameProviderMember(mark) : undefined);
    if (member && isPlaced) return inForm(mark, member, notes);
    notes.drop(mark.path ?? mark.member);
    return undefined;
  };
  const withMark = <Marked extends { readonly cacheMark?: CacheMark }>(
    marked: Marked,
    isPlaced: boolean | undefined,
  ): Marked => {
    const { cacheMark, ...unmarked } = marked;
    const mark = cacheMark && accepted(cacheMark, isPlaced);
    return cacheMark ? ({ ...unmarked, ...(mark && { cacheMark: mark }) } as Marked) : marked;
  };
  // OpenAI's tools have no mark.
  const marksTools = takesToolMarks === true && support.marks === 'cache_control';
  const { endMark, tools, ...settings } = request.settings;
  const marked: ReceivedRequest = {
    ...request,
    messages: request.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => withMark(part, takesCacheMark?.(part, message.role))),
    })),
    settings: {
      ...settings,
      ...(tools && { tools: { ...tools, value: tools.value.map((tool) => withMark(tool, marksTools)) } }),
    },
  };
  if (!endMark) return marked;
  if (format !== 'messages') return withLastMark(marked, takesCacheMark, endMark.value, accepted);
  const mark = accepted(endMark.value, true);
  return mark
    ? { ...marked, settings: { ...marked.settings, endMark: { ...endMark, value: mark } } }
    : marked;
}

/** Only OpenAI's own formats share its form of marks, on any server. */
function sameProviderMember({ member }: CacheMark): CacheMember | undefined {
  return member === 'prompt_cache_breakpoint' ? member : undefined;
}

function inForm(mark: CacheMark, member: CacheMember, notes: ConversionNotes): CacheMark {
  const { ttl, path = mark.member } = mark;
  if (allowsLifetime(member, mark)) return { member, path, ...(ttl !== undefined && { ttl }) };
  notes.drop(`${path}.ttl`);
  return { member, path };
}

/** Marks the last part of the request, as the provider of messages does by itself. */
function withLastMark(
  request: ReceivedRequest,
  takesCacheMark: ContentRules['takesCacheMark'],
  mark: CacheMark,
  accepted: (mark: CacheMark, isPlaced: boolean | undefined) => CacheMark | undefined,
): ReceivedRequest {
  const message = request.messages.at(-1);
  const part: ReceivedPart | undefined = message?.parts.at(-1);
  const isPlaced = message && part && takesCacheMark?.(part, message.role);
  const cacheMark = accepted(mark, isPlaced);
  if (!message || !part || !cacheMark) return request;
  const parts = message.parts.with(-1, { cacheMark, ...part });
  return { ...request, messages: request.messages.with(-1, { ...message, parts }) };
}
