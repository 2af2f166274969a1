import type { JsonObject } from '../../base/json.ts';
import { parseStored, StorageError, type WriteContext } from '../../storage/database.ts';
import type { ConversationRecord, Origin } from '../conversation/conversationRecord.ts';

/** The initial values of a new conversation. */
export type NewConversation = Partial<
  Omit<ConversationRecord, 'changedAt' | 'head' | 'compared' | 'deletedAt' | 'origin' | 'forkOf'>
>;

/** The settings for the next request. */
export type ConversationSettings = Pick<
  ConversationRecord,
  'gateway' | 'gatewayName' | 'model' | 'format' | 'parameters'
>;

/** Rows of the tables `conversations` and `details`, with the id of the head. */
export interface ConversationRow {
  readonly key: number;
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly headId: string | null;
  readonly compared: string | null;
  readonly workspace: string | null;
  readonly gateway: string | null;
  readonly gatewayName: string | null;
  readonly model: string | null;
  readonly format: string | null;
  readonly parameters: string | null;
  readonly pinnedAt: number | null;
  readonly archivedAt: number | null;
  readonly deletedAt: number | null;
  readonly originSource: Origin['source'] | null;
  readonly originId: string | null;
  readonly forkOf: string | null;
  readonly extra: string | null;
}

const selectRow = `
  SELECT conversations.*, details.parameters, details.extra, messages.id AS headId FROM conversations
  LEFT JOIN details ON details.conversation = conversations.key
  LEFT JOIN messages ON messages.key = conversations.head`;

/** Finds the key of a conversation by its id; undefined if there is no such conversation. */
export function findConversationKey({ database }: WriteContext, id: string): number | undefined {
  return database.get<{ key: number }>('SELECT key FROM conversations WHERE id = ?', id)?.key;
}

export function readConversation({ database }: WriteContext, id: string): ConversationRecord | undefined {
  const row = database.get<ConversationRow>(`${selectRow} WHERE conversations.id = ?`, id);
  return row && createRecord(row);
}

/** Runs within a transaction. @returns the key of the new row */
export function insertConversation({ database, now }: WriteContext, record: ConversationRecord): number {
  const { key } = requireRow(
    database.get<{ key: number }>(
      `INSERT INTO conversations (id, title, beginning, createdAt, changedAt, workspace, gateway, gatewayName, model,
         format, pinnedAt, archivedAt, deletedAt, originSource, originId, forkOf, compared, revision)
       VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) RETURNING key`,
      record.id,
      record.title,
      timeOrNull(record.createdAt) ?? now(),
      timeOrNull(record.changedAt) ?? now(),
      orNull(record.workspace),
      orNull(record.gateway),
      orNull(record.gatewayName),
      orNull(record.model),
      orNull(record.format),
      timeOrNull(record.pinnedAt),
      timeOrNull(record.archivedAt),
      timeOrNull(record.deletedAt),
      orNull(record.origin?.source),
      orNull(record.origin?.id),
      orNull(record.forkOf),
      jsonOrNull(record.compared),
    ),
  );
  const { parameters, extra } = record;
  if (parameters || extra) {
    const sql = 'INSERT INTO details (conversation, parameters, extra) VALUES (?, ?, ?)';
    database.run(sql, key, jsonOrNull(parameters), jsonOrNull(extra));
  }
  return key;
}

/** Runs within a transaction. Replaces all settings; absent settings are removed. */
export function storeSettings({ database }: WriteContext, key: number, settings: ConversationSettings): void {
  const { gateway, gatewayName, model, format, parameters } = settings;
  database.run(
    'UPDATE conversations SET gateway = ?, gatewayName = ?, model = ?, format = ? WHERE key = ?',
    orNull(gateway),
    orNull(gatewayName),
    orNull(model),
    orNull(format),
    key,
  );
  database.run(
    `INSERT INTO details (conversation, parameters) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET parameters = excluded.parameters`,
    key,
    jsonOrNull(parameters),
  );
}

/** Runs within a transaction. */
export function storeCompared(
  { database }: WriteContext,
  key: number,
  compared: readonly string[] | undefined,
): void {
  database.run('UPDATE conversations SET compared = ? WHERE key = ?', jsonOrNull(compared), key);
}

/** Returns the row of an `INSERT … RETURNING`. @throws {StorageError} if there is no row */
export function requireRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new StorageError('other', 'A row that was just inserted is gone.');
  return row;
}

export function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}

/** 31 December 9999, the last day that SQLite supports. */
const latestTime = 253_402_300_799_999;

/** Returns a time in whole milliseconds, for its column; null if it is not a valid time. */
export function timeOrNull(time: number | undefined): number | null {
  return time !== undefined && time >= 0 && time <= latestTime ? Math.round(time) : null;
}

export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Returns an object with one member, or an empty object if the value is null. */
export function optionalMember<Name extends string, Value>(
  name: Name,
  value: Value | null,
): { readonly [Key in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

function createRecord(row: ConversationRow): ConversationRecord {
  const { id, title, createdAt, changedAt, parameters, originSource, originId, extra } = row;
  return {
    id,
    title,
    createdAt,
    changedAt,
    ...optionalMember('head', row.headId),
    ...(row.compared !== null && { compared: parseStored<readonly string[]>(row.compared) }),
    ...optionalMember('workspace', row.workspace),
    ...optionalMember('gateway', row.gateway),
    ...optionalMember('gatewayName', row.gatewayName),
    ...optionalMember('model', row.model),
    ...optionalMember('format', row.format),
    ...(parameters !== null && { parameters: parseStored<JsonObject>(parameters) }),
    ...optionalMember('pinnedAt', row.pinnedAt),
    ...optionalMember('archivedAt', row.archivedAt),
    ...optionalMember('deletedAt', row.deletedAt),
    ...(originSource !== null && originId !== null && { origin: { source: originSource, id: originId } }),
    ...optionalMember('forkOf', row.forkOf),
    ...(extra !== null && { extra: parseStored<JsonObject>(extra) }),
  };
}
