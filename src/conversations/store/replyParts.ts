import type { PartRecord } from '../conversation/conversationRecord.ts';
import type { Image, Reply } from '../conversation/reply.ts';
import type { Attachments } from './attachments.ts';

/**
 * The parts of a reply for storage, with its pictures as attachments and its citations last. Missing
 * attachments stay listed, in case their bytes return.
 *
 * @throws {StorageError} if a picture cannot be stored
 */
export async function storeReplyParts(
  reply: Reply,
  attachments: Attachments,
): Promise<readonly PartRecord[]> {
  const hashes = new Map<Image, string>();
  for (const part of reply.parts) {
    if (part.type === 'image') hashes.set(part, await attachments.add(Buffer.from(part.data, 'base64')));
  }
  return partRecords(reply, hashes);
}

/**
 * `storeReplyParts` of each reply.
 *
 * @throws {StorageError} if a picture cannot be stored
 */
export function storeReplies(
  replies: readonly Reply[],
  attachments: Attachments,
): Promise<readonly (readonly PartRecord[])[]> {
  return Promise.all(replies.map((reply) => storeReplyParts(reply, attachments)));
}

/** The parts of an arriving reply, without the pictures that are not stored yet. */
export function partRecords(
  reply: Reply,
  hashes: ReadonlyMap<Image, string> = new Map(),
): readonly PartRecord[] {
  const parts = reply.parts.flatMap((part): readonly PartRecord[] => {
    if (part.type !== 'image') return [part];
    const hash = hashes.get(part);
    return hash === undefined ? [] : [{ type: 'image', mimeType: part.mimeType, hash }];
  });
  const citations = reply.citations.map(
    ({ url, title }): PartRecord => ({
      type: 'citation',
      ...(url !== undefined && { url }),
      ...(title !== undefined && { title }),
    }),
  );
  return [...parts, ...(reply.missing ?? []), ...citations];
}
