import type { SQLInputValue } from 'node:sqlite';
import type { Database, WriteContext } from '../../storage/database.ts';
import type { ConversationRecord } from '../conversation/conversationRecord.ts';
import { type ConversationRow, optionalMember } from './conversationRows.ts';
import { createBeginning } from './newMessages.ts';

/** Selects conversations for a list. Deleted conversations have a separate list. */
export interface ListFilter {
  /** Only conversations with these ids. */
  readonly ids?: readonly string[];
  readonly workspace?: string;
  readonly gateway?: string;
  /** A model of one of its requests. */
  readonly model?: string;
  readonly pinned?: boolean;
  /** False by default; `any` selects archived conversations and others. */
  readonly archived?: boolean | 'any';
  /** Whether to list only conversations with messages. */
  readonly hasMessages?: boolean;
  /** The earliest time of the last change, in milliseconds since 1970. */
  readonly from?: number;
  /** The end of that period, exclusive. */
  readonly to?: number;
}

export interface ListPage {
  /** The most recently changed conversation first. */
  readonly conversations: readonly ListedConversation[];
  /** The start of the next page; absent on the last page. */
  readonly next?: ListCursor;
}

/** The position of a conversation in a list: ordered by the last change and then the creation, newest first. */
export interface ListCursor {
  readonly changedAt: number;
  readonly key: number;
}

/** A conversation in a list. */
export interface ListedConversation
  extends ListCursor,
    Omit<
      ConversationRecord,
      'changedAt' | 'head' | 'compared' | 'format' | 'parameters' | 'origin' | 'forkOf' | 'extra'
    > {
  /** The first 1,000 characters of the title. Empty if the title is derived from the first question. */
  readonly title: string;
  /**
   * The beginning of the first question on one line, or of the draft if there are no messages; empty without
   * text.
   */
  readonly beginning: string;
  /** Whether there is only a draft. */
  readonly isDraft: boolean;
  /** The number of messages on all branches. */
  readonly messages: number;
  /** Whether a reply arrives. */
  readonly isArriving: boolean;
  /** The model of the last reply. */
  readonly model?: string;
}

/** The existing values for list filters. */
export interface FilterValues {
  readonly workspaces: readonly string[];
  /** Each gateway with its name at the last request. */
  readonly gateways: readonly { readonly gateway: string; readonly gatewayName: string }[];
  readonly models: readonly string[];
}

interface ListRow
  extends Omit<
    ConversationRow,
    'headId' | 'compared' | 'format' | 'parameters' | 'originSource' | 'originId' | 'forkOf' | 'extra'
  > {
  readonly beginning: string;
  /** The beginning of the draft if there are no messages. */
  readonly draft: string | null;
  readonly messages: number;
  readonly isArriving: number;
}

/** A model is rare if at most this many conversations use it. */
const maxRareConversations = 500;

/** An imported title may have any length. */
const maxTitleLength = 1_000;

/** The number of characters that are read for the beginning of a draft. */
const draftReadLength = 2_000;

/** Conversations without messages and without a draft are not listed. */
const isListable = `(head IS NOT NULL OR EXISTS (SELECT 1 FROM drafts WHERE conversation = conversations.id
  AND (text <> '' OR attachments <> '[]' OR context <> '[]')))`;

const columns = `
  key, id, substr(title, 1, ${maxTitleLength}) AS title, beginning, createdAt, changedAt, workspace, gateway, gatewayName, pinnedAt, archivedAt, deletedAt,
  iif(head IS NULL, (SELECT substr(text, 1, ${draftReadLength}) FROM drafts WHERE conversation = conversations.id), NULL) AS draft,
  (SELECT count(*) FROM messages WHERE conversation = conversations.key AND messages.deletedAt IS NULL) AS messages,
  EXISTS (SELECT 1 FROM messages WHERE state = 'arriving' AND conversation = conversations.key) AS isArriving,
  coalesce((SELECT messages.model FROM messages WHERE conversation = conversations.key AND messages.deletedAt IS NULL
    AND messages.model IS NOT NULL ORDER BY messages.key DESC LIMIT 1), conversations.model) AS model`;

/** Reads one page. Conversations without messages are listed by their drafts. */
export function readList(
  { database }: WriteContext,
  filter: ListFilter,
  limit: number,
  after: ListCursor | undefined,
): ListPage {
  const conditions = [
    ...createConditions(filter),
    ...(filter.model === undefined ? [] : createRareModelConditions(database, filter.model)),
    ...(after ? [createCursorCondition(after)] : []),
  ];
  const rows = database.all<ListRow>(
    `SELECT ${columns} FROM conversations WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
     ORDER BY changedAt DESC, key DESC LIMIT ?`,
    ...conditions.flatMap(({ values }) => values),
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    conversations: page.map(createListedConversation),
    ...(last && { next: { changedAt: last.changedAt, key: last.key } }),
  };
}

/** Reads deleted conversations that can be restored, the most recently deleted conversation first. */
export function readDeleted({ database }: WriteContext, limit: number): readonly ListedConversation[] {
  const rows = database.all<ListRow>(
    `SELECT ${columns} FROM conversations WHERE deletedAt IS NOT NULL AND ${isListable}
     ORDER BY deletedAt DESC, key DESC LIMIT ?`,
    limit,
  );
  return rows.map(createListedConversation);
}

/** Reads the existing values for list filters. */
export function readFilterValues({ database }: WriteContext): FilterValues {
  const sql = 'SELECT gatewayName FROM conversations WHERE gateway = ? ORDER BY changedAt DESC LIMIT 1';
  return {
    workspaces: readListedValues(database, 'conversations', 'workspace'),
    gateways: readListedValues(database, 'conversations', 'gateway').map((gateway) => ({
      gateway,
      gatewayName: database.get<{ gatewayName: string | null }>(sql, gateway)?.gatewayName ?? gateway,
    })),
    models: readListedValues(database, 'messages', 'model'),
  };
}

/** Reads the distinct values in conversations that are not deleted. */
function readListedValues(
  database: Database,
  table: 'conversations' | 'messages',
  column: string,
): readonly string[] {
  const isListed =
    table === 'messages'
      ? 'AND EXISTS (SELECT 1 FROM conversations WHERE key = messages.conversation AND deletedAt IS NULL)'
      : '';
  const sql = `SELECT 1 FROM ${table} WHERE ${column} = ? AND deletedAt IS NULL ${isListed} LIMIT 1`;
  return readDistinctValues(database, table, column).filter(
    (value) => database.get(sql, value) !== undefined,
  );
}

/** Jumps in the index from one distinct value to the next, because there are few distinct values. */
function readDistinctValues(database: Database, table: string, column: string): readonly string[] {
  const createNextSql = (after: string) => `(SELECT min(${column}) FROM ${table} WHERE ${column} > ${after})`;
  const rows = database.values(
    `WITH RECURSIVE occurring (value) AS (
       SELECT ${createNextSql("''")} UNION ALL SELECT ${createNextSql('value')} FROM occurring WHERE value IS NOT NULL
     ) SELECT value FROM occurring WHERE value IS NOT NULL`,
  );
  return rows.map(([value]) => String(value));
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function createConditions(filter: ListFilter): readonly Condition[] {
  const { ids, workspace, gateway, model, pinned, archived = false, hasMessages = false, from, to } = filter;
  return [
    { sql: 'deletedAt IS NULL', values: [] },
    { sql: hasMessages ? 'head IS NOT NULL' : isListable, values: [] },
    ...(archived === 'any' ? [] : [createNullCondition('archivedAt', archived)]),
    ...(pinned === undefined ? [] : [createNullCondition('pinnedAt', pinned)]),
    ...(ids === undefined ? [] : [{ sql: isOneOfIds, values: [JSON.stringify(ids)] }]),
    ...(workspace === undefined ? [] : [{ sql: 'workspace = ?', values: [workspace] }]),
    ...(gateway === undefined ? [] : [{ sql: 'gateway = ?', values: [gateway] }]),
    ...(model === undefined ? [] : [{ sql: usesModel, values: [model] }]),
    ...(from === undefined ? [] : [{ sql: 'changedAt >= ?', values: [from] }]),
    ...(to === undefined ? [] : [{ sql: 'changedAt < ?', values: [to] }]),
  ];
}

const isOneOfIds = 'id IN (SELECT value FROM json_each(?))';

const usesModel = `EXISTS (SELECT 1 FROM messages WHERE messages.model = ? AND conversation = conversations.key
  AND messages.deletedAt IS NULL)`;

/**
 * For a rare model, lists the keys of its conversations, because searching for them would scan all
 * conversations.
 */
function createRareModelConditions(database: Database, model: string): readonly Condition[] {
  const sql = `SELECT DISTINCT conversation FROM messages WHERE model = ? LIMIT ${maxRareConversations + 1}`;
  const keys = database.values(sql, model).map(([key]) => key);
  return keys.length > maxRareConversations
    ? []
    : [{ sql: 'key IN (SELECT value FROM json_each(?))', values: [JSON.stringify(keys)] }];
}

function createNullCondition(column: string, hasValue: boolean): Condition {
  return { sql: `${column} IS ${hasValue ? 'NOT ' : ''}NULL`, values: [] };
}

function createCursorCondition({ changedAt, key }: ListCursor): Condition {
  return { sql: '(changedAt, key) < (?, ?)', values: [changedAt, key] };
}

function createListedConversation(row: ListRow): ListedConversation {
  const { key, id, title, draft, createdAt, changedAt, messages, isArriving } = row;
  const beginning = draft === null ? row.beginning : createBeginning([[{ type: 'text', text: draft }]]);
  return {
    key,
    id,
    title,
    beginning,
    createdAt,
    changedAt,
    messages,
    isArriving: isArriving === 1,
    isDraft: draft !== null,
    ...optionalMember('model', row.model),
    ...optionalMember('workspace', row.workspace),
    ...optionalMember('gateway', row.gateway),
    ...optionalMember('gatewayName', row.gatewayName),
    ...optionalMember('pinnedAt', row.pinnedAt),
    ...optionalMember('archivedAt', row.archivedAt),
    ...optionalMember('deletedAt', row.deletedAt),
  };
}
