import type { ResponsesRequest } from '../../../wire/apis/responses/request.ts';
import type { FinishReason, Usage } from '../../../wire/chatEvent.ts';
import { type ReplyFacts, secondsOf, textOf } from './replyForm.ts';
import { type ItemFacts, itemOf } from './responsesItems.ts';
import type { Finish, Section } from './sections.ts';

/** The response when all of it is written. */
export function finishedResponse(
  request: ResponsesRequest,
  facts: ItemFacts,
  sections: readonly Section[],
  { reason }: Finish,
) {
  const incomplete = incompleteReasons[reason];
  const usage = facts.usage();
  return {
    ...responseOf(request, facts),
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    output: sections.map((section) => itemOf(section, facts)),
    output_text: textOf(sections, 'text'),
    ...(usage && { usage: usageOf(usage) }),
  };
}

/** The response object before anything is written. */
export function responseOf(request: ResponsesRequest, { id, createdAt, model }: ReplyFacts) {
  return {
    id,
    object: 'response',
    access_programs: null,
    created_at: secondsOf(createdAt),
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model,
    output: [],
    output_text: '',
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    service_tier: 'default',
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    ...(request.user != null && { user: request.user }),
    metadata: request.metadata ?? {},
  };
}

/** Why a response is incomplete; absent for one that is complete. */
const incompleteReasons: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
};

function usageOf({
  inputTokens = 0,
  outputTokens = 0,
  totalTokens = inputTokens + outputTokens,
  cachedTokens = 0,
  cacheWriteTokens = 0,
  reasoningTokens = 0,
}: Usage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: totalTokens,
  };
}
