import { allowsLifetime, type CacheSupport } from '../../wire/apis/shared/promptCaching.ts';
import type { ReceivedMessage, ReceivedRequest } from '../../wire/apis/shared/receivedRequest.ts';
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
  if (!endMark) {
    const [mark] = listMarks(request);
    // Without any mark, texts would have another form than in the turns before and after this one.
    if (!mark || listMarks(marked).length > 0) return marked;
    return markLastPart(marked, acceptsCacheMark, mark, acceptMark);
  }
  if (format !== 'messages') return markLastPart(marked, acceptsCacheMark, endMark.value, acceptMark);
  const mark = acceptMark(endMark.value, true);
  return mark
    ? { ...marked, settings: { ...marked.settings, endMark: { ...endMark, value: mark } } }
    : marked;
}

/** The marks of the conversation. */
function listMarks({ messages }: ReceivedRequest): readonly CacheMark[] {
  return messages.flatMap(({ parts }) => parts.flatMap(({ cacheMark }) => cacheMark ?? []));
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

/**
 * Marks the last part that can have a mark, as the provider of the messages API does for a mark of the whole request.
 */
function markLastPart(
  request: ReceivedRequest,
  acceptsCacheMark: ContentRules['acceptsCacheMark'],
  mark: CacheMark,
  acceptMark: (mark: CacheMark, canHaveMark: boolean | undefined) => CacheMark | undefined,
): ReceivedRequest {
  const findPart = ({ parts, role }: ReceivedMessage) =>
    parts.findLastIndex((part) => acceptsCacheMark?.(part, role));
  const index = request.messages.findLastIndex((message) => findPart(message) !== -1);
  const message = request.messages[index];
  const partIndex = message ? findPart(message) : -1;
  const part = message?.parts[partIndex];
  const cacheMark = acceptMark(mark, part !== undefined);
  if (!message || !part || !cacheMark) return request;
  const parts = message.parts.with(partIndex, { cacheMark, ...part });
  return { ...request, messages: request.messages.with(index, { ...message, parts }) };
}
