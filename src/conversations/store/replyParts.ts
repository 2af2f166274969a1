import type { PartRecord } from '../conversation/conversationRecord.ts';
import type { Image, Reply } from '../conversation/reply.ts';
import type { Attachments } from './attachments.ts';

/**
 * Stores the pictures of a reply as attachments, and returns its parts, citations last. Missing attachments
 * remain in the list, because their bytes may be restored later.
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
  return createPartRecords(reply, hashes);
}

/**
 * Calls `storeReplyParts` for each reply.
 *
 * @throws {StorageError} if a picture cannot be stored
 */
export function storeReplies(
  replies: readonly Reply[],
  attachments: Attachments,
): Promise<readonly (readonly PartRecord[])[]> {
  return Promise.all(replies.map((reply) => storeReplyParts(reply, attachments)));
}

/** @param hashes the hashes of the stored pictures; pictures without a hash are omitted */
export function createPartRecords(
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
