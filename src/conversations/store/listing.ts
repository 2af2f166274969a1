import type { SQLInputValue } from 'node:sqlite';
import type { Database } from '../../storage/database.ts';
import { beginningOf } from './asking.ts';
import { member } from './conversationRows.ts';
import type { StoreContext } from './storeContext.ts';

/** Which conversations are listed. Deleted ones have a list of their own. */
export interface ListFilter {
  /** Only some of them, by their ids. */
  readonly ids?: readonly string[];
  readonly workspace?: string;
  readonly gateway?: string;
  /** A model that was asked in it. */
  readonly model?: string;
  readonly pinned?: boolean;
  /** False by default; `any` for both. */
  readonly archived?: boolean | 'any';
  /** True for those in which something was asked. */
  readonly asked?: boolean;
  /** When it was last changed, in milliseconds since 1970. */
  readonly from?: number;
  /** Exclusive. */
  readonly to?: number;
}

export interface ListPage {
  /** The last one that changed first. */
  readonly conversations: readonly ListedConversation[];
  /** For the next page; absent on the last one. */
  readonly next?: ListCursor;
}

/** Where a conversation stands in a list: what changed last comes first, and of the same moment what was begun last. */
export interface ListCursor {
  readonly changedAt: number;
  readonly key: number;
}

/** A conversation as lists show it. */
export interface ListedConversation extends ListCursor {
  readonly id: string;
  /** The beginning of a title of over 1,000 characters. Empty for one that is called after its first question. */
  readonly title: string;
  /** The beginning on one line of the first question, or of the draft where nothing was asked; empty for one without text. */
  readonly beginning: string;
  /** Whether all that there is was typed and not asked. */
  readonly isDraft: boolean;
  readonly createdAt: number;
  /** How many there are, on all branches. */
  readonly messages: number;
  /** Whether an answer arrives. */
  readonly isArriving: boolean;
  /** The model that answered last. */
  readonly model?: string;
  readonly workspace?: string;
  readonly gateway?: string;
  readonly gatewayName?: string;
  readonly pinnedAt?: number;
  readonly archivedAt?: number;
  readonly deletedAt?: number;
}

/** What lists can be filtered by: what occurs. */
export interface ListChoices {
  readonly workspaces: readonly string[];
  /** With the name of each when it was last asked. */
  readonly gateways: readonly { readonly gateway: string; readonly gatewayName: string }[];
  readonly models: readonly string[];
}

interface ListRow {
  readonly key: number;
  readonly id: string;
  readonly title: string;
  readonly beginning: string;
  /** The beginning of the draft where nothing was asked. */
  readonly draft: string | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly messages: number;
  readonly isArriving: number;
  readonly model: string | null;
  readonly workspace: string | null;
  readonly gateway: string | null;
  readonly gatewayName: string | null;
  readonly pinnedAt: number | null;
  readonly archivedAt: number | null;
  readonly deletedAt: number | null;
}

const few = 500;

/** An imported title may be of any length. */
const maxTitleLength = 1_000;

/** How much of a draft is read for its beginning. */
const readOfDraft = 2_000;

/** Those in which nothing was asked or typed are in no list. */
const isThere = `(head IS NOT NULL OR EXISTS (SELECT 1 FROM drafts WHERE conversation = conversations.id
  AND (text <> '' OR attachments <> '[]' OR context <> '[]')))`;

const columns = `
  key, id, substr(title, 1, ${maxTitleLength}) AS title, beginning, createdAt, changedAt, workspace, gateway, gatewayName, pinnedAt, archivedAt, deletedAt,
  iif(head IS NULL, (SELECT substr(text, 1, ${readOfDraft}) FROM drafts WHERE conversation = conversations.id), NULL) AS draft,
  (SELECT count(*) FROM messages WHERE conversation = conversations.key AND messages.deletedAt IS NULL) AS messages,
  EXISTS (SELECT 1 FROM messages WHERE state = 'arriving' AND conversation = conversations.key) AS isArriving,
  coalesce((SELECT messages.model FROM messages WHERE conversation = conversations.key AND messages.deletedAt IS NULL
    AND messages.model IS NOT NULL ORDER BY messages.key DESC LIMIT 1), conversations.model) AS model`;

/** Reads one page. Conversations without messages are listed by their drafts. */
export function readList(
  { database }: StoreContext,
  filter: ListFilter,
  limit: number,
  after: ListCursor | undefined,
): ListPage {
  const conditions = [
    ...conditionsOf(filter),
    ...(filter.model === undefined ? [] : askedInFew(database, filter.model)),
    ...(after ? [afterCursor(after)] : []),
  ];
  const rows = database.all<ListRow>(
    `SELECT ${columns} FROM conversations WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
     ORDER BY changedAt DESC, key DESC LIMIT ?`,
    ...conditions.flatMap(({ values }) => values),
    limit + 1,
  );
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    conversations: shown.map(listedOf),
    ...(last && { next: { changedAt: last.changedAt, key: last.key } }),
  };
}

/** Reads deleted ones that can be brought back, the last one that was deleted first. */
export function readDeleted({ database }: StoreContext, limit: number): readonly ListedConversation[] {
  const rows = database.all<ListRow>(
    `SELECT ${columns} FROM conversations WHERE deletedAt IS NOT NULL AND ${isThere}
     ORDER BY deletedAt DESC, key DESC LIMIT ?`,
    limit,
  );
  return rows.map(listedOf);
}

/** Reads what occurs. */
export function readListChoices(context: StoreContext): ListChoices {
  const sql = 'SELECT gatewayName FROM conversations WHERE gateway = ? ORDER BY changedAt DESC LIMIT 1';
  return {
    workspaces: distinct(context, 'conversations', 'workspace'),
    gateways: distinct(context, 'conversations', 'gateway').map((gateway) => ({
      gateway,
      gatewayName: context.database.get<{ gatewayName: string | null }>(sql, gateway)?.gatewayName ?? gateway,
    })),
    models: distinct(context, 'messages', 'model'),
  };
}

/** From one value of an index to the next, of which there are few. */
function distinct({ database }: StoreContext, table: string, column: string): readonly string[] {
  const next = (after: string) => `(SELECT min(${column}) FROM ${table} WHERE ${column} > ${after})`;
  const rows = database.values(
    `WITH RECURSIVE occurring (value) AS (
       SELECT ${next("''")} UNION ALL SELECT ${next('value')} FROM occurring WHERE value IS NOT NULL
     ) SELECT value FROM occurring WHERE value IS NOT NULL`,
  );
  return rows.map(([value]) => String(value));
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function conditionsOf(filter: ListFilter): readonly Condition[] {
  const { ids, workspace, gateway, model, pinned, archived = false, asked = false, from, to } = filter;
  return [
    { sql: 'deletedAt IS NULL', values: [] },
    { sql: asked ? 'head IS NOT NULL' : isThere, values: [] },
    ...(archived === 'any' ? [] : [isSet('archivedAt', archived)]),
    ...(pinned === undefined ? [] : [isSet('pinnedAt', pinned)]),
    ...(ids === undefined ? [] : [{ sql: named, values: [JSON.stringify(ids)] }]),
    ...(workspace === undefined ? [] : [{ sql: 'workspace = ?', values: [workspace] }]),
    ...(gateway === undefined ? [] : [{ sql: 'gateway = ?', values: [gateway] }]),
    ...(model === undefined ? [] : [{ sql: isAskedModel, values: [model] }]),
    ...(from === undefined ? [] : [{ sql: 'changedAt >= ?', values: [from] }]),
    ...(to === undefined ? [] : [{ sql: 'changedAt < ?', values: [to] }]),
  ];
}

const named = 'id IN (SELECT value FROM json_each(?))';

const isAskedModel = `EXISTS (SELECT 1 FROM messages WHERE messages.model = ? AND conversation = conversations.key
  AND messages.deletedAt IS NULL)`;

/** Where a model was seldom asked, the conversations are named, since looking for them takes going through all. */
function askedInFew(database: Database, model: string): readonly Condition[] {
  const sql = `SELECT DISTINCT conversation FROM messages WHERE model = ? LIMIT ${few + 1}`;
  const keys = database.values(sql, model).map(([key]) => key);
  return keys.length > few
    ? []
    : [{ sql: 'key IN (SELECT value FROM json_each(?))', values: [JSON.stringify(keys)] }];
}

function isSet(column: string, wanted: boolean): Condition {
  return { sql: `${column} IS ${wanted ? 'NOT ' : ''}NULL`, values: [] };
}

function afterCursor({ changedAt, key }: ListCursor): Condition {
  return { sql: '(changedAt, key) < (?, ?)', values: [changedAt, key] };
}

function listedOf(row: ListRow): ListedConversation {
  const { key, id, title, draft, createdAt, changedAt, messages, isArriving } = row;
  const beginning = draft === null ? row.beginning : beginningOf([[{ type: 'text', text: draft }]]);
  return {
    ...{ key, id, title, beginning, createdAt, changedAt, messages, isArriving: isArriving === 1 },
    isDraft: draft !== null,
    ...member('model', row.model),
    ...member('workspace', row.workspace),
    ...member('gateway', row.gateway),
    ...member('gatewayName', row.gatewayName),
    ...member('pinnedAt', row.pinnedAt),
    ...member('archivedAt', row.archivedAt),
    ...member('deletedAt', row.deletedAt),
  };
}
