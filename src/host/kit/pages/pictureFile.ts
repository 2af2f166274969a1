import { sniffMedia } from '../../../base/mediaType.ts';

/** File extensions of the pictures that models commonly accept. */
export const pictureExtensions = ['png', 'jpg', 'jpeg', 'gif', 'webp'];

/** Whether a file is a picture by its name. */
export function isPictureName(path: string): boolean {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return pictureExtensions.includes(ending);
}

/** Returns the MIME type of a picture by its bytes; undefined for a type that models do not commonly accept. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const type = sniffMedia(bytes);
  return type?.kind === 'image' && pictureExtensions.includes(type.extension) ? type.mimeType : undefined;
}
