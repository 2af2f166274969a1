/** The type of a file, detected from its bytes. */
export interface MediaType {
  readonly kind: 'video' | 'image' | 'audio';
  readonly mimeType: string;
  /** Without the dot. */
  readonly extension: string;
}

/** The number of bytes that determine a file's type. */
export const signatureBytes = 64;

const video = (name: string, extension: string) => createType('video', name, extension);
const image = (name: string, extension: string) => createType('image', name, extension);
const audio = (name: string, extension: string) => createType('audio', name, extension);

function createType(kind: MediaType['kind'], name: string, extension: string): MediaType {
  return { kind, mimeType: `${kind}/${name}`, extension };
}

const mp4 = video('mp4', 'mp4');
const mov = video('quicktime', 'mov');
const heic = image('heic', 'heic');
const avif = image('avif', 'avif');
const mp3 = audio('mpeg', 'mp3');
const aac = audio('aac', 'aac');

/** The characters of each type at one or two offsets; the first match counts. */
const signatures: readonly (readonly [
  type: MediaType,
  offset: number,
  magic: string,
  secondOffset?: number,
  secondMagic?: string,
])[] = [
  [image('png', 'png'), 0, '\x89PNG\r\n\x1a\n'],
  [image('jpeg', 'jpg'), 0, '\xff\xd8\xff'],
  [image('gif', 'gif'), 0, 'GIF87a'],
  [image('gif', 'gif'), 0, 'GIF89a'],
  [image('webp', 'webp'), 0, 'RIFF', 8, 'WEBP'],
  [audio('wav', 'wav'), 0, 'RIFF', 8, 'WAVE'],
  [video('x-msvideo', 'avi'), 0, 'RIFF', 8, 'AVI '],
  [mov, 4, 'ftypqt  '],
  [video('3gpp', '3gp'), 4, 'ftyp3g'],
  [audio('mp4', 'm4a'), 4, 'ftypM4A '],
  [avif, 4, 'ftypavif'],
  [avif, 4, 'ftypavis'],
  [heic, 4, 'ftyphei'],
  [heic, 4, 'ftypmif1'],
  [mp4, 4, 'ftyp'],
  // Old QuickTime files lack the box with their type.
  [mov, 4, 'moov'],
  [mov, 4, 'mdat'],
  [mov, 4, 'wide'],
  [audio('ogg', 'ogg'), 0, 'OggS'],
  [audio('flac', 'flac'), 0, 'fLaC'],
  [mp3, 0, 'ID3'],
  [mp3, 0, '\xff\xfb'],
  [mp3, 0, '\xff\xf3'],
  [mp3, 0, '\xff\xf2'],
  [aac, 0, '\xff\xf1'],
  [aac, 0, '\xff\xf9'],
];

const ebmlMagic = '\x1a\x45\xdf\xa3';
const webm = video('webm', 'webm');
const matroska = video('x-matroska', 'mkv');

/** The type of a file that begins with `bytes`; undefined unless it is a video, an image or audio. */
export function sniffMedia(bytes: Uint8Array): MediaType | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, signatureBytes));
  if (text.startsWith(ebmlMagic)) return text.includes('webm') ? webm : matroska;
  return signatures.find(
    ([, offset, magic, secondOffset = 0, secondMagic = '']) =>
      text.startsWith(magic, offset) && text.startsWith(secondMagic, secondOffset),
  )?.[0];
}
