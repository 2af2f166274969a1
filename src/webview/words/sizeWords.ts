import type { ContextView, SizeView } from '../../protocol/chatContext.ts';
import { formatNumber, t } from './l10n.ts';

const units = ['bytes', 'KB', 'MB'] as const;

/** Formats a number of bytes, such as "1.2 KB". */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unitIndex = 0;
  while (size >= 1024 && unitIndex < units.length - 1) {
    size /= 1024;
    unitIndex += 1;
  }
  return unitIndex === 0
    ? t(bytes === 1 ? '{0} byte' : '{0} bytes', bytes)
    : `${size.toFixed(1)} ${units[unitIndex]}`;
}

/** Formats an estimate, such as "about 1,200 tokens", with two significant digits. */
function formatTokenCount(tokens: number): string {
  const rounded = Number(tokens.toPrecision(2));
  return t(rounded === 1 ? 'about {0} token' : 'about {0} tokens', formatNumber(rounded));
}

/** Formats a size, such as "1.2 KB · about 300 tokens". */
export function formatSize({ bytes, tokens }: Pick<SizeView, 'bytes' | 'tokens'>): string {
  return `${formatBytes(bytes)} · ${formatTokenCount(tokens)}`;
}

/** Formats a number of characters, such as "1,200 characters". */
export function formatCharacterCount(count: number): string {
  return t(count === 1 ? '{0} character' : '{0} characters', formatNumber(count));
}

/** Describes the size of the context of a question, with a warning about the items that cannot be sent. */
export function describeContext(context: readonly ContextView[]): string {
  const sizes = context.flatMap(({ size }) => size ?? []);
  const unsendable = context.filter(({ problem }) => problem !== undefined).length;
  return [
    ...(sizes.length > 0 ? [describeTotalSize(sizes)] : []),
    ...(unsendable > 0 ? [describeUnsendable(unsendable, context)] : []),
  ].join(t('. '));
}

function describeTotalSize(sizes: readonly SizeView[]): string {
  const sum = (read: (size: SizeView) => number) => sizes.reduce((total, size) => total + read(size), 0);
  const characters = formatCharacterCount(sum((size) => size.characters));
  return t(
    'Context, read when you send: {0}, {1}',
    characters,
    formatTokenCount(sum(({ tokens }) => tokens)),
  );
}

/** Describes the items that cannot be sent, without the reasons, which the chips show. */
function describeUnsendable(unsendable: number, { length }: readonly ContextView[]): string {
  if (length === 1) return t('The context is missing or cannot be sent: remove it before you send');
  return t(
    unsendable === 1
      ? '{0} of {1} context items is missing or cannot be sent: remove it before you send'
      : '{0} of {1} context items are missing or cannot be sent: remove them before you send',
    unsendable,
    length,
  );
}
