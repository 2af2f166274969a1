import { sniffMedia } from '../../base/mediaType.ts';

/** File extensions of the pictures that models commonly accept. */
export const pictureExtensions = ['png', 'jpg', 'jpeg', 'gif', 'webp'];

/** Returns the MIME type of a picture by its bytes; undefined for a type that models do not commonly accept. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const type = sniffMedia(bytes);
  return type?.kind === 'image' && pictureExtensions.includes(type.extension) ? type.mimeType : undefined;
}
