import type { MessageRecord } from '../../conversation/record.ts';
import type { PortableConversation } from '../reading/portableConversation.ts';
import { conversationRecord, messageRecord } from './ownRecords.ts';

/** The name in the first line of a file, by which it is recognized. */
export const ownFormatName = 'model-gateway-conversations';

/** Grows when an older version of the extension cannot read what is written. */
export const ownFormatVersion = 1;

const nobody = { dropped: () => {} };

/**
 * Writes conversations as JSON Lines: a line that names the format, then for each conversation a line of its own, one
 * for each message and one for each attachment, with its bytes in base64, and at the end a line with their number, by
 * which a file that was cut is known. The same conversations give the same bytes. Deleted ones are left out; a reply
 * that still arrives is written as a stopped one.
 *
 * @throws the reason of the signal when it is aborted
 */
export async function* exportConversations(
  conversations: AsyncIterable<PortableConversation> | Iterable<PortableConversation>,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0;
  yield line({ format: ownFormatName, version: ownFormatVersion });
  for await (const whole of conversations) {
    signal?.throwIfAborted();
    if (whole.conversation.deletedAt !== undefined) continue;
    count += 1;
    yield* conversationLines(whole);
  }
  signal?.throwIfAborted();
  yield line({ type: 'end', conversations: count });
}

function* conversationLines({
  conversation,
  messages,
  attachments,
}: PortableConversation): Generator<Uint8Array> {
  const counts = { messages: messages.length, attachments: attachments.length };
  yield line({ type: 'conversation', ...counts, ...record(conversationRecord(conversation, nobody)) });
  for (const message of messages) {
    yield line({ type: 'message', ...record(messageRecord(ended(message), nobody)) });
  }
  const sorted = attachments.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
  for (const { hash, bytes } of sorted) {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
    yield line({ type: 'attachment', hash, data });
  }
}

function ended(message: MessageRecord): MessageRecord {
  return message.state === 'arriving' ? { ...message, state: 'stopped' } : message;
}

function record(value: unknown): object {
  return value as object;
}

function line(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
