import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { ConversationReading } from '../reading/conversationReading.ts';
import type { ImportEvent } from '../reading/importEvent.ts';
import { draftEvent, type FileImport } from '../reading/jsonImport.ts';
import { parsed } from '../reading/parsed.ts';
import type { Piece } from '../reading/piece.ts';
import { vscodeChat } from './vscodeChat.ts';

/** The kinds of lines. */
const whole = 0;
const set = 1;
const push = 2;
const remove = 3;

const firstLine = /^\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:/;

/** Whether a file that begins so is a session as VS Code keeps it on disk: each line changes what came before. */
export function isSessionLog(head: string): boolean {
  return firstLine.test(head);
}

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

/** A session that is read from its log, line by line. */
class SessionLog {
  #session: unknown;

  /** What the lines so far make of it. */
  get session(): JsonObject | undefined {
    return isObject(this.#session) ? this.#session : undefined;
  }

  /**
   * Takes in a line.
   *
   * @returns false where it fits nothing that came before; nothing is changed then
   */
  apply(line: JsonObject): boolean {
    if (line.kind === whole) {
      this.#session = line.v;
      return true;
    }
    const path = Array.isArray(line.k) ? line.k : [];
    if (path.length === 0) return false;
    const last = path.at(-1);
    const target = path.slice(0, -1).reduce(memberOf, this.#session);
    if (line.kind === push) return pushed(memberOf(target, last), line);
    if (line.kind === set) return wasSet(target, last, line.v);
    return line.kind === remove && wasSet(target, last, undefined);
  }
}

/** A member of its own, never one of the prototype. */
function memberOf(value: unknown, name: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof name !== 'string' && typeof name !== 'number') return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string | number, unknown>)[name] : undefined;
}

function wasSet(target: unknown, name: unknown, value: unknown): boolean {
  if (Array.isArray(target)) {
    // No holes: an index far away would make an array that takes for ever.
    if (!Number.isSafeInteger(name) || (name as number) < 0 || (name as number) > target.length) return false;
    target[name as number] = value;
    return true;
  }
  if (!isObject(target) || typeof name !== 'string') return false;
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  return true;
}

function pushed(target: unknown, { v, i }: JsonObject): boolean {
  if (!Array.isArray(target)) return false;
  if (i !== undefined && !(Number.isSafeInteger(i) && (i as number) >= 0)) return false;
  if (i !== undefined) target.length = Math.min(target.length, i as number);
  for (const value of Array.isArray(v) ? v : []) target.push(value);
  return true;
}
