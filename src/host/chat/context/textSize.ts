import { estimatedTokens } from '../../../base/tokenEstimate.ts';
import type { SizeView } from '../../../protocol/chatContext.ts';

/** How much of a text leaves with a question. */
export function sizeOf(text: string): SizeView {
  return { bytes: Buffer.byteLength(text), characters: text.length, tokens: estimatedTokens(text) };
}
