import { guard } from 'lit/directives/guard.js';
import { textNodes } from '../markdown/dom.ts';

/**
 * Text from outside with its hidden characters marked. The nodes stay while the text does, and the selection
 * with them.
 */
export function shownText(text: string): unknown {
  return guard([text], () => textNodes(text));
}
