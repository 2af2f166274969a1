import { truncate } from '../../../base/truncate.ts';
import type { CitationView } from '../../../protocol/chatTurn.ts';
import { createElement, createTextNodes } from '../../markdown/dom.ts';
import { parseOpenableLink } from '../../markdown/linkTargets.ts';
import type { ItemView } from '../../parts/pagedList.ts';

/** The longest title that is shown, in UTF-16 units. */
const maxTitleLength = 300;

/** A list item with a source that the model cited: its title and its address. */
export class CitationItem implements ItemView<CitationView> {
  readonly node = createElement('li', 'citation');
  #shown: CitationView | undefined;

  constructor(citation: CitationView) {
    this.show(citation);
  }

  show(citation: CitationView): void {
    if (this.#shown?.title === citation.title && this.#shown.url === citation.url) return;
    this.#shown = citation;
    this.node.replaceChildren(...createCitationNodes(citation));
  }
}

/** Creates the nodes that show a source. */
export function createCitationNodes({ title, url }: CitationView): readonly Node[] {
  const titleNodes = createTextNodes(truncate(title, maxTitleLength));
  const address = url === undefined ? undefined : parseOpenableLink(url);
  if (address === undefined) return titleNodes;
  const link = createElement('a', 'link', {
    role: 'link',
    tabindex: '0',
    'data-action': 'open-link',
    'data-url': address.href,
  });
  link.append(...titleNodes);
  const host = createElement('span', 'link-host');
  host.append(address.host);
  return [link, document.createTextNode(' '), host];
}
