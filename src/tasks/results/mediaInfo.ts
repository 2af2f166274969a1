import { type FileHandle, open } from 'node:fs/promises';
import { type MediaType, signatureBytes, sniffMedia } from '../../base/mediaType.ts';

/** The types of files that consist of MP4 boxes. */
const mp4Types: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime']);

/** The facts that a page needs to play a saved file. */
interface MediaInfo {
  readonly kind: MediaType['kind'];
  readonly mimeType: string;
  /** The audio codec as in MIME parameters; absent if the file has no sound or the codec is unknown. */
  readonly audioCodec?: string;
}

/**
 * Reads the type and the codec of a saved file; undefined if it is not a video, a picture or a sound. Reads only a
 * limited part of a hostile file.
 *
 * @throws errors of the file system
 */
export async function readMediaInfo(path: string): Promise<MediaInfo | undefined> {
  const file = await open(path);
  try {
    const type = await readMediaType(file);
    if (!type) return undefined;
    const { kind, mimeType } = type;
    const audioCodec = mp4Types.has(mimeType) ? await readAudioCodec(file) : undefined;
    return { kind, mimeType, ...(audioCodec !== undefined && { audioCodec }) };
  } finally {
    await file.close();
  }
}

/** Reads the type of an open file from its first bytes; undefined if it is not a video, a picture or a sound. */
export async function readMediaType(file: FileHandle): Promise<MediaType | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
  return sniffMedia(buffer.subarray(0, bytesRead));
}

/** A box of an MP4 file (ISO 14496-12): its type and the position of its content. */
interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** The remaining number of boxes to read, so that reading an endless file stops. */
interface BoxBudget {
  boxes: number;
}

const maxBoxes = 20_000;
const maxTracks = 32;

/** Sample descriptions are small. Only the beginning of a larger one is read. */
const maxDescriptionBytes = 4096;

/**
 * Reads the codec of the first sound track as in MIME parameters, such as `mp4a.40.2` (RFC 6381); undefined if
 * there is no such track, or the file cannot be parsed.
 */
export async function readAudioCodec(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  const budget = { boxes: maxBoxes };
  const movie = await findChild(file, { type: 'file', start: 0, end: size }, 'moov', budget);
  if (!movie) return undefined;
  let tracks = 0;
  for await (const track of readBoxes(file, movie, budget)) {
    if (track.type !== 'trak') continue;
    const codec = await readTrackCodec(file, track, budget);
    if (codec !== undefined || ++tracks >= maxTracks) return codec;
  }
  return undefined;
}

/** Whether boxes fill the file to its last byte and include the `moov` box. */
export async function isCompleteMp4(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  let end = 0;
  let hasMovieBox = false;
  for await (const box of readBoxes(file, { type: 'file', start: 0, end: size }, { boxes: maxBoxes })) {
    end = box.end;
    hasMovieBox ||= box.type === 'moov';
  }
  return hasMovieBox && end === size;
}

async function readTrackCodec(file: FileHandle, track: Box, budget: BoxBudget): Promise<string | undefined> {
  const media = await findChild(file, track, 'mdia', budget);
  const handler = media && (await findChild(file, media, 'hdlr', budget));
  if (!handler || (await readBytes(file, handler.start + 8, 4)).toString('latin1') !== 'soun')
    return undefined;
  const information = await findChild(file, media, 'minf', budget);
  const table = information && (await findChild(file, information, 'stbl', budget));
  const description = table && (await findChild(file, table, 'stsd', budget));
  if (!description) return undefined;
  const { start, end } = description;
  return parseCodec(await readBytes(file, start, Math.min(end - start, maxDescriptionBytes)));
}

/** Sample entries that have another name in MIME parameters. */
const codecNames: ReadonlyMap<string, string> = new Map([
  ['Opus', 'opus'],
  ['fLaC', 'flac'],
  ['.mp3', 'mp3'],
]);

/**
 * Reads the codec from the first entry of a sample description. The description begins with version and count,
 * then length, name and fields.
 */
function parseCodec(description: Buffer): string | undefined {
  const name = description.toString('latin1', 12, 16);
  if (name === 'mp4a') return parseMp4AudioCodec(description);
  return codecNames.get(name) ?? (/^[\w.-]{4}$/.test(name) ? name : undefined);
}

/** Reads the object type and the audio type from the elementary stream descriptor (ISO 14496-1, 14496-3). */
function parseMp4AudioCodec(description: Buffer): string {
  const at = description.indexOf('esds', 16, 'latin1');
  const stream = at < 0 ? undefined : readDescriptor(description.subarray(at + 8), 0x03);
  const decoder = stream && readDescriptor(stream.subarray(measureStreamHeader(stream)), 0x04);
  const objectType = decoder?.[0];
  if (decoder === undefined || objectType === undefined) return 'mp4a';
  const [first = 0, second = 0] = readDescriptor(decoder.subarray(13), 0x05) ?? [];
  const shortType = first >> 3;
  const audioType = shortType === 31 ? 32 + ((first & 7) << 3) + (second >> 5) : shortType;
  const kind = `mp4a.${objectType.toString(16).padStart(2, '0')}`;
  return objectType === 0x40 && audioType > 0 ? `${kind}.${audioType}` : kind;
}

/** Computes the length of the header in bytes: an id, flags, and the optional fields of the flags. */
function measureStreamHeader(stream: Uint8Array): number {
  const flags = stream[2] ?? 0;
  const dependence = flags & 0x80 ? 2 : 0;
  const address = flags & 0x40 ? 1 + (stream[3 + dependence] ?? 0) : 0;
  return 3 + dependence + address + (flags & 0x20 ? 2 : 0);
}

/** Reads the content of the descriptor at the start of `bytes`. Its length has up to four groups of seven bits. */
function readDescriptor(bytes: Uint8Array, tag: number): Uint8Array | undefined {
  if (bytes[0] !== tag) return undefined;
  let length = 0;
  for (let at = 1; at <= 4; at++) {
    const group = bytes[at] ?? 0;
    length = (length << 7) | (group & 0x7f);
    if (group < 0x80) return bytes.subarray(at + 1, at + 1 + length);
  }
  return undefined;
}

async function findChild(
  file: FileHandle,
  parent: Box,
  type: string,
  budget: BoxBudget,
): Promise<Box | undefined> {
  for await (const box of readBoxes(file, parent, budget)) if (box.type === type) return box;
  return undefined;
}

/** Reads the boxes inside a box. */
async function* readBoxes(file: FileHandle, { start, end }: Box, budget: BoxBudget): AsyncGenerator<Box> {
  for (let at = start; at + 8 <= end && budget.boxes > 0; budget.boxes--) {
    const header = await readBytes(file, at, 16);
    if (header.length < 8) return;
    const { size, headerSize } = readBoxSize(header, end - at);
    if (size < headerSize || at + size > end) return;
    yield { type: header.toString('latin1', 4, 8), start: at + headerSize, end: at + size };
    at += size;
  }
}

/** Reads the size of a box. Size 1 means that a longer size field follows; 0 means that the box is the last one. */
function readBoxSize(header: Buffer, rest: number): { readonly size: number; readonly headerSize: number } {
  const size = header.readUInt32BE(0);
  if (size === 0) return { size: rest, headerSize: 8 };
  if (size !== 1) return { size, headerSize: 8 };
  return { size: header.length < 16 ? 0 : Number(header.readBigUInt64BE(8)), headerSize: 16 };
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
