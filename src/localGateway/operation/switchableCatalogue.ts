import type { Catalogue } from '../catalogue.ts';

/** A catalogue that another one takes the place of. Requests keep what they found in the earlier one. */
export interface SwitchableCatalogue extends Catalogue {
  switchTo(next: Catalogue): void;
}

export function switchableCatalogue(first: Catalogue): SwitchableCatalogue {
  let current = first;
  return {
    list: () => current.list(),
    find: (id) => current.find(id),
    requireVideo: (place, id) => current.requireVideo(place, id),
    upstreamOf: (name) => current.upstreamOf(name),
    videoOf: (upstream) => current.videoOf(upstream),
    close: () => current.close(),
    switchTo(next) {
      current = next;
    },
  };
}
