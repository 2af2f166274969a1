import type { ForeignMessage, ForeignPart, ForeignResult } from '../../../../wire/message.ts';

/** The placeholder for the missing result of a call. */
const missingResult = 'The tool was not run.';

/**
 * Arranges the messages around tool calls as every provider requires: the results of a turn together in one
 * message right after it, one for each call, and no result without a call.
 */
export function arrangeToolTurns(messages: readonly ForeignMessage[]): readonly ForeignMessage[] {
  const arranged: ForeignMessage[] = [];
  for (const message of joinResults(messages)) {
    const calls = callsOf(arranged.at(-1));
    if (message.role === 'user') arranged.push(withResults(calls, message));
    else {
      if (calls.length > 0) arranged.push(withResults(calls, { role: 'user', parts: [] }));
      arranged.push(message);
    }
  }
  const calls = callsOf(arranged.at(-1));
  if (calls.length > 0) arranged.push(withResults(calls, { role: 'user', parts: [] }));
  return arranged;
}

type Call = Extract<ForeignPart, { type: 'toolCall' }>;

function callsOf(message: ForeignMessage | undefined): readonly Call[] {
  if (message?.role !== 'assistant') return [];
  return message.parts.filter((part): part is Call => part.type === 'toolCall');
}

/** Joins the results of a turn in one message, because hosts send each result as its own message. */
function joinResults(messages: readonly ForeignMessage[]): readonly ForeignMessage[] {
  const joined: ForeignMessage[] = [];
  let last: { readonly parts: ForeignPart[]; hasResult: boolean } | undefined;
  for (const message of messages) {
    if (message.role !== 'user') {
      joined.push(message);
      last = undefined;
      continue;
    }
    const hasResult = message.parts.some(isResult);
    if (last && (last.hasResult || hasResult)) {
      for (const part of message.parts) last.parts.push(part);
      last.hasResult = true;
    } else {
      last = { parts: [...message.parts], hasResult };
      joined.push({ role: 'user', parts: last.parts });
    }
  }
  return joined;
}

function isResult(part: ForeignPart): part is ForeignPart & ForeignResult {
  return part.type === 'toolResult';
}

/** The message with one result for each call at its beginning. */
function withResults(calls: readonly Call[], { role, parts }: ForeignMessage): ForeignMessage {
  const results = new Map(parts.filter(isResult).map((result) => [result.id, result]));
  const orderedResults = calls.map(
    ({ id, name }): ForeignPart => results.get(id) ?? { type: 'toolResult', id, name, text: missingResult },
  );
  const callIds = new Set(calls.map(({ id }) => id));
  const others = parts.flatMap((part) => {
    if (!isResult(part)) return [part];
    return callIds.has(part.id) ? [] : resultAsText(part);
  });
  return { role, parts: [...orderedResults, ...others] };
}

/** A result whose call is missing, as text. Hosts remove the beginning of long conversations. */
function resultAsText({ name, text, pictures = [] }: ForeignResult): readonly ForeignPart[] {
  const owner = name === '' ? 'an earlier tool call' : name;
  return [{ type: 'text', text: `Result of ${owner}:\n${text}` }, ...pictures];
}
