import type { WriteContext } from '../../storage/database.ts';
import type { MessageRecord } from '../conversation/conversationRecord.ts';
import { optionalMember } from './conversationRows.ts';
import { findMessageKey } from './messageRows.ts';

/** A message without its texts. */
export interface MessageNode
  extends Pick<MessageRecord, 'id' | 'parent' | 'role' | 'state' | 'createdAt' | 'editOf' | 'lastChild'> {
  /** Of a reply: the model of its request. */
  readonly model?: string;
}

interface NodeRow {
  readonly key: number;
  readonly id: string;
  readonly parent: number | null;
  readonly role: MessageNode['role'];
  readonly state: MessageNode['state'];
  readonly createdAt: number;
  readonly editOf: string | null;
  readonly lastChild: number | null;
  readonly model: string | null;
}

/** SQL for the messages from `?` up to the root. It ends even in a damaged file, because keys must decrease. */
const upwards = `
  WITH RECURSIVE up (key, parent) AS (
    SELECT key, parent FROM messages WHERE key = ?
    UNION ALL
    SELECT messages.key, messages.parent FROM up JOIN messages ON messages.key = up.parent AND messages.key < up.key
  )`;

/** Reads the whole tree, in insertion order. */
export function readTree({ database }: WriteContext, conversation: number): readonly MessageNode[] {
  const rows = database.all<NodeRow>(
    `SELECT key, id, parent, role, state, createdAt, editOf, lastChild, model FROM messages
     WHERE conversation = ? AND deletedAt IS NULL ORDER BY key`,
    conversation,
  );
  const ids = new Map(rows.map(({ key, id }) => [key, id]));
  const findId = (key: number | null) => (key === null ? null : (ids.get(key) ?? null));
  return rows.map(({ id, role, state, createdAt, ...row }) => ({
    id,
    ...optionalMember('parent', findId(row.parent)),
    role,
    state,
    createdAt,
    ...optionalMember('editOf', row.editOf),
    ...optionalMember('lastChild', findId(row.lastChild)),
    ...optionalMember('model', row.model),
  }));
}

/** Reads the keys of the messages from the root to a message. */
export function readPathKeys({ database }: WriteContext, message: number): readonly number[] {
  return database.values(`${upwards} SELECT key FROM up ORDER BY key`, message).map(([key]) => Number(key));
}

/** Reads the ids of the messages from the root to a message. */
export function readPathIds({ database }: WriteContext, message: number): readonly string[] {
  const sql = `${upwards} SELECT id FROM messages WHERE key IN (SELECT key FROM up) ORDER BY key`;
  return database.values(sql, message).map(([id]) => String(id));
}

export function readHead({ database }: WriteContext, conversation: number): number | undefined {
  const sql = 'SELECT head FROM conversations WHERE key = ?';
  return database.get<{ head: number | null }>(sql, conversation)?.head ?? undefined;
}

/** Finds the last shown leaf of a branch: follows the last shown children, or else the newest children. */
export function findLeaf({ database }: WriteContext, message: number): number {
  const rows = database.values(
    `WITH RECURSIVE down (key, lastChild) AS (
       SELECT key, lastChild FROM messages WHERE key = ?
       UNION ALL
       SELECT child.key, child.lastChild FROM down JOIN messages AS child ON child.key = coalesce(
         (SELECT key FROM messages WHERE key = down.lastChild AND parent = down.key AND deletedAt IS NULL),
         (SELECT max(key) FROM messages WHERE parent = down.key AND deletedAt IS NULL))
       WHERE child.key > down.key
     ) SELECT max(key) FROM down`,
    message,
  );
  return Number(rows[0]?.[0] ?? message);
}

/** Runs within a transaction. Makes a message the end of the path that is shown. */
export function storeHead(context: WriteContext, conversation: number, head: number | undefined): void {
  const { database } = context;
  const previousHead = readHead(context, conversation);
  if (previousHead === head) return;
  database.run('UPDATE conversations SET head = ? WHERE key = ?', head ?? null, conversation);
  if (head === undefined) return;
  const parent = readParent(context, head);
  if (parent === undefined) return;
  const isSiblingOrChild =
    previousHead === parent || (previousHead !== undefined && readParent(context, previousHead) === parent);
  if (isSiblingOrChild) rememberChild(context, parent, head);
  else rememberPath(context, head);
}

/** Runs within a transaction. @returns the new head; undefined if there is no such message */
export function showBranch(context: WriteContext, conversation: number, id: string): number | undefined {
  const message = findMessageKey(context, conversation, id);
  if (message === undefined) return undefined;
  const leaf = findLeaf(context, message);
  storeHead(context, conversation, leaf);
  return leaf;
}

export function readParent({ database }: WriteContext, message: number): number | undefined {
  const sql = 'SELECT parent FROM messages WHERE key = ?';
  return database.get<{ parent: number | null }>(sql, message)?.parent ?? undefined;
}

/** SQL that is true if the message has, or had, several children. A single child does not need a record. */
const isFork = `(messages.lastChild IS NOT NULL OR EXISTS (
  SELECT 1 FROM messages AS sibling
  WHERE sibling.parent = messages.key AND sibling.key <> shown.key AND sibling.deletedAt IS NULL))`;

function rememberChild({ database }: WriteContext, parent: number, child: number): void {
  database.run(
    `UPDATE messages SET lastChild = shown.key FROM (SELECT ? AS key) AS shown
     WHERE messages.key = ? AND messages.lastChild IS NOT shown.key AND ${isFork}`,
    child,
    parent,
  );
}

/** Ancestors may have shown other children, so the whole path is updated. */
function rememberPath({ database }: WriteContext, message: number): void {
  database.run(
    `${upwards} UPDATE messages SET lastChild = shown.key FROM up AS shown
     WHERE messages.key = shown.parent AND messages.lastChild IS NOT shown.key AND ${isFork}`,
    message,
  );
}
