/**
 * A rough token count of a text, for display, because only the model can count exactly. Code and English have about
 * four characters per token, other scripts fewer.
 */
export function estimatedTokens(text: string): number {
  let plain = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 0x80) plain += 1;
  return Math.ceil(plain / 4 + (text.length - plain) * 0.75);
}
