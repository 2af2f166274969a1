import type { GatewayErrorInit } from '../../../wire/failure.ts';
import type { HostTool } from './requestSettings.ts';
import { sentToolName } from './toolNames.ts';

/** As much of all tools together is a reason to refuse a request for its length, in UTF-16 units. */
const weighty = 1024 * 1024;

/** A tool that a provider refused, or the largest one where it did not say which. */
export interface RefusedTool {
  readonly tool: HostTool;
  /** Whether the refusal names it. */
  readonly isNamed: boolean;
}

/**
 * Reads which tool a provider refused: providers tell its name, or its place in the list.
 *
 * @returns undefined where the refusal is not about tools
 */
export function refusedTool(
  { gatewayMessage = '', field = '', reason }: Pick<GatewayErrorInit, 'gatewayMessage' | 'field' | 'reason'>,
  tools: readonly HostTool[],
): RefusedTool | undefined {
  const told = `${field} ${gatewayMessage}`;
  // Content generation nests all of them in the first of its tools.
  const isNested = /function_?declarations/i.test(told);
  const place = (isNested ? /function_?declarations\W+(\d+)/i : /\btools\W+(\d+)/i).exec(told);
  const named = (place && tools[Number(place[1])]) ?? tools.find(({ name }) => isNamedIn(told, name));
  if (named) return { tool: named, isNamed: true };
  const isAboutTools = /\b(?:tools?|functions?)\b|function_?declarations|schema/i.test(told);
  if (!isAboutTools && reason !== 'too-large') return undefined;
  const sized = tools.map((tool) => ({ tool, size: JSON.stringify(tool.inputSchema ?? {}).length }));
  const [largest] = sized.toSorted((one, other) => other.size - one.size);
  const isBlamed = isAboutTools || sized.reduce((sum, { size }) => sum + size, 0) > weighty;
  return largest && isBlamed ? { tool: largest.tool, isNamed: false } : undefined;
}

function isNamedIn(told: string, name: string): boolean {
  const sent = sentToolName(name);
  const at = told.indexOf(sent);
  return at >= 0 && !/[\w-]/.test(told[at - 1] ?? ' ') && !/[\w-]/.test(told[at + sent.length] ?? ' ');
}
