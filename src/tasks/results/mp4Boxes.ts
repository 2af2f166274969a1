import type { FileHandle } from 'node:fs/promises';

/** A box of an MP4 file (ISO 14496-12): where its content lies in the file. */
interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Limits for one file, so that an endless one is left soon. */
interface BoxBudget {
  boxes: number;
}

const maxBoxes = 20_000;
const maxTracks = 32;

/** Sample descriptions are small; the rest of a larger one is not read. */
const maxDescriptionBytes = 4096;

/**
 * The codec of the first sound track as in MIME parameters, such as `mp4a.40.2` (RFC 6381); undefined when
 * there is none, or the file cannot be read.
 */
export async function readAudioCodec(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  const budget = { boxes: maxBoxes };
  const movie = await child(file, { type: 'file', start: 0, end: size }, 'moov', budget);
  if (!movie) return undefined;
  let tracks = 0;
  for await (const track of boxesIn(file, movie, budget)) {
    if (track.type !== 'trak') continue;
    const codec = await audioCodecOf(file, track, budget);
    if (codec !== undefined || ++tracks >= maxTracks) return codec;
  }
  return undefined;
}

/** Whether boxes fill the file to its last byte, and the one that describes the others is among them. */
export async function isWholeMp4(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  let end = 0;
  let described = false;
  for await (const box of boxesIn(file, { type: 'file', start: 0, end: size }, { boxes: maxBoxes })) {
    end = box.end;
    described ||= box.type === 'moov';
  }
  return described && end === size;
}

async function audioCodecOf(file: FileHandle, track: Box, budget: BoxBudget): Promise<string | undefined> {
  const media = await child(file, track, 'mdia', budget);
  const handler = media && (await child(file, media, 'hdlr', budget));
  if (!handler || (await read(file, handler.start + 8, 4)).toString('latin1') !== 'soun') return undefined;
  const information = await child(file, media, 'minf', budget);
  const table = information && (await child(file, information, 'stbl', budget));
  const description = table && (await child(file, table, 'stsd', budget));
  if (!description) return undefined;
  const { start, end } = description;
  return codecIn(await read(file, start, Math.min(end - start, maxDescriptionBytes)));
}

/** Sample entries whose names differ in MIME parameters. */
const codecNames: ReadonlyMap<string, string> = new Map([
  ['Opus', 'opus'],
  ['fLaC', 'flac'],
  ['.mp3', 'mp3'],
]);

/**
 * The codec in the first entry of a sample description: version and count come first, then length, name and
 * fields.
 */
function codecIn(description: Buffer): string | undefined {
  const name = description.toString('latin1', 12, 16);
  if (name === 'mp4a') return advancedAudio(description);
  return codecNames.get(name) ?? (/^[\w.-]{4}$/.test(name) ? name : undefined);
}

/** The object type and the audio type from the elementary stream descriptor (ISO 14496-1, 14496-3). */
function advancedAudio(description: Buffer): string {
  const at = description.indexOf('esds', 16, 'latin1');
  const stream = at < 0 ? undefined : descriptor(description.subarray(at + 8), 0x03);
  const decoder = stream && descriptor(stream.subarray(streamHeaderBytes(stream)), 0x04);
  const objectType = decoder?.[0];
  if (decoder === undefined || objectType === undefined) return 'mp4a';
  const [first = 0, second = 0] = descriptor(decoder.subarray(13), 0x05) ?? [];
  const short = first >> 3;
  const audioType = short === 31 ? 32 + ((first & 7) << 3) + (second >> 5) : short;
  const kind = `mp4a.${objectType.toString(16).padStart(2, '0')}`;
  return objectType === 0x40 && audioType > 0 ? `${kind}.${audioType}` : kind;
}

/** The length of the header: an id, flags, and what the flags announce. */
function streamHeaderBytes(stream: Uint8Array): number {
  const flags = stream[2] ?? 0;
  const dependence = flags & 0x80 ? 2 : 0;
  const address = flags & 0x40 ? 1 + (stream[3 + dependence] ?? 0) : 0;
  return 3 + dependence + address + (flags & 0x20 ? 2 : 0);
}

/** The content of the descriptor at the start of `bytes`. Its length has up to four groups of seven bits. */
function descriptor(bytes: Uint8Array, tag: number): Uint8Array | undefined {
  if (bytes[0] !== tag) return undefined;
  let length = 0;
  for (let at = 1; at <= 4; at++) {
    const group = bytes[at] ?? 0;
    length = (length << 7) | (group & 0x7f);
    if (group < 0x80) return bytes.subarray(at + 1, at + 1 + length);
  }
  return undefined;
}

async function child(
  file: FileHandle,
  parent: Box,
  type: string,
  budget: BoxBudget,
): Promise<Box | undefined> {
  for await (const box of boxesIn(file, parent, budget)) if (box.type === type) return box;
  return undefined;
}

/** The boxes inside `parent` that lie within it. */
async function* boxesIn(file: FileHandle, { start, end }: Box, budget: BoxBudget): AsyncGenerator<Box> {
  for (let at = start; at + 8 <= end && budget.boxes > 0; budget.boxes--) {
    const header = await read(file, at, 16);
    if (header.length < 8) return;
    const { size, headerSize } = sizeOf(header, end - at);
    if (size < headerSize || at + size > end) return;
    yield { type: header.toString('latin1', 4, 8), start: at + headerSize, end: at + size };
    at += size;
  }
}

/** A size of 1 announces a longer field; 0 means that the box is the last one. */
function sizeOf(header: Buffer, rest: number): { readonly size: number; readonly headerSize: number } {
  const size = header.readUInt32BE(0);
  if (size === 0) return { size: rest, headerSize: 8 };
  if (size !== 1) return { size, headerSize: 8 };
  return { size: header.length < 16 ? 0 : Number(header.readBigUInt64BE(8)), headerSize: 16 };
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
