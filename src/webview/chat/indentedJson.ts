/** How deep JSON is indented. What is nested deeper stays in one line, because its indent would be all one sees. */
const maxIndent = 20;

/**
 * Puts each member of a JSON text into a line of its own. Only white space changes: numbers keep their digits,
 * and names stand as often as they were written.
 *
 * @param json valid JSON
 */
export function indentedJson(json: string): string {
  let depth = 0;
  let text = '';
  const line = () => (depth <= maxIndent ? `\n${'  '.repeat(depth)}` : ' ');
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g)) {
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
