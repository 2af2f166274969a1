import type { TurnElement } from '../turn.ts';
import type { ChatMatches, FoundMatch } from './chatMatches.ts';
import { FlatText } from './flatText.ts';
import { passageElement } from './passages.ts';
import { matchesIn, maxQueryLength, patternOf } from './pattern.ts';

const all = 'mg-find';
const current = 'mg-find-current';

/** More matches of one passage are not marked, but the one that the reader is at. */
const maxMarked = 2_000;

/** A turn that is on the screen. */
export type ShownTurn = Pick<FoundMatch, 'turn'> & { readonly element: TurnElement };

/** Marks what is found in the turns that are on the screen. */
export function markMatches(
  shown: readonly ShownTurn[],
  found: ChatMatches,
  at: FoundMatch | undefined,
): void {
  const [others, one]: [StaticRange[], StaticRange[]] = [[], []];
  for (const { turn, element } of shown) {
    for (const { passage, text, matches } of found.in(turn)) {
      const root = matches.length > 0 ? passageElement(element, passage) : undefined;
      if (!root) continue;
      const flat = new FlatText(root);
      for (const [nth, match] of matches.entries()) {
        const isCurrent = at?.turn === turn && at.passage === passage && at.nth === nth;
        if (!isCurrent && nth >= maxMarked) continue;
        const range = isPainted(flat, text, match) ? flat.rangeOf(...match) : undefined;
        if (range) (isCurrent ? one : others).push(new StaticRange(range));
      }
    }
  }
  CSS.highlights.set(all, new Highlight(...others));
  const highlight = new Highlight(...one);
  highlight.priority = 1;
  CSS.highlights.set(current, highlight);
}

/** Marks words in all that a turn shows, until the next search. Reasoning unfolds where nothing else holds them. */
export function markWords(turn: TurnElement, words: readonly string[]): void {
  const places = '.question-text, .reply-text, .reasoning-text';
  const ranges = [...turn.querySelectorAll(places)].flatMap((root) => rangesIn(root, words));
  const folds = ranges.flatMap(
    ({ startContainer }) => startContainer.parentElement?.closest('details') ?? [],
  );
  if (folds.length === ranges.length) for (const fold of folds) fold.open = true;
  CSS.highlights.set(all, new Highlight(...ranges));
}

function rangesIn(root: Element, words: readonly string[]): readonly StaticRange[] {
  const flat = new FlatText(root);
  return words.flatMap((text) => {
    const pattern = patternOf({
      text: text.slice(0, maxQueryLength),
      matchesCase: true,
      wholeWord: false,
      isExpression: false,
    });
    const matches = pattern ? matchesIn(flat.text, pattern, maxMarked) : [];
    return matches.flatMap((match) => {
      const range = flat.rangeOf(...match);
      return range ? new StaticRange(range) : [];
    });
  });
}

export function unmarkMatches(): void {
  for (const name of [all, current]) CSS.highlights.delete(name);
}

/** The range of a match in the element of its turn; undefined while that is not painted. */
export function rangeIn(
  element: TurnElement,
  { passage, match }: FoundMatch,
  text: string,
): Range | undefined {
  const root = passageElement(element, passage);
  const flat = root && new FlatText(root);
  return flat && isPainted(flat, text, match) ? flat.rangeOf(...match) : undefined;
}

/** Whether all up to a match is painted as it was read. */
function isPainted(flat: FlatText, text: string, [begin, end]: readonly [number, number]): boolean {
  return flat.text.length >= end && flat.text.slice(begin, end) === text.slice(begin, end);
}
