import type { TurnElement } from '../turns/turn.ts';
import type { ChatMatches, FoundMatch } from './chatMatches.ts';
import { createPattern, findMatches, maxFindLength } from './findPattern.ts';
import { FlatText } from './flatText.ts';
import { findPassageElement } from './passageReader.ts';

const allHighlight = 'mg-find';
const currentHighlight = 'mg-find-current';

/** The maximum number of matches of one passage that are marked, in addition to the current match. */
const maxMarked = 2_000;

/** A turn that is on the screen. */
type ShownTurn = Pick<FoundMatch, 'turn'> & { readonly element: TurnElement };

/** Marks the matches in the turns that are on the screen. */
export function markMatches(
  shownTurns: readonly ShownTurn[],
  chatMatches: ChatMatches,
  current: FoundMatch | undefined,
): void {
  const otherRanges: StaticRange[] = [];
  const currentRanges: StaticRange[] = [];
  for (const { turn, element } of shownTurns) {
    for (const { passage, text, matches } of chatMatches.getMatches(turn)) {
      const root = matches.length > 0 ? findPassageElement(element, passage) : undefined;
      if (!root) continue;
      const flat = new FlatText(root);
      for (const [index, match] of matches.entries()) {
        const isCurrent =
          current?.turn === turn && current.passage === passage && current.matchIndex === index;
        if (!isCurrent && index >= maxMarked) continue;
        const range = isPainted(flat, text, match) ? flat.createRange(...match) : undefined;
        if (range) (isCurrent ? currentRanges : otherRanges).push(new StaticRange(range));
      }
    }
  }
  CSS.highlights.set(allHighlight, new Highlight(...otherRanges));
  const highlight = new Highlight(...currentRanges);
  highlight.priority = 1;
  CSS.highlights.set(currentHighlight, highlight);
}

/** Marks words everywhere in a turn, until the next search. Opens the reasoning if only the reasoning contains them. */
export function markWords(turn: TurnElement, words: readonly string[]): void {
  const texts = '.question-text, .reply-text, .reasoning-text';
  const ranges = [...turn.querySelectorAll(texts)].flatMap((root) => findRanges(root, words));
  const folds = ranges.flatMap(
    ({ startContainer }) => startContainer.parentElement?.closest('details') ?? [],
  );
  if (folds.length === ranges.length) for (const fold of folds) fold.open = true;
  CSS.highlights.set(allHighlight, new Highlight(...ranges));
}

function findRanges(root: Element, words: readonly string[]): readonly StaticRange[] {
  const flat = new FlatText(root);
  return words.flatMap((text) => {
    const pattern = createPattern({
      text: text.slice(0, maxFindLength),
      matchesCase: true,
      matchesWholeWord: false,
      isExpression: false,
    });
    const matches = pattern ? findMatches(flat.text, pattern, maxMarked) : [];
    return matches.flatMap((match) => {
      const range = flat.createRange(...match);
      return range ? new StaticRange(range) : [];
    });
  });
}

export function unmarkMatches(): void {
  for (const name of [allHighlight, currentHighlight]) CSS.highlights.delete(name);
}

/** Finds the range of a match in the element of its turn; undefined until it is painted. */
export function findShownRange(
  element: TurnElement,
  { passage, match }: FoundMatch,
  text: string,
): Range | undefined {
  const root = findPassageElement(element, passage);
  const flat = root && new FlatText(root);
  return flat && isPainted(flat, text, match) ? flat.createRange(...match) : undefined;
}

/** Whether a match is painted: the painted text equals the searched text there. */
function isPainted(flat: FlatText, text: string, [begin, end]: readonly [number, number]): boolean {
  return flat.text.length >= end && flat.text.slice(begin, end) === text.slice(begin, end);
}
