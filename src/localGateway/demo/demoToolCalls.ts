import type { DemoConversation } from './demoConversation.ts';
import type { ToolOffer } from './demoRequest.ts';
import { createExample } from './schemaExample.ts';
import { tokenize } from './tokens.ts';

export interface DemoToolCall {
  readonly name: string;
  /** The tokens of the JSON text of the arguments. */
  readonly arguments: readonly string[];
}

const maxCalls = 8;
/** The length of the end of a question that can request tools, in UTF-16 units. */
const maxRequestLength = 400;

/**
 * Chooses the calls that a question requests by its words, or that the request requires. After results of tools
 * there are no more calls, so that a conversation ends.
 */
export function chooseCalls(
  { tools, isRequired, isParallel }: ToolOffer,
  conversation: DemoConversation,
): readonly DemoToolCall[] {
  const { question, toolResults } = conversation;
  const words = question.slice(-maxRequestLength);
  const [firstTool] = tools;
  const mentionedTools = tools.filter(({ name }) => mentions(words, name));
  const isRequested =
    isRequired ||
    requestsToolCall(words) ||
    (mentionedTools.length > 0 && /\b(call|use|invoke|run)\b/i.test(words));
  if (!firstTool || !isRequested || toolResults.length > 0) return [];
  const chosenTools =
    mentionedTools.length > 0
      ? mentionedTools
      : /\b(tools|functions|all|both|every)\b/i.test(words)
        ? tools
        : [firstTool];
  const times =
    readTimes(words) ?? (/\bparallel\b|同时|并行/iu.test(words) && chosenTools.length === 1 ? 2 : 1);
  const topics = readTopics(words);
  return Array.from({ length: times }, () => chosenTools)
    .flat()
    .slice(0, isParallel ? maxCalls : 1)
    .map(({ name, parameters = {} }, i) => ({
      name,
      arguments: tokenize(
        JSON.stringify(createExample(parameters, topics[i % topics.length] ?? 'demo') ?? {}),
      ),
    }));
}

/** Whether the words request a call, even if no tool is offered. */
export function requestsToolCall(words: string): boolean {
  return (
    /\b(call|use|invoke|run)\s+(?:\w+\s+){0,3}(tools?|functions?)\b/i.test(words) ||
    /(调用|使用).{0,6}(工具|函数)/u.test(words)
  );
}

function mentions(words: string, name: string): boolean {
  const index = words.indexOf(name);
  const around = `${words[index - 1] ?? ' '}${words[index + name.length] ?? ' '}`;
  return index >= 0 && !/[\p{L}\p{N}_]/u.test(around);
}

const timesWords = ['once', 'twice', 'three times', 'four times', 'five times'];

function readTimes(words: string): number | undefined {
  const index = timesWords.findIndex((number) => new RegExp(`\\b${number}\\b`, 'i').test(words));
  if (index >= 0) return index + 1;
  const digits = /\b([1-9]) times\b|([1-9]) ?次/iu.exec(words);
  return digits ? Number(digits[1] ?? digits[2]) : undefined;
}

/** Reads the topics for the arguments: quoted texts, otherwise the words after "for" or a similar word. */
function readTopics(words: string): readonly string[] {
  const quotedTexts = [...words.matchAll(/["“「]([^"”」\n]{1,80})["”」]/gu)].map(([, text = '']) => text);
  if (quotedTexts.length > 0) return quotedTexts;
  const [, topic = 'demo'] =
    /\b(?:for|about|with|in|of) (\p{L}[\p{L}\p{N}'-]{0,60}(?: \p{Lu}[\p{L}\p{N}'-]{0,60})?)/u.exec(words) ??
    [];
  return [topic];
}
