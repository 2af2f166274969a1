import type { ContextView, SizeView } from '../../protocol/chatContext.ts';
import { counted } from './counted.ts';
import { tokenWords } from './sizes.ts';

/** What leaves with the question beside its own words, and that nothing does while a part of it cannot. */
export function contextSum(context: readonly ContextView[]): string {
  const sizes = context.flatMap(({ size }) => size ?? []);
  const stuck = context.filter(({ problem }) => problem !== undefined).length;
  return [
    ...(sizes.length > 0 ? [goingWords(sizes)] : []),
    ...(stuck > 0 ? [stuckWords(stuck, context)] : []),
  ].join('. ');
}

function goingWords(sizes: readonly SizeView[]): string {
  const sum = (of: (size: SizeView) => number) => sizes.reduce((total, size) => total + of(size), 0);
  const characters = counted(
    sum((size) => size.characters),
    'character',
  );
  return `Goes along, as it is when you send: ${characters}, ${tokenWords(sum(({ tokens }) => tokens))}`;
}

/** The chips say why. */
function stuckWords(stuck: number, { length }: readonly ContextView[]): string {
  const which = length === 1 ? 'It' : `${stuck} of ${length}`;
  return `${which} ${stuck === 1 ? 'is' : 'are'} gone or cannot go along: remove ${stuck === 1 ? 'it' : 'them'} before you send`;
}
