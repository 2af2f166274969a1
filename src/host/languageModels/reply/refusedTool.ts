import type { GatewayErrorInit } from '../../../wire/failure.ts';
import type { HostTool } from './requestSettings.ts';
import { sentToolName } from './toolNames.ts';

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
  { gatewayMessage = '', field = '' }: Pick<GatewayErrorInit, 'gatewayMessage' | 'field'>,
  tools: readonly HostTool[],
): RefusedTool | undefined {
  const told = `${field} ${gatewayMessage}`;
  const place = /function_?declarations\W+(\d+)/i.exec(told) ?? /\btools\W+(\d+)/i.exec(told);
  const named = (place && tools[Number(place[1])]) ?? tools.find(({ name }) => isNamedIn(told, name));
  if (named) return { tool: named, isNamed: true };
  const isAboutTools = /\b(?:tools?|functions?)\b|function_?declarations|schema/i.test(told);
  const largest = isAboutTools ? largestOf(tools) : undefined;
  return largest && { tool: largest, isNamed: false };
}

function isNamedIn(told: string, name: string): boolean {
  const sent = sentToolName(name);
  const at = told.indexOf(sent);
  return at >= 0 && !/[\w-]/.test(told[at - 1] ?? ' ') && !/[\w-]/.test(told[at + sent.length] ?? ' ');
}

function largestOf(tools: readonly HostTool[]): HostTool | undefined {
  const sized = tools.map((tool) => ({ tool, size: JSON.stringify(tool.inputSchema ?? {}).length }));
  return sized.toSorted((one, other) => other.size - one.size)[0]?.tool;
}
