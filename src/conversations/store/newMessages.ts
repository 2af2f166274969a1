import { randomUUID } from 'node:crypto';
import { limitLength } from '../../base/truncate.ts';
import type { WriteContext } from '../../storage/database.ts';
import type { ChatRequestRecord, MessageRecord, PartRecord } from '../conversation/conversationRecord.ts';
import { storeHead } from './branches.ts';
import { type ConversationSettings, storeSettings } from './conversationRows.ts';
import { findMessagePosition, insertMessage } from './messageRows.ts';

/** A question with its replies, or only replies below an existing message. */
export interface NewQuestion {
  /**
   * The id of the parent: the last reply for a further question, the question for another reply, or the truncated
   * reply for a continuation. Absent for a question at the root.
   */
  readonly parent?: string;
  readonly question?: {
    /** A new UUID by default. */
    readonly id?: string;
    readonly parts: readonly PartRecord[];
    /** The id of the sibling that the user edited. */
    readonly editOf?: string;
  };
  /** One for each requested model. The first reply becomes the head, or without replies, the question. */
  readonly replies: readonly { readonly id?: string; readonly request: ChatRequestRecord }[];
  /** The new settings of the conversation. */
  readonly settings?: ConversationSettings;
}

/** The ids of the new messages. */
export interface NewMessageIds {
  readonly question?: string;
  readonly replies: readonly string[];
}

/** The user's own text, which becomes a sibling of a message. */
export interface Edit {
  readonly id?: string;
  readonly parts: readonly PartRecord[];
  /** Of a reply: the request of the reply before the edit. */
  readonly request?: ChatRequestRecord;
  /** Of an edited placeholder reply: the id of its question. */
  readonly question?: string | undefined;
}

/** The length of the beginning of a question in lists, in characters. */
const beginningLength = 200;

/** Creates the beginning of a question on one line, for lists. */
export function createBeginning(choices: MessageRecord['choices']): string {
  const text = choices[0]?.map((part) => (part.type === 'text' ? part.text : '')).join(' ') ?? '';
  // Enough text for one line, even after leading blank lines.
  return limitLength(
    limitLength(text, 10 * beginningLength)
      .replace(/\s+/g, ' ')
      .trim(),
    beginningLength,
  );
}

/** Runs within a transaction. Stores the beginning of the first question if there is none yet. */
export function storeBeginning(
  { database }: WriteContext,
  conversation: number,
  messages: readonly MessageRecord[],
): void {
  const question = messages.find(({ role }) => role === 'user');
  if (!question) return;
  const sql = `UPDATE conversations SET beginning = ? WHERE key = ? AND beginning = ''`;
  database.run(sql, createBeginning(question.choices), conversation);
}

/**
 * Runs within a transaction. Restores deleted messages above the new ones.
 *
 * @returns undefined if there is no such parent
 */
export function insertQuestion(
  context: WriteContext,
  conversation: number,
  newQuestion: NewQuestion,
): NewMessageIds | undefined {
  const { parent: parentId, question, replies, settings } = newQuestion;
  const parent = parentId === undefined ? undefined : findAndRestore(context, conversation, parentId);
  if (parentId !== undefined && parent === undefined) return undefined;
  const createdAt = context.now();
  const questionMessage = question && {
    conversation,
    parent,
    createdAt,
    id: question.id ?? randomUUID(),
    role: 'user' as const,
    state: 'done' as const,
    choices: [question.parts],
    ...(question.editOf !== undefined && { editOf: question.editOf }),
  };
  const questionKey = questionMessage && insertMessage(context, questionMessage);
  const ids = replies.map(({ id = randomUUID() }) => id);
  const keys = replies.map(({ request }, index) =>
    insertMessage(context, {
      conversation,
      parent: questionKey ?? parent,
      createdAt,
      id: ids[index] ?? '',
      role: 'assistant',
      state: 'arriving',
      choices: [],
      request,
      owner: context.window,
    }),
  );
  if (settings) storeSettings(context, conversation, settings);
  touchConversation(context, conversation, questionMessage?.choices ?? []);
  const [head = questionKey] = keys;
  // In this order, so that the parent stores the question as its last child, and the question stores its reply.
  if (questionKey !== undefined) storeHead(context, conversation, questionKey);
  if (head !== undefined) storeHead(context, conversation, head);
  return { ...(questionMessage && { question: questionMessage.id }), replies: ids };
}

/**
 * Runs within a transaction. Adds the edited text as a sibling of a reply, even a deleted one, or below a
 * question without a reply. Restores the messages above it.
 *
 * @returns the id of the new message; undefined if there is no such message
 */
export function insertEdit(
  context: WriteContext,
  conversation: number,
  editedId: string,
  { id = randomUUID(), parts, request, question }: Edit,
): string | undefined {
  const position =
    findEditPosition(context, conversation, editedId) ?? findPositionBelow(context, conversation, question);
  if (!position) return undefined;
  const { role, parent } = position;
  if (parent !== undefined) restoreWithAncestors(context, parent);
  const createdAt = context.now();
  const added = insertMessage(context, {
    conversation,
    parent,
    id,
    role,
    createdAt,
    editOf: editedId,
    state: 'done',
    choices: [parts],
    ...(request && { request }),
  });
  touchConversation(context, conversation, []);
  storeHead(context, conversation, added);
  return id;
}

interface EditPosition {
  readonly role: MessageRecord['role'];
  /** The key of the message above. */
  readonly parent: number | undefined;
}

function findEditPosition(
  context: WriteContext,
  conversation: number,
  editedId: string,
): EditPosition | undefined {
  const row = context.database.get<{ role: MessageRecord['role']; parent: number | null }>(
    'SELECT role, parent FROM messages WHERE conversation = ? AND id = ?',
    conversation,
    editedId,
  );
  return row && { role: row.role, parent: row.parent ?? undefined };
}

function findPositionBelow(
  context: WriteContext,
  conversation: number,
  question: string | undefined,
): EditPosition | undefined {
  const parent = findMessagePosition(context, conversation, question)?.key;
  return parent === undefined ? undefined : { role: 'assistant', parent };
}

/** Stores the time of the change and a missing beginning. Restores a deleted conversation. */
function touchConversation(
  { database, now }: WriteContext,
  conversation: number,
  question: MessageRecord['choices'],
): void {
  database.run(
    `UPDATE conversations SET changedAt = ?, deletedAt = NULL, beginning = iif(beginning = '', ?, beginning) WHERE key = ?`,
    now(),
    createBeginning(question),
    conversation,
  );
}

/** Finds the key of a message. A deleted message is restored with the messages above it. */
function findAndRestore(context: WriteContext, conversation: number, id: string): number | undefined {
  const key = findMessagePosition(context, conversation, id)?.key;
  if (key !== undefined) restoreWithAncestors(context, key);
  return key;
}

/** Restores a deleted message with its ancestors. Other messages do not have deleted ancestors. */
function restoreWithAncestors({ database }: WriteContext, message: number): void {
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
