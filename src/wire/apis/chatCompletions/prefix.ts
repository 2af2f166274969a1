import { isObject } from '../../../base/json.ts';
import type { PrefixForm, PrefixQuestion } from '../apiFormat.ts';
import type { ChatCompletionsConversation } from './encode.ts';

/** Mistral's models know `prefix` of themselves; other providers refuse the field, or take it on other routes. */
const known = /(^|\/)(mistral|ministral|mixtral|codestral|devstral|pixtral)/i;

/** A message that is marked with `prefix`, as Mistral and LiteLLM have it. */
export const chatCompletionsPrefix: PrefixForm = {
  isTaken,
  mark: (encoded) => withPrefix(encoded as ChatCompletionsConversation),
};

/** No model goes on with a reply while it thinks. */
function isTaken({ model, told, parameters }: PrefixQuestion): boolean {
  const { reasoning_effort: effort, thinking, reasoning } = parameters;
  const thinks = (effort != null && effort !== 'none') || isObject(thinking) || isObject(reasoning);
  return !thinks && (told ?? known.test(model));
}

/** Providers behind this format refuse white space at the end. */
function withPrefix({ messages }: ChatCompletionsConversation): ChatCompletionsConversation {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return { messages };
  const { content } = last;
  const text =
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  return { messages: messages.with(-1, { ...last, content: text.trimEnd(), prefix: true }) };
}
