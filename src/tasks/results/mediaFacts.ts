import { type FileHandle, open } from 'node:fs/promises';
import { type MediaType, signatureBytes, sniffMedia } from '../../base/mediaType.ts';
import { readSoundCodec } from './mp4Boxes.ts';

/** What a page needs to know to play a saved file. */
export interface MediaFacts {
  readonly kind: MediaType['kind'];
  readonly mimeType: string;
  /** The codec of the sound as in MIME parameters; absent when the file is silent or the codec unknown. */
  readonly soundCodec?: string;
}

/**
 * The facts about a saved file; undefined unless it is a video, a picture or a sound. Of a hostile file only
 * little is read.
 *
 * @throws errors of the file system
 */
export async function mediaFacts(path: string): Promise<MediaFacts | undefined> {
  const file = await open(path);
  try {
    const type = await mediaTypeOf(file);
    if (!type) return undefined;
    const { kind, mimeType } = type;
    const soundCodec = inMp4Boxes.has(mimeType) ? await readSoundCodec(file) : undefined;
    return { kind, mimeType, ...(soundCodec !== undefined && { soundCodec }) };
  } finally {
    await file.close();
  }
}

/** The type of an open file by its first bytes; undefined unless it is a video, a picture or a sound. */
export async function mediaTypeOf(file: FileHandle): Promise<MediaType | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
  return sniffMedia(buffer.subarray(0, bytesRead));
}

/** The formats whose files are made of boxes as MP4 has them. */
const inMp4Boxes: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime']);
