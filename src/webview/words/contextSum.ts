import type { ContextView, SizeView } from '../../protocol/chatContext.ts';
import { t } from './l10n.ts';
import { characterWords, tokenWords } from './sizes.ts';

/** What leaves with the question beside its own words, and that nothing does while a part of it cannot. */
export function contextSum(context: readonly ContextView[]): string {
  const sizes = context.flatMap(({ size }) => size ?? []);
  const stuck = context.filter(({ problem }) => problem !== undefined).length;
  return [
    ...(sizes.length > 0 ? [goingWords(sizes)] : []),
    ...(stuck > 0 ? [stuckWords(stuck, context)] : []),
  ].join(t('. '));
}

function goingWords(sizes: readonly SizeView[]): string {
  const sum = (of: (size: SizeView) => number) => sizes.reduce((total, size) => total + of(size), 0);
  const characters = characterWords(sum((size) => size.characters));
  return t('Context, read when you send: {0}, {1}', characters, tokenWords(sum(({ tokens }) => tokens)));
}

/** The chips say why. */
function stuckWords(stuck: number, { length }: readonly ContextView[]): string {
  if (length === 1) return t('It is missing or cannot be sent: remove it before you send');
  return t(
    stuck === 1
      ? '{0} of {1} is missing or cannot be sent: remove it before you send'
      : '{0} of {1} are missing or cannot be sent: remove them before you send',
    stuck,
    length,
  );
}
