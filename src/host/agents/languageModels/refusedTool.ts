import type { GatewayErrorInit } from '../../../wire/failures/gatewayError.ts';
import type { VsCodeTool } from './requestSettings.ts';
import { sentToolName } from './toolNames.ts';

/** Tools above this total size may be the reason why a request is too long. In UTF-16 units. */
const suspectSize = 1024 * 1024;

/** The refused tool, or the largest one if the provider did not name it. */
interface RefusedTool {
  readonly tool: VsCodeTool;
  /** Whether the refusal names it. */
  readonly isNamed: boolean;
}

/**
 * Finds the tool that a provider refused, by its name or its position in the list.
 *
 * @returns undefined if the refusal is not about tools
 */
export function refusedTool(
  { gatewayMessage = '', field = '', reason }: Pick<GatewayErrorInit, 'gatewayMessage' | 'field' | 'reason'>,
  tools: readonly VsCodeTool[],
): RefusedTool | undefined {
  const refusalText = `${field} ${gatewayMessage}`;
  // The content generation format nests all declarations in its first tool.
  const isNested = /function_?declarations/i.test(refusalText);
  const match = (isNested ? /function_?declarations\W+(\d+)/i : /\btools\W+(\d+)/i).exec(refusalText);
  const namedTool =
    (match && tools[Number(match[1])]) ?? tools.find(({ name }) => isNamedIn(refusalText, name));
  if (namedTool) return { tool: namedTool, isNamed: true };
  const isAboutTools = /\b(?:tools?|functions?)\b|function_?declarations|schema/i.test(refusalText);
  if (!isAboutTools && reason !== 'too-large') return undefined;
  const sized = tools.map((tool) => ({ tool, size: JSON.stringify(tool.inputSchema ?? {}).length }));
  const [largest] = sized.toSorted((one, other) => other.size - one.size);
  const isSuspect = isAboutTools || sized.reduce((sum, { size }) => sum + size, 0) > suspectSize;
  return largest && isSuspect ? { tool: largest.tool, isNamed: false } : undefined;
}

function isNamedIn(text: string, name: string): boolean {
  const sentName = sentToolName(name);
  const start = text.indexOf(sentName);
  const end = start + sentName.length;
  return start >= 0 && !/[\w-]/.test(text[start - 1] ?? ' ') && !/[\w-]/.test(text[end] ?? ' ');
}
