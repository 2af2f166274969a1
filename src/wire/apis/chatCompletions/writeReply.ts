import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Section, SectionCitation, SectionHead, SectionStep } from '../../stream/sections.ts';
import { eventStream, serverSentEvent } from '../../stream/sse.ts';
import { CustomInputReader, customInput } from '../shared/customTools.ts';
import { unixSeconds } from '../shared/messageParts.ts';
import { type ReplyFacts, type ReplyForm, type StreamWriter, sectionText } from '../shared/replyForm.ts';
import { cacheLifetimes } from '../shared/usageCounts.ts';
import { chatCompletions } from './format.ts';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionDelta,
  ChatCompletionsAnnotation,
  ChatCompletionsCustomCall,
  ChatCompletionsFinishReason,
  ChatCompletionsImage,
  ChatCompletionsToolCall,
  ChatCompletionsUsage,
} from './schema.ts';

/**
 * @param includesUsage whether a stream ends with the token counts
 * @param customTools the names of the custom tools
 */
export function chatCompletionsReplies(includesUsage: boolean, customTools: ReadonlySet<string>): ReplyForm {
  return {
    signsCalls: true,
    body: (facts, choices) => {
      const usage = facts.usage();
      return {
        ...headOf(facts),
        object: 'chat.completion',
        choices: choices.map(({ sections, finish }, index) => ({
          index,
          message: messageOf(sections, customTools),
          finish_reason: finishWords[finish.reason],
          logprobs: null,
        })),
        ...(usage && { usage: usageOf(usage) }),
      } satisfies ChatCompletion;
    },
    stream: (facts, choices) => streamWriter(facts, choices, includesUsage, customTools),
  };
}

function streamWriter(
  facts: ReplyFacts,
  choices: number,
  includesUsage: boolean,
  customTools: ReadonlySet<string>,
): StreamWriter {
  const inputs = new Map<Section, CustomInputReader>();
  const head = headOf(facts);
  const event = (chunk: Pick<ChatCompletionChunk, 'choices' | 'usage'>) =>
    serverSentEvent({ ...head, object: 'chat.completion.chunk', ...chunk } satisfies ChatCompletionChunk);
  const chunk = (
    index: number,
    delta: ChatCompletionDelta,
    finish_reason: ChatCompletionsFinishReason | null = null,
  ) => event({ choices: [{ index, delta, finish_reason }], ...(includesUsage && { usage: null }) });
  return {
    contentType: eventStream,
    opening() {
      const indices = Array.from({ length: choices }, (_, index) => index);
      return indices.map((index) => chunk(index, { role: 'assistant', content: '' })).join('');
    },
    step(step, choice) {
      const { head } = step.section;
      const isCustom = head.kind === 'call' && customTools.has(head.name);
      const delta = isCustom ? customDelta(head, step, inputs) : deltaOf(step);
      return delta ? chunk(choice, delta) : '';
    },
    ending(finishes) {
      const ends = finishes.map(({ reason }, index) => chunk(index, {}, finishWords[reason])).join('');
      const usage = includesUsage ? facts.usage() : undefined;
      const counts = usage ? event({ choices: [], usage: usageOf(usage) }) : '';
      return `${ends}${counts}data: [DONE]\n\n`;
    },
    failure: (error) => serverSentEvent(chatCompletions.error.body(error)),
  };
}

function deltaOf(step: SectionStep): ChatCompletionDelta | undefined {
  if (step.type === 'cite') return { annotations: [annotationOf(step.citation)] };
  const { section } = step;
  const { head } = section;
  switch (head.kind) {
    case 'media':
    case 'link':
      return step.type === 'open' ? { images: [imageOf(head)] } : undefined;
    case 'call':
      return callDelta(head, step);
    default:
      return step.type === 'add' ? { [textMembers[head.kind]]: step.text } : undefined;
  }
}

const textMembers = { text: 'content', reasoning: 'reasoning_content', refusal: 'refusal' } as const;

type CallHead = Extract<SectionHead, { kind: 'call' }>;

/** AI SDK requires `function` in every fragment of a call, and reads the signature in the first fragment only. */
function callDelta(
  { id, name, position: index }: CallHead,
  step: SectionStep,
): ChatCompletionDelta | undefined {
  switch (step.type) {
    case 'open': {
      const call = { index, id, type: 'function', function: { name, arguments: '' } } as const;
      return { tool_calls: [{ ...call, ...signatureMember(step.section) }] };
    }
    case 'add':
      return { tool_calls: [{ index, function: { arguments: step.text } }] };
    case 'close':
      return step.section.isSignedLate
        ? { tool_calls: [{ index, function: { arguments: '' }, ...signatureMember(step.section) }] }
        : undefined;
    case 'cite':
      return undefined;
  }
}

/** The member for the signature of a call, as defined by Google, the only provider that signs calls. */
function signatureMember({ signature }: Section): object {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** Like `callDelta`, for a custom tool. */
function customDelta(
  { id, name, position: index }: CallHead,
  step: SectionStep,
  inputs: Map<Section, CustomInputReader>,
): ChatCompletionDelta | undefined {
  const { section } = step;
  const reader = inputs.get(section) ?? new CustomInputReader();
  inputs.set(section, reader);
  switch (step.type) {
    case 'open': {
      const call = { index, id, type: 'custom', custom: { name, input: '' } } as const;
      return { tool_calls: [{ ...call, ...signatureMember(section) }] };
    }
    case 'add': {
      const input = reader.add(step.text);
      return input === '' ? undefined : { tool_calls: [{ index, custom: { input } }] };
    }
    case 'close': {
      const input = reader.end(section.text);
      const { isSignedLate } = section;
      if (input === '' && !isSignedLate) return undefined;
      return { tool_calls: [{ index, custom: { input }, ...(isSignedLate && signatureMember(section)) }] };
    }
    case 'cite':
      return undefined;
  }
}

function messageOf(
  sections: readonly Section[],
  customTools: ReadonlySet<string>,
): ChatCompletion['choices'][number]['message'] {
  const content = sectionText(sections, 'text');
  const reasoning = sectionText(sections, 'reasoning');
  const refusal = sectionText(sections, 'refusal');
  const images = sections.flatMap(({ head }) =>
    head.kind === 'media' || head.kind === 'link' ? [imageOf(head)] : [],
  );
  const annotations = sections.flatMap(({ citations }) => citations.map(annotationOf));
  const calls = sections.flatMap((section) => callOf(section, customTools));
  return {
    role: 'assistant',
    content: content === '' && (calls.length > 0 || refusal !== '') ? null : content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    refusal: refusal === '' ? null : refusal,
    ...(images.length > 0 && { images }),
    ...(annotations.length > 0 && { annotations }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function callOf(
  section: Section,
  customTools: ReadonlySet<string>,
): readonly (ChatCompletionsToolCall | ChatCompletionsCustomCall)[] {
  const { head, text } = section;
  if (head.kind !== 'call') return [];
  const { id, name } = head;
  const signature = signatureMember(section);
  return customTools.has(name)
    ? [{ id, type: 'custom', custom: { name, input: customInput(text) }, ...signature }]
    : [{ id, type: 'function', function: { name, arguments: text }, ...signature }];
}

/** Only the position of a source is known, not the cited words. */
function annotationOf({ url, title = url, at }: SectionCitation): ChatCompletionsAnnotation {
  return { type: 'url_citation', url_citation: { url, title, start_index: at, end_index: at } };
}

/** The format does not define pictures in replies. Gateways send them in this form. */
function imageOf(head: Extract<SectionHead, { kind: 'media' | 'link' }>): ChatCompletionsImage {
  const url = head.kind === 'link' ? head.url : `data:${head.mimeType};base64,${head.data}`;
  return { type: 'image_url', image_url: { url }, index: 0 };
}

/** The members that all chunks of a reply share. */
function headOf({ id, createdAt, model }: ReplyFacts) {
  return { id, created: unixSeconds(createdAt.getTime()), model };
}

const finishWords: Readonly<Record<FinishReason, ChatCompletionsFinishReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  error: 'stop',
  other: 'stop',
};

function usageOf({
  inputTokens = 0,
  outputTokens = 0,
  totalTokens = inputTokens + outputTokens,
  cachedTokens,
  cacheWriteTokens,
  cacheHourTokens,
  reasoningTokens,
}: Usage): ChatCompletionsUsage {
  const cache = {
    ...(cachedTokens && { cached_tokens: cachedTokens }),
    ...(cacheWriteTokens && { cache_write_tokens: cacheWriteTokens }),
    // The name of LiteLLM.
    ...(cacheHourTokens && {
      cache_creation_token_details: cacheLifetimes(cacheWriteTokens, cacheHourTokens),
    }),
  };
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    ...(Object.keys(cache).length > 0 && { prompt_tokens_details: cache }),
    ...(reasoningTokens && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
