import { parseJson } from '../../../base/json.ts';

/** The longest text that is indented, in UTF-16 units. */
const maxInputLength = 256 * 1024;

/** The maximum indented depth of JSON. Deeper parts are in one line, because their indent would fill the page. */
const maxIndentedDepth = 20;

/** The longest result, in UTF-16 units. Deeply nested brackets become mostly indents, which take long to paint. */
const maxResultLength = 1024 * 1024;

/**
 * Puts each member of a JSON text on a separate line. Changes only white space: the digits of numbers and repeated
 * names do not change.
 *
 * @returns undefined if the text is not JSON, or if it is or would be too long
 */
export function indentJson(source: string): string | undefined {
  if (source.length > maxInputLength || parseJson(source) === undefined) return undefined;
  let depth = 0;
  let result = '';
  const breakLine = () => (depth <= maxIndentedDepth ? `\n${'  '.repeat(depth)}` : ' ');
  for (const [token] of source.matchAll(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (result.length > maxResultLength) return undefined;
    if (token === '{' || token === '[') {
      depth += 1;
      result += token + breakLine();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      result += breakLine() + token;
    } else if (token === ',') result += token + breakLine();
    else if (token === ':') result += ': ';
    else result += /^[{[]/.test(token) ? `${token[0]}${token.at(-1)}` : token;
  }
  return result;
}
