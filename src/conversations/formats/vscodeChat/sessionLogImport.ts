import { createHash } from 'node:crypto';
import { isObject } from '../../../base/json.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import type { ImportEvent } from '../importEvent.ts';
import { ConversationReading } from '../reading/conversationReading.ts';
import { draftEvent, type FileImport } from '../reading/jsonImport.ts';
import { parsed } from '../reading/parsed.ts';
import type { Piece } from '../reading/piece.ts';
import { SessionLog } from './sessionLog.ts';
import { vscodeChat } from './vscodeChat.ts';

/** Imports a session that VS Code keeps on disk as a log: one conversation, as far as its lines are whole. */
export async function* importSessionLog(
  lines: AsyncIterable<Piece>,
  { maxConversationBytes: maxBytes, now }: FileImport,
): AsyncGenerator<ImportEvent, void, undefined> {
  const log = new SessionLog();
  const hash = createHash('sha256');
  let size = 0;
  let hasFault = false;
  for await (const piece of lines) {
    const { byte, line } = piece;
    const place = { conversation: 1, byte, line };
    size += piece.type === 'value' ? piece.bytes.length : 0;
    if (size > maxBytes || piece.type !== 'value') {
      yield { type: 'problem', place, problem: explain('import-too-large', { maxBytes }) };
      return;
    }
    hash.update(piece.bytes);
    const read = parsed(piece.bytes);
    if ('value' in read && isObject(read.value) && log.apply(read.value)) continue;
    const problem =
      'cause' in read ? explain('import-cut') : explain('import-damaged', { member: `line ${line ?? ''}` });
    yield { type: 'problem', place, problem };
    hasFault = true;
    break;
  }
  const { session } = log;
  if (!session || !vscodeChat.recognizes(session)) {
    if (!hasFault) yield { type: 'problem', place: {}, problem: explain('import-unknown-format') };
    return;
  }
  const reading = new ConversationReading();
  yield draftEvent(() => vscodeChat.read(session, { reading, files: new Map() }), {
    ...{ reading, isDamaged: false, now, source: 'vscode' },
    place: { conversation: 1 },
    fingerprint: () => hash.digest('hex'),
  });
}
