import { type FileHandle, open } from 'node:fs/promises';
import { type MediaType, signatureBytes, sniffMedia } from '../../base/mediaType.ts';
import { readAudioCodec } from './mp4Boxes.ts';

/** What a page needs to know to play a saved file. */
export interface MediaInfo {
  readonly kind: MediaType['kind'];
  readonly mimeType: string;
  /** The codec of the sound as in MIME parameters; absent when the file is silent or the codec unknown. */
  readonly audioCodec?: string;
}

/**
 * What the bytes of a saved file tell; undefined unless it is a video, a picture or a sound. Of a hostile file only
 * little is read.
 *
 * @throws errors of the file system
 */
export async function readMediaInfo(path: string): Promise<MediaInfo | undefined> {
  const file = await open(path);
  try {
    const type = await mediaTypeOf(file);
    if (!type) return undefined;
    const { kind, mimeType } = type;
    const audioCodec = inMp4Boxes.has(mimeType) ? await readAudioCodec(file) : undefined;
    return { kind, mimeType, ...(audioCodec !== undefined && { audioCodec }) };
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
