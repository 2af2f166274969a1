import type { MessageRecord, PortableConversation } from '../../conversation/conversationRecord.ts';
import { normalizeConversation, normalizeMessage } from './ownRecords.ts';

/** The name in the first line of a file. An import recognizes the file by this name. */
export const ownFormatName = 'model-gateway-conversations';

/** The version of the format. It increases when older versions of the extension cannot read new files. */
export const ownFormatVersion = 1;

const silentReading = { countDropped: () => {} };

/**
 * Writes conversations as JSON Lines: a line with the format name; for each conversation a line of its own, one
 * for each message and one for each attachment, with its bytes in base64; and a last line with the number of
 * conversations, which reveals truncated files. The same conversations produce the same bytes. Deleted
 * conversations are omitted; an arriving reply is written as stopped.
 *
 * @throws the reason of the signal when it is aborted
 */
export async function* exportConversations(
  conversations: AsyncIterable<PortableConversation> | Iterable<PortableConversation>,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0;
  yield writeLine({ format: ownFormatName, version: ownFormatVersion });
  for await (const chat of conversations) {
    signal?.throwIfAborted();
    if (chat.conversation.deletedAt !== undefined) continue;
    count += 1;
    yield* writeConversation(chat);
  }
  signal?.throwIfAborted();
  yield writeLine({ type: 'end', conversations: count });
}

function* writeConversation({
  conversation,
  messages,
  attachments,
}: PortableConversation): Generator<Uint8Array> {
  const counts = { messages: messages.length, attachments: attachments.length };
  yield writeLine({
    type: 'conversation',
    ...counts,
    ...(normalizeConversation(conversation, silentReading) as object),
  });
  for (const message of messages) {
    yield writeLine({
      type: 'message',
      ...(normalizeMessage(stopIfArriving(message), silentReading) as object),
    });
  }
  const sorted = attachments.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
  for (const { hash, bytes } of sorted) {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
    yield writeLine({ type: 'attachment', hash, data });
  }
}

function stopIfArriving(message: MessageRecord): MessageRecord {
  return message.state === 'arriving' ? { ...message, state: 'stopped' } : message;
}

function writeLine(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
