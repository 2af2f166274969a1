import { guard } from 'lit/directives/guard.js';
import { textNodes } from '../markdown/dom.ts';

/** Text of others, with its hidden characters marked. Its nodes stay as long as it does, and with them what is selected. */
export function shownText(text: string): unknown {
  return guard([text], () => textNodes(text));
}
