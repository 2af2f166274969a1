/** The maximum indented depth of JSON. Deeper parts stay in one line, because their indent would fill the page. */
const maxIndent = 20;

/** The longest result, in UTF-16 units. Deeply nested brackets become mostly indents, which take long to paint. */
const maxLength = 1024 * 1024;

/**
 * Puts each member of a JSON text into a separate line. Only white space changes: numbers keep their digits, and
 * repeated names stay repeated.
 *
 * @param json valid JSON
 * @returns undefined if it would be too long
 */
export function indentJson(json: string): string | undefined {
  let depth = 0;
  let text = '';
  const line = () => (depth <= maxIndent ? `\n${'  '.repeat(depth)}` : ' ');
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (text.length > maxLength) return undefined;
    if (token === '{' || token === '[') {
      depth += 1;
      text += token + line();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      text += line() + token;
    } else if (token === ',') text += token + line();
    else if (token === ':') text += ': ';
    else text += /^[{[]/.test(token) ? `${token[0]}${token.at(-1)}` : token;
  }
  return text;
}
