import type { SizeView } from '../../protocol/chatContext.ts';
import { numberWords, t } from './l10n.ts';

const units = ['bytes', 'KB', 'MB'] as const;

/** "1.2 KB". */
export function byteWords(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? t(bytes === 1 ? '{0} byte' : '{0} bytes', bytes) : `${size.toFixed(1)} ${units[unit]}`;
}

/** "about 1,200 tokens": an estimate has two digits that count. */
export function tokenWords(tokens: number): string {
  const rounded = Number(tokens.toPrecision(2));
  return t(rounded === 1 ? 'about {0} token' : 'about {0} tokens', numberWords(rounded));
}

/** "1.2 KB · about 300 tokens". */
export function sizeWords({ bytes, tokens }: Pick<SizeView, 'bytes' | 'tokens'>): string {
  return `${byteWords(bytes)} · ${tokenWords(tokens)}`;
}

/** "1,200 characters". */
export function characterWords(count: number): string {
  return t(count === 1 ? '{0} character' : '{0} characters', numberWords(count));
}
