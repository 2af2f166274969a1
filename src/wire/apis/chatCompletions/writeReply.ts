import type { FinishReason, Usage } from '../../chatEvent.ts';
import type { Section, SectionCitation, SectionHead, SectionStep } from '../../stream/sections.ts';
import { eventStreamType, writeServerSentEvent } from '../../stream/sse.ts';
import { CustomInputReader, readCustomInput } from '../shared/customTools.ts';
import { toUnixSeconds } from '../shared/messageParts.ts';
import { joinSections, type ReplyFacts, type ReplyForm, type StreamWriter } from '../shared/replyForm.ts';
import { writeCacheLifetimes } from '../shared/usageCounts.ts';
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
export function createChatCompletionsReplies(
  includesUsage: boolean,
  customTools: ReadonlySet<string>,
): ReplyForm {
  return {
    signsCalls: true,
    writeBody: (facts, choices) => {
      const usage = facts.usage();
      return {
        ...writeHead(facts),
        object: 'chat.completion',
        choices: choices.map(({ sections, finish }, index) => ({
          index,
          message: writeMessage(sections, customTools),
          finish_reason: finishWords[finish.reason],
          logprobs: null,
        })),
        ...(usage && { usage: writeUsage(usage) }),
      } satisfies ChatCompletion;
    },
    createWriter: (facts, choices) => createStreamWriter(facts, choices, includesUsage, customTools),
  };
}

function createStreamWriter(
  facts: ReplyFacts,
  choices: number,
  includesUsage: boolean,
  customTools: ReadonlySet<string>,
): StreamWriter {
  const inputs = new Map<Section, CustomInputReader>();
  const head = writeHead(facts);
  const writeEvent = (chunk: Pick<ChatCompletionChunk, 'choices' | 'usage'>) =>
    writeServerSentEvent({
      ...head,
      object: 'chat.completion.chunk',
      ...chunk,
    } satisfies ChatCompletionChunk);
  const writeChunk = (
    index: number,
    delta: ChatCompletionDelta,
    finish_reason: ChatCompletionsFinishReason | null = null,
  ) => writeEvent({ choices: [{ index, delta, finish_reason }], ...(includesUsage && { usage: null }) });
  return {
    contentType: eventStreamType,
    open() {
      const indices = Array.from({ length: choices }, (_, index) => index);
      return indices.map((index) => writeChunk(index, { role: 'assistant', content: '' })).join('');
    },
    writeStep(step, choice) {
      const { head } = step.section;
      const isCustom = head.kind === 'call' && customTools.has(head.name);
      const delta = isCustom ? writeCustomDelta(head, step, inputs) : writeDelta(step);
      return delta ? writeChunk(choice, delta) : '';
    },
    end(finishes) {
      const ends = finishes.map(({ reason }, index) => writeChunk(index, {}, finishWords[reason])).join('');
      const usage = includesUsage ? facts.usage() : undefined;
      const counts = usage ? writeEvent({ choices: [], usage: writeUsage(usage) }) : '';
      return `${ends}${counts}data: [DONE]\n\n`;
    },
    fail: (error) => writeServerSentEvent(chatCompletions.error.body(error)),
  };
}

function writeDelta(step: SectionStep): ChatCompletionDelta | undefined {
  if (step.type === 'cite') return { annotations: [writeAnnotation(step.citation)] };
  const { section } = step;
  const { head } = section;
  switch (head.kind) {
    case 'media':
    case 'link':
      return step.type === 'open' ? { images: [writeImage(head)] } : undefined;
    case 'call':
      return writeCallDelta(head, step);
    default:
      return step.type === 'add' ? { [textMembers[head.kind]]: step.text } : undefined;
  }
}

const textMembers = { text: 'content', reasoning: 'reasoning_content', refusal: 'refusal' } as const;

type CallHead = Extract<SectionHead, { kind: 'call' }>;

/** AI SDK requires `function` in every fragment of a call, and reads the signature in the first fragment only. */
function writeCallDelta(
  { id, name, position: index }: CallHead,
  step: SectionStep,
): ChatCompletionDelta | undefined {
  switch (step.type) {
    case 'open': {
      const call = { index, id, type: 'function', function: { name, arguments: '' } } as const;
      return { tool_calls: [{ ...call, ...writeSignature(step.section) }] };
    }
    case 'add':
      return { tool_calls: [{ index, function: { arguments: step.text } }] };
    case 'close':
      return step.section.isSignedLate
        ? { tool_calls: [{ index, function: { arguments: '' }, ...writeSignature(step.section) }] }
        : undefined;
    case 'cite':
      return undefined;
  }
}

/** The member for the signature of a call, as defined by Google, the only provider that signs calls. */
function writeSignature({ signature }: Section): object {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** Like `writeCallDelta`, for a custom tool. */
function writeCustomDelta(
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
      return { tool_calls: [{ ...call, ...writeSignature(section) }] };
    }
    case 'add': {
      const input = reader.add(step.text);
      return input === '' ? undefined : { tool_calls: [{ index, custom: { input } }] };
    }
    case 'close': {
      const input = reader.end(section.text);
      const { isSignedLate } = section;
      if (input === '' && !isSignedLate) return undefined;
      return { tool_calls: [{ index, custom: { input }, ...(isSignedLate && writeSignature(section)) }] };
    }
    case 'cite':
      return undefined;
  }
}

function writeMessage(
  sections: readonly Section[],
  customTools: ReadonlySet<string>,
): ChatCompletion['choices'][number]['message'] {
  const content = joinSections(sections, 'text');
  const reasoning = joinSections(sections, 'reasoning');
  const refusal = joinSections(sections, 'refusal');
  const images = sections.flatMap(({ head }) =>
    head.kind === 'media' || head.kind === 'link' ? [writeImage(head)] : [],
  );
  const annotations = sections.flatMap(({ citations }) => citations.map(writeAnnotation));
  const calls = sections.flatMap((section) => writeCall(section, customTools));
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

function writeCall(
  section: Section,
  customTools: ReadonlySet<string>,
): readonly (ChatCompletionsToolCall | ChatCompletionsCustomCall)[] {
  const { head, text } = section;
  if (head.kind !== 'call') return [];
  const { id, name } = head;
  const signature = writeSignature(section);
  return customTools.has(name)
    ? [{ id, type: 'custom', custom: { name, input: readCustomInput(text) }, ...signature }]
    : [{ id, type: 'function', function: { name, arguments: text }, ...signature }];
}

/** Only the position of a source is known, not the cited words. */
function writeAnnotation({ url, title = url, at }: SectionCitation): ChatCompletionsAnnotation {
  return { type: 'url_citation', url_citation: { url, title, start_index: at, end_index: at } };
}

/** The format does not define pictures in replies. Gateways send them in this form. */
function writeImage(head: Extract<SectionHead, { kind: 'media' | 'link' }>): ChatCompletionsImage {
  const url = head.kind === 'link' ? head.url : `data:${head.mimeType};base64,${head.data}`;
  return { type: 'image_url', image_url: { url }, index: 0 };
}

/** The members that all chunks of a reply share. */
function writeHead({ id, createdAt, model }: ReplyFacts) {
  return { id, created: toUnixSeconds(createdAt.getTime()), model };
}

const finishWords: Readonly<Record<FinishReason, ChatCompletionsFinishReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  error: 'stop',
  other: 'stop',
};

function writeUsage({
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
    // LiteLLM's name.
    ...(cacheHourTokens && {
      cache_creation_token_details: writeCacheLifetimes(cacheWriteTokens, cacheHourTokens),
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
