// A plugin of Stryker that leaves texts unchanged: sentences of errors and labels have a space between two
// words. Tests should not compare them, so a changed text would count as not detected. SQL is changed like
// other code.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const words = /\p{L}[,.:;!?’)]? [(]?\p{L}/u;
const sql = /^\s*[A-Z]{4,}\b/;

/** @typedef {{ type: string, value?: unknown, quasis?: readonly { value: { raw: string } }[] }} SyntaxNode */

/** @type {import('@stryker-mutator/api/ignore').Ignorer} */
const texts = {
  shouldIgnore(path) {
    const { node } = /** @type {{ node: SyntaxNode }} */ (path);
    return isText(readLiteral(node)) ? 'text' : undefined;
  },
};

/** @param {SyntaxNode} node */
function readLiteral({ type, value, quasis = [] }) {
  if (type === 'StringLiteral') return String(value);
  // The expressions inside such a text remain unchanged too.
  return quasis.map((part) => part.value.raw).join('…');
}

/** @param {string} text */
function isText(text) {
  return words.test(text) && !sql.test(text);
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'texts', texts)];
