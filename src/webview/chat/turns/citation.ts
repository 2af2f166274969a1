import { truncate } from '../../../base/truncate.ts';
import type { CitationView } from '../../../protocol/chatTurn.ts';
import { element, textNodes } from '../../markdown/dom.ts';
import { openableLink } from '../../markdown/linkTargets.ts';
import type { ItemView } from '../../parts/pagedList.ts';

/** The longest title that is shown, in UTF-16 units. */
const maxTitleLength = 300;

/** A source that the model cited: its title and its address. */
export class CitationItem implements ItemView<CitationView> {
  readonly node = element('li', 'citation');
  #shown: CitationView | undefined;

  constructor(citation: CitationView) {
    this.show(citation);
  }

  show(citation: CitationView): void {
    if (this.#shown?.title === citation.title && this.#shown.url === citation.url) return;
    this.#shown = citation;
    this.node.replaceChildren(...citationNodes(citation));
  }
}

/** The nodes that show a source. */
export function citationNodes({ title, url }: CitationView): readonly Node[] {
  const words = textNodes(truncate(title, maxTitleLength));
  const address = url === undefined ? undefined : openableLink(url);
  if (address === undefined) return words;
  const link = element('a', 'link', {
    role: 'link',
    tabindex: '0',
    'data-action': 'open-link',
    'data-url': address.href,
  });
  link.append(...words);
  const host = element('span', 'link-host');
  host.append(address.host);
  return [link, document.createTextNode(' '), host];
}
