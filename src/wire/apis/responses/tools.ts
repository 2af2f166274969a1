import { isObject, type JsonObject, nonEmptyString, objectsIn } from '../../../base/json.ts';
import { joinName, type NamespacedName } from '../shared/functionTools.ts';

// Responses may put functions into namespaces, as Codex does for each MCP server. Other formats have no
// namespaces: there the namespace is a prefix of the function's name.

/** The tools of a request by their joined names. */
export class ToolNames {
  readonly #byJoined = new Map<string, NamespacedName>();
  readonly #kinds = new Map<string, ToolKind>();

  constructor(tools: readonly OfferedTool[]) {
    for (const { tool } of tools) {
      const namespace = findNamespace(tool);
      for (const inner of namespace === undefined ? [tool] : objectsIn(tool.tools))
        this.#add(inner, namespace);
    }
  }

  /** The two parts of a joined name. A name without a namespace is returned unchanged. */
  split(joined: string): NamespacedName {
    return this.#byJoined.get(joined) ?? { name: joined };
  }

  /** How the tool is called. Unknown tools are functions. */
  findKind(joined: string): ToolKind {
    return this.#kinds.get(joined) ?? 'function';
  }

  #add(tool: JsonObject, namespace: string | undefined): void {
    const kind = findToolKind(tool);
    const name = kind === 'search' ? searchName : nonEmptyString(tool.name);
    if (name === undefined || kind === undefined) return;
    const toolName = { name, ...(namespace !== undefined && { namespace }) };
    const joinedName = joinName(toolName);
    if (namespace !== undefined) this.#byJoined.set(joinedName, toolName);
    this.#kinds.set(joinedName, kind);
  }
}

/** The name of a tool that is a namespace. */
export function findNamespace({ type, name }: JsonObject): string | undefined {
  return type === 'namespace' ? nonEmptyString(name) : undefined;
}

// Responses have more kinds of tools than other formats. The conversation may also offer tools. Codex uses both.

/**
 * How a tool is called: with arguments, with text instead of arguments, or to search for tools. The caller runs
 * the search and offers the found tools from then on.
 */
export type ToolKind = 'function' | 'custom' | 'search';

/** The name that models call for the tool search, which has no name of its own. */
export const searchName = 'tool_search';

/** @returns undefined for tools that the provider runs, and for unknown tools */
export function findToolKind({ type, execution }: JsonObject): ToolKind | undefined {
  if (type === 'function' || type === 'custom') return type;
  return type === searchName && execution === 'client' ? 'search' : undefined;
}

/** A tool with its path in the request, such as `tools[0]`. */
export interface OfferedTool {
  readonly tool: JsonObject;
  readonly path: string;
  /** Whether an item of the conversation offers it. It may repeat an earlier tool. */
  readonly isLater: boolean;
}

/** All tools that a request of responses offers. */
export function listOfferedTools(request: {
  readonly tools?: unknown;
  readonly input?: unknown;
}): readonly OfferedTool[] {
  const items = Array.isArray(request.input) ? request.input : [];
  return [
    ...listTools(request.tools, 'tools', false),
    ...items.flatMap((item, index) =>
      isObject(item) && offersTools(item) ? listTools(item.tools, `input[${index}].tools`, true) : [],
    ),
  ];
}

function offersTools({ type }: JsonObject): boolean {
  return type === 'additional_tools' || type === 'tool_search_output';
}

/** The tools in a list; `isLater` if they are offered within the conversation. */
export function listTools(tools: unknown, path: string, isLater: boolean): readonly OfferedTool[] {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return list.flatMap((tool, index): readonly OfferedTool[] =>
    isObject(tool) ? [{ tool, path: `${path}[${index}]`, isLater }] : [],
  );
}
