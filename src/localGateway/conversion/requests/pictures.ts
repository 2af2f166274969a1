import { imageOf, stringOf } from '../../../wire/apis/encoding.ts';
import type { ForeignPart } from '../../../wire/message.ts';
import type { ConversionNotes } from '../notes.ts';

const typesByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** The picture at a data URL or an address. Throws an HttpError for anything else. */
export function picturePart(url: unknown, at: string, notes: ConversionNotes): ForeignPart {
  const inline = imageOf(url);
  if (inline) return inline;
  const link = stringOf(url);
  if (!/^(https?|gs):/i.test(link))
    throw notes.refusal(at, 'takes pictures as base64 data or by an address that begins with https:');
  return { type: 'imageLink', url: link, ...typeOfLink(link) };
}

function typeOfLink(url: string): { readonly mimeType?: string } {
  const [, ending = ''] = /\.([a-z]+)(?:[?#]|$)/i.exec(url) ?? [];
  const mimeType = Object.hasOwn(typesByEnding, ending.toLowerCase())
    ? typesByEnding[ending.toLowerCase()]
    : undefined;
  return mimeType === undefined ? {} : { mimeType };
}

/** A picture or a document by its media type. */
export function dataPart(mimeType: string, data: string, name?: string): ForeignPart {
  if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data };
  return { type: 'document', mimeType, data, ...(name !== undefined && { name }) };
}

/** A file in a data URL. Throws an HttpError for one that lies at the provider. */
export function filePart(
  data: unknown,
  name: string | undefined,
  at: string,
  notes: ConversionNotes,
): ForeignPart {
  const file = imageOf(data);
  if (file) return dataPart(file.mimeType, file.data, name);
  throw notes.refusal(at, 'cannot be given a file that lies elsewhere; send it as a data URL');
}
