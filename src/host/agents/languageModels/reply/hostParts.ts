import * as vscode from 'vscode';
import type { Usage } from '../../../../wire/chatEvent.ts';

/** The class of parts with reasoning, which the typings lack, where this host has it. */
type ThinkingPart = new (value: string) => vscode.LanguageModelResponsePart;

const thinkingPart = thinkingPartOfHost();

function thinkingPartOfHost(): ThinkingPart | undefined {
  try {
    const found: unknown = Reflect.get(vscode, 'LanguageModelThinkingPart');
    return typeof found === 'function' ? (found as ThinkingPart) : undefined;
  } catch {
    // A host may refuse to hand out what is only proposed.
    return undefined;
  }
}

/** Reasoning; undefined where the host has no place for it: as text it would become a part of the answer. */
export function reasoningPart(text: string): vscode.LanguageModelResponsePart | undefined {
  return thinkingPart && new thinkingPart(text);
}

/** The token counts, as VS Code reads them for its ring; undefined where the gateway told none. */
export function usagePart({
  inputTokens,
  outputTokens,
  totalTokens,
  cachedTokens,
}: Usage): vscode.LanguageModelResponsePart | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const [prompt_tokens, completion_tokens] = [inputTokens ?? 0, outputTokens ?? 0];
  const usage = {
    prompt_tokens,
    completion_tokens,
    total_tokens: totalTokens ?? prompt_tokens + completion_tokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
  };
  return new vscode.LanguageModelDataPart(new TextEncoder().encode(JSON.stringify(usage)), 'usage');
}
