import { createHash } from 'node:crypto';
import { isCount, isObject, type JsonObject } from '../../../base/json.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { ConversationReading } from '../reading/conversationReading.ts';
import { type Piece, parseJsonBytes } from '../reading/filePiece.ts';
import type { ImportEvent } from '../reading/importEvent.ts';
import { createDraftEvent, type FileImport } from '../reading/jsonImport.ts';
import { vscodeChat } from './vscodeChat.ts';

// The kinds of lines.
const initialKind = 0;
const setKind = 1;
const pushKind = 2;
const removeKind = 3;

const firstLinePattern = /^\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:/;

/**
 * Whether a file with this beginning is a stored session of VS Code: each line changes the state of earlier
 * lines.
 */
export function isSessionLog(head: string): boolean {
  return firstLinePattern.test(head);
}

/** Imports a stored session log of VS Code: one conversation, as far as its lines are complete. */
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
    const location = { conversation: 1, byte, line };
    size += piece.type === 'value' ? piece.bytes.length : 0;
    if (size > maxBytes || piece.type !== 'value') {
      yield { type: 'problem', location, problem: explain('import-too-large', { maxBytes }) };
      return;
    }
    hash.update(piece.bytes);
    const parsed = parseJsonBytes(piece.bytes);
    if ('value' in parsed && isObject(parsed.value) && log.applyLine(parsed.value)) continue;
    const problem =
      'cause' in parsed ? explain('import-cut') : explain('import-damaged', { member: `line ${line ?? ''}` });
    yield { type: 'problem', location, problem };
    hasFault = true;
    break;
  }
  const { session } = log;
  if (!session || !vscodeChat.recognizes(session)) {
    if (!hasFault) yield { type: 'problem', location: {}, problem: explain('import-unknown-format') };
    return;
  }
  const reading = new ConversationReading();
  yield createDraftEvent(() => vscodeChat.read(session, { reading, files: new Map() }), {
    ...{ reading, isDamaged: false, now, source: 'vscode' },
    location: { conversation: 1 },
    fingerprint: () => hash.digest('hex'),
  });
}

/** A session that is read from its log, line by line. */
class SessionLog {
  #session: unknown;

  /** The session after the lines so far. */
  get session(): JsonObject | undefined {
    return isObject(this.#session) ? this.#session : undefined;
  }

  /** @returns false if the line does not fit the earlier lines; the session does not change then */
  applyLine(line: JsonObject): boolean {
    if (line.kind === initialKind) {
      this.#session = line.v;
      return true;
    }
    const path = Array.isArray(line.k) ? line.k : [];
    if (path.length === 0) return false;
    const name = path.at(-1);
    const target = path.slice(0, -1).reduce(getMember, this.#session);
    if (line.kind === pushKind) return pushItems(getMember(target, name), line);
    if (line.kind === setKind) return setMember(target, name, line.v);
    return line.kind === removeKind && setMember(target, name, undefined);
  }
}

/** Returns an own member, not an inherited one. */
function getMember(value: unknown, name: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof name !== 'string' && typeof name !== 'number') return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string | number, unknown>)[name] : undefined;
}

/** @returns false if the target has no such member and it cannot be added */
function setMember(target: unknown, name: unknown, value: unknown): boolean {
  if (Array.isArray(target)) {
    // A huge index would create an array with holes that takes too long to process.
    if (!isCount(name) || name > target.length) return false;
    target[name] = value;
    return true;
  }
  if (!isObject(target) || typeof name !== 'string') return false;
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  return true;
}

function pushItems(target: unknown, { v, i }: JsonObject): boolean {
  if (!Array.isArray(target)) return false;
  if (i !== undefined && !isCount(i)) return false;
  if (i !== undefined) target.length = Math.min(target.length, i);
  for (const value of Array.isArray(v) ? v : []) target.push(value);
  return true;
}
