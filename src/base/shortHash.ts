/** A hash of 32 bits (FNV-1a), for names that must differ even after they are shortened. Not for secrets. */
export function computeShortHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
