import type { SizeView } from '../../protocol/chatContext.ts';

const units = ['bytes', 'KB', 'MB'] as const;

/** "1.2 KB". */
export function byteWords(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${size.toFixed(1)} ${units[unit]}`;
}

/** "about 1,200 tokens": an estimate has two digits that count. */
export function tokenWords(tokens: number): string {
  const rounded = Number(tokens.toPrecision(2));
  return `about ${rounded.toLocaleString('en')} ${rounded === 1 ? 'token' : 'tokens'}`;
}

/** "1.2 KB · about 300 tokens". */
export function sizeWords({ bytes, tokens }: Pick<SizeView, 'bytes' | 'tokens'>): string {
  return `${byteWords(bytes)} · ${tokenWords(tokens)}`;
}
