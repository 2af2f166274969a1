import type { PartRecord } from '../conversation/record.ts';
import type { Image, Reply } from '../conversation/reply.ts';
import type { Attachments } from './attachments.ts';

/**
 * The parts of a reply as they are kept, its pictures as attachments, its citations last. What is missing stays named,
 * in case its bytes come back.
 *
 * @throws {StorageError} when a picture cannot be kept
 */
export async function keptParts(reply: Reply, attachments: Attachments): Promise<readonly PartRecord[]> {
  const hashes = new Map<Image, string>();
  for (const part of reply.parts) {
    if (part.type === 'image') hashes.set(part, await attachments.keep(Buffer.from(part.data, 'base64')));
  }
  return partRecords(reply, hashes);
}

/**
 * `keptParts` of each reply.
 *
 * @throws {StorageError} when a picture cannot be kept
 */
export function keptReplies(
  replies: readonly Reply[],
  attachments: Attachments,
): Promise<readonly (readonly PartRecord[])[]> {
  return Promise.all(replies.map((reply) => keptParts(reply, attachments)));
}

/** The parts of a reply that still arrives, without the pictures that are not kept yet. */
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
