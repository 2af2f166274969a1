import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { explain } from '../../../wire/explanations/explanation.ts';
import type { ImportEvent } from '../importEvent.ts';
import { ConversationReading } from '../reading/conversationReading.ts';
import { draftEvent, type FileImport } from '../reading/jsonImport.ts';
import { PieceBytes } from '../reading/pieceBytes.ts';
import { readMarkdown } from './markdownImport.ts';

/** Imports a Markdown file, which is one conversation. */
export async function* importMarkdown(
  source: AsyncIterable<Buffer>,
  { maxConversationBytes: maxBytes, now }: FileImport,
): AsyncGenerator<ImportEvent, void, undefined> {
  const collected = new PieceBytes(maxBytes);
  for await (const chunk of source) {
    collected.add(chunk);
    if (!collected.isTooLarge) continue;
    yield { type: 'problem', place: { conversation: 1 }, problem: explain('import-too-large', { maxBytes }) };
    return;
  }
  const bytes = collected.take();
  const reading = new ConversationReading();
  const draft = readMarkdown(bytes.toString(), reading);
  if (!draft) yield { type: 'problem', place: {}, problem: explain('import-unknown-format') };
  else {
    yield draftEvent(() => draft, {
      ...{ reading, now, source: 'markdown', isDamaged: !isUtf8(bytes) },
      place: { conversation: 1 },
      fingerprint: () => createHash('sha256').update(bytes).digest('hex'),
    });
  }
}
