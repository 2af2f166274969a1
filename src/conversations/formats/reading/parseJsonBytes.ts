import { isUtf8 } from 'node:buffer';
import { errorMessage } from '../../../base/errors.ts';

/** A parsed JSON value, or the message of the parse error. `hasDamagedText`: it is not valid UTF-8. */
type Parsed = { readonly value: unknown; readonly hasDamagedText: boolean } | { readonly cause: string };

export function parseJsonBytes(bytes: Buffer): Parsed {
  try {
    return { value: JSON.parse(bytes.toString()), hasDamagedText: !isUtf8(bytes) };
  } catch (thrown) {
    return { cause: errorMessage(thrown) };
  }
}

const titlePattern = /"(?:title|name|customTitle)"\s*:\s*("(?:[^"\\]|\\.){1,300}")/;

/** Finds the title of a conversation with invalid JSON, if it is near the beginning. */
export function findTitle(bytes: Buffer): string | undefined {
  const [, quoted] = titlePattern.exec(bytes.subarray(0, 4096).toString()) ?? [];
  const title = quoted === undefined ? undefined : parseJsonBytes(Buffer.from(quoted));
  return title && 'value' in title ? String(title.value) : undefined;
}
