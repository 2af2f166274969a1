import { guard } from 'lit/directives/guard.js';
import { createTextNodes } from '../markdown/dom.ts';

/**
 * Untrusted text with its hidden characters marked. Unchanged text keeps its nodes, and with them the selection.
 */
export function renderText(text: string): unknown {
  return guard([text], () => createTextNodes(text));
}
