import { randomUUID } from 'node:crypto';
import { startOf } from '../../base/truncate.ts';
import type { MessageRecord, PartRecord, RequestRecord } from '../conversation/record.ts';
import { storeHead } from './branches.ts';
import { type ConversationSettings, storeSettings } from './conversationRows.ts';
import { insertMessage } from './messageRows.ts';
import type { StoreContext } from './storeContext.ts';

/** A question with its answers, or answers alone below a message that is there. */
export interface Asking {
  /**
   * The message below which this stands: the last answer for a further question, the question for another
   * answer, the cut answer to continue it. Absent for a question at the root.
   */
  readonly parent?: string;
  readonly question?: {
    /** A new UUID by default. */
    readonly id?: string;
    readonly parts: readonly PartRecord[];
    /** The sibling that the user edited. */
    readonly editOf?: string;
  };
  /** One for each model that is asked. The first becomes the head; the question itself where there is none. */
  readonly answers: readonly { readonly id?: string; readonly request: RequestRecord }[];
  /** Replace those of the conversation. */
  readonly settings?: ConversationSettings;
}

/** The ids of the new messages. */
export interface Asked {
  readonly question?: string;
  readonly answers: readonly string[];
}

/** A message as it is typed or edited by the user. */
export interface Edit {
  readonly id?: string;
  readonly parts: readonly PartRecord[];
  /** Of an answer: who was asked for what it was before. */
  readonly request?: RequestRecord;
  /** Of an answer that stands for a missing one: the id of its question. */
  readonly question?: string | undefined;
}

const beginningLength = 200;

/** The first question's beginning on one line, for lists. */
export function beginningOf(choices: MessageRecord['choices']): string {
  const text = choices[0]?.map((part) => (part.type === 'text' ? part.text : '')).join(' ') ?? '';
  // Enough for a line of it, also where it begins with blank lines.
  return startOf(
    startOf(text, 10 * beginningLength)
      .replace(/\s+/g, ' ')
      .trim(),
    beginningLength,
  );
}

/** Runs within a transaction. Stores the beginning of the first question, unless it is known already. */
export function storeBeginning(
  { database }: StoreContext,
  conversation: number,
  messages: readonly MessageRecord[],
): void {
  const question = messages.find(({ role }) => role === 'user');
  if (!question) return;
  const sql = `UPDATE conversations SET beginning = ? WHERE key = ? AND beginning = ''`;
  database.run(sql, beginningOf(question.choices), conversation);
}

/**
 * Runs within a transaction. What was deleted meanwhile comes back, as far as the new messages stand below it.
 *
 * @returns undefined when there is no such parent
 */
export function insertAsking(context: StoreContext, conversation: number, asking: Asking): Asked | undefined {
  const { parent: parentId, question, answers, settings } = asking;
  const parent = parentId === undefined ? undefined : revivedKey(context, conversation, parentId);
  if (parentId !== undefined && parent === undefined) return undefined;
  const createdAt = context.now();
  const asked = question && {
    ...{ conversation, parent, createdAt, id: question.id ?? randomUUID(), role: 'user' as const },
    ...{ state: 'done' as const, choices: [question.parts] },
    ...(question.editOf !== undefined && { editOf: question.editOf }),
  };
  const questionKey = asked && insertMessage(context, asked);
  const ids = answers.map(({ id = randomUUID() }) => id);
  const keys = answers.map(({ request }, nth) =>
    insertMessage(context, {
      ...{ conversation, parent: questionKey ?? parent, createdAt, id: ids[nth] ?? '', role: 'assistant' },
      ...{ state: 'arriving', choices: [], request, owner: context.window },
    }),
  );
  if (settings) storeSettings(context, conversation, settings);
  noteAdded(context, conversation, asked?.choices ?? []);
  const [head = questionKey] = keys;
  if (head !== undefined) showAsked(context, conversation, head, questionKey);
  return { ...(asked && { question: asked.id }), answers: ids };
}

/**
 * Runs within a transaction. Adds the edited text beside an answer, also one that was deleted meanwhile, or below a
 * question without one; what is above it comes back.
 *
 * @returns the id of the new message; undefined when there is no such message
 */
export function insertEdited(
  context: StoreContext,
  conversation: number,
  edited: string,
  { id = randomUUID(), parts, request, question }: Edit,
): string | undefined {
  const place = placeOfEdit(context, conversation, edited) ?? placeOfAnswer(context, conversation, question);
  if (!place) return undefined;
  const { role, parent } = place;
  if (parent !== undefined) revive(context, parent);
  const createdAt = context.now();
  const added = insertMessage(context, {
    ...{ conversation, parent, id, role, createdAt, editOf: edited },
    ...{ state: 'done', choices: [parts] },
    ...(request && { request }),
  });
  noteAdded(context, conversation, []);
  storeHead(context, conversation, added);
  return id;
}

interface EditPlace {
  readonly role: MessageRecord['role'];
  /** The key of the message above. */
  readonly parent: number | undefined;
}

function placeOfEdit(context: StoreContext, conversation: number, edited: string): EditPlace | undefined {
  const found = context.database.get<{ role: MessageRecord['role']; parent: number | null }>(
    'SELECT role, parent FROM messages WHERE conversation = ? AND id = ?',
    ...[conversation, edited],
  );
  return found && { role: found.role, parent: found.parent ?? undefined };
}

function placeOfAnswer(
  context: StoreContext,
  conversation: number,
  question: string | undefined,
): EditPlace | undefined {
  if (question === undefined) return undefined;
  const sql = 'SELECT key FROM messages WHERE conversation = ? AND id = ?';
  const parent = context.database.get<{ key: number }>(sql, conversation, question)?.key;
  return parent === undefined ? undefined : { role: 'assistant', parent };
}

function noteAdded(
  { database, now }: StoreContext,
  conversation: number,
  question: MessageRecord['choices'],
): void {
  database.run(
    `UPDATE conversations SET changedAt = ?, deletedAt = NULL, beginning = iif(beginning = '', ?, beginning) WHERE key = ?`,
    ...[now(), beginningOf(question), conversation],
  );
}

/** The question counts as shown, and then its first answer. */
function showAsked(
  context: StoreContext,
  conversation: number,
  head: number,
  question: number | undefined,
): void {
  if (question !== undefined) storeHead(context, conversation, question);
  storeHead(context, conversation, head);
}

/** The key of a message that may be deleted; it is not deleted any more, nor is what is above it. */
function revivedKey(context: StoreContext, conversation: number, id: string): number | undefined {
  const sql = 'SELECT key FROM messages WHERE conversation = ? AND id = ?';
  const found = context.database.get<{ key: number }>(sql, conversation, id);
  if (found) revive(context, found.key);
  return found?.key;
}

/** Nothing above a message can be deleted where it is not. */
function revive({ database }: StoreContext, message: number): void {
  const sql = 'SELECT 1 FROM messages WHERE key = ? AND deletedAt IS NULL';
  if (database.get(sql, message)) return;
  database.run(
    `WITH RECURSIVE up (key, parent) AS (
       SELECT key, parent FROM messages WHERE key = ?
       UNION ALL SELECT messages.key, messages.parent FROM up JOIN messages ON messages.key = up.parent
     ) UPDATE messages SET deletedAt = NULL, deletedWith = NULL WHERE key IN (SELECT key FROM up)`,
    message,
  );
}
