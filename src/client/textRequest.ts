import { isObject } from '../base/json.ts';
import { addOwnMarks, type CacheSupport, writeMark } from '../wire/apis/shared/promptCaching.ts';
import type { TextFormat } from '../wire/apis/textFormats.ts';
import type { Explanation } from '../wire/explanations/explanation.ts';
import type { Message } from '../wire/message.ts';

/** A request as it will be sent, without headers. The preview in the parameters sheet shows exactly this request. */
export interface TextRequest {
  readonly format: TextFormat;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The parts of the conversation that the format does not support. */
  readonly omitted: readonly Explanation[];
}

/** How a request uses the server's cache. */
export interface RequestCaching extends CacheSupport {
  /** A random id of the conversation. It is sent only if the server accepts it. */
  readonly conversation: string;
  /** Whether the conversation ends with this request, so that only its instructions are marked. */
  readonly isSingle?: boolean;
}

type RequestFields = Readonly<Record<string, unknown>>;

/**
 * Encodes a conversation as a streamed request of a format. If it ends with an assistant's message, the model
 * continues that message.
 *
 * @param parameters fields of the format's own request; the fields of the conversation override them
 * @param caching absent for a request that does not share its content with other requests
 */
export function createTextRequest(
  format: TextFormat,
  model: string,
  messages: readonly Message[],
  parameters: RequestFields,
  caching?: RequestCaching,
): TextRequest {
  const turnCount = caching?.isSingle ? 0 : 2;
  const marked = caching && addOwnMarks(messages, format.id, caching, countMarks(parameters), turnCount);
  const encoded = format.encode(marked?.messages ?? messages);
  const { omitted } = encoded;
  const isContinuation = messages.at(-1)?.role === 'assistant';
  const body = isContinuation && format.prefix ? format.prefix.mark(encoded.body) : encoded.body;
  return {
    format,
    model,
    body: {
      ...format.defaults(model),
      ...(caching?.acceptsKey && { prompt_cache_key: caching.conversation }),
      ...parameters,
      ...(marked?.marksTools && markLastTool(parameters, caching)),
      ...(!format.isModelInPath && { model }),
      ...body,
    },
    omitted,
  };
}

/** Counts the cache marks that the user set. */
function countMarks({ cache_control, tools }: RequestFields): number {
  const markableParts = [{ cache_control }, ...(Array.isArray(tools) ? tools : [])];
  return markableParts.filter((each) => isObject(each) && isObject(each.cache_control)).length;
}

/** Marks the last tool for the cache, unless the user marked one. */
function markLastTool({ tools }: RequestFields, { marks: member }: CacheSupport = {}): RequestFields {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const last = list.at(-1);
  if (!isObject(last) || !member || countMarks({ tools }) > 0) return {};
  return { tools: list.with(-1, { ...last, ...writeMark({ member }) }) };
}
