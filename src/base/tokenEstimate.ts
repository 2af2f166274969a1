/**
 * About how many tokens a text is, for people: nobody but the model knows. Code and English come to four
 * characters a token, other scripts to fewer. It costs one look at each character.
 */
export function estimatedTokens(text: string): number {
  let plain = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 0x80) plain += 1;
  return Math.ceil(plain / 4 + (text.length - plain) * 0.75);
}
