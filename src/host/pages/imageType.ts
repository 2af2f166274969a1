const starts: readonly (readonly [mimeType: string, start: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
];

/** What kind of picture these bytes are, whatever their name says; undefined for anything else. */
export function imageType(bytes: Buffer): string | undefined {
  const beginning = bytes.toString('latin1', 0, 16);
  if (beginning.startsWith('RIFF') && beginning.slice(8, 12) === 'WEBP') return 'image/webp';
  return starts.find(([, start]) => beginning.startsWith(start))?.[0];
}
