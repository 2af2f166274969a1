import { isObject, type JsonObject } from '../../base/json.ts';

// The tools of responses, which are of more kinds than those of other formats and may be offered in the conversation,
// as Codex does both.

/**
 * How a tool is called: with arguments; with text in their place; or to find tools, which the caller does itself
 * and offers from then on.
 */
export type ToolKind = 'function' | 'custom' | 'search';

/** The name by which models call the search for tools, which has none of its own. */
export const searchName = 'tool_search';

/** @returns undefined for what others run, or nobody knows */
export function kindOf({ type, execution }: JsonObject): ToolKind | undefined {
  if (type === 'function' || type === 'custom') return type;
  return type === searchName && execution === 'client' ? 'search' : undefined;
}

/** A tool with its place in the request, such as `tools[0]`. */
export interface OfferedTool {
  readonly tool: JsonObject;
  readonly at: string;
  /** Whether the conversation offers it, which may repeat what was offered. */
  readonly isLater: boolean;
}

/** All tools that a request of responses offers. */
export function offeredTools(request: {
  readonly tools?: unknown;
  readonly input?: unknown;
}): readonly OfferedTool[] {
  const items = Array.isArray(request.input) ? request.input : [];
  return [
    ...toolsIn(request.tools, 'tools', false),
    ...items.flatMap((item, nth) =>
      isObject(item) && offersTools(item) ? toolsIn(item.tools, `input[${nth}].tools`, true) : [],
    ),
  ];
}

/** Whether an item of a conversation offers tools. */
export function offersTools({ type }: JsonObject): boolean {
  return type === 'additional_tools' || type === 'tool_search_output';
}

function toolsIn(tools: unknown, at: string, isLater: boolean): readonly OfferedTool[] {
  const all: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return all.flatMap((tool, nth) => (isObject(tool) ? [{ tool, at: `${at}[${nth}]`, isLater }] : []));
}
