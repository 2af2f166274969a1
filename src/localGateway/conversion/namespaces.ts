import { createHash } from 'node:crypto';
import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';
import { kindOf, type OfferedTool, searchName, type ToolKind } from './offeredTools.ts';

// Responses may keep functions in namespaces, as Codex does with those of each MCP server. Other formats have none:
// there the namespace begins the function's name.

/** A function as responses call it. */
export interface NamespacedName {
  readonly name: string;
  readonly namespace?: string;
}

/** The most characters that every provider takes in the name of a function. */
const longest = 64;

/** Of a name that is too long, so that different ones stay different. */
const hashLength = 8;

/** One name for a function in a namespace. */
export function joinedName({ namespace, name }: NamespacedName): string {
  if (namespace === undefined) return name;
  const joined = namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
  return joined.length <= longest ? joined : shortened(joined, joined);
}

/**
 * A name of a length that every provider takes, which stays different from other names.
 *
 * @param original what the name stands for
 */
export function shortened(name: string, original: string, most = longest): string {
  const hash = createHash('sha256').update(original).digest('hex').slice(0, hashLength);
  return `${name.slice(0, most - hashLength - 1)}_${hash}`;
}

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
