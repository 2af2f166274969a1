import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { joinedName, type NamespacedName } from '../format/functionTools.ts';

// Responses may keep functions in namespaces, as Codex does with those of each MCP server. Other formats have none:
// there the namespace begins the function's name.

/** The tools of a request by their joined names. */
export class ToolNames {
  readonly #byJoined = new Map<string, NamespacedName>();
  readonly #kinds = new Map<string, ToolKind>();

  constructor(tools: readonly OfferedTool[]) {
    for (const { tool } of tools) {
      const namespace = namespaceOf(tool);
      for (const inner of namespace === undefined ? [tool] : functionsIn(tool)) this.#note(inner, namespace);
    }
  }

  /** What was joined; a name without a namespace as it is. */
  split(joined: string): NamespacedName {
    return this.#byJoined.get(joined) ?? { name: joined };
  }

  /** How the tool is called. One that nobody offered is a function. */
  kindOf(joined: string): ToolKind {
    return this.#kinds.get(joined) ?? 'function';
  }

  #note(tool: JsonObject, namespace: string | undefined): void {
    const kind = kindOf(tool);
    const name = kind === 'search' ? searchName : nonEmptyString(tool.name);
    if (name === undefined || kind === undefined) return;
    const named = { name, ...(namespace !== undefined && { namespace }) };
    const joined = joinedName(named);
    if (namespace !== undefined) this.#byJoined.set(joined, named);
    this.#kinds.set(joined, kind);
  }
}

/** The name of a tool that is a namespace. */
export function namespaceOf({ type, name }: JsonObject): string | undefined {
  return type === 'namespace' ? nonEmptyString(name) : undefined;
}

/** The tools in a namespace. */
export function functionsIn({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isObject) : [];
}

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
