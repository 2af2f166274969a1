import { sniffMedia } from '../../base/mediaType.ts';

/** The endings of the pictures that models commonly accept. */
export const pictureExtensions = ['png', 'jpg', 'jpeg', 'gif', 'webp'];

/** The MIME type of a picture that models commonly accept, by its bytes; undefined for anything else. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const type = sniffMedia(bytes);
  return type?.kind === 'image' && pictureExtensions.includes(type.extension) ? type.mimeType : undefined;
}
