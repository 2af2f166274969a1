/** How deep JSON is indented. What is nested deeper stays in one line, because its indent would be all one sees. */
const maxIndent = 20;

/** The longest result, in UTF-16 units: brackets without end are mostly indents, which take long to paint. */
const maxLength = 1024 * 1024;

/**
 * Puts each member of a JSON text into a line of its own. Only white space changes: numbers keep their digits,
 * and names stand as often as they were written.
 *
 * @param json valid JSON
 * @returns undefined where it would be too long
 */
export function indentedJson(json: string): string | undefined {
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
