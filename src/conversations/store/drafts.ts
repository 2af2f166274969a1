import type { JsonObject } from '../../base/json.ts';
import { parseStored, type WriteContext } from '../../storage/database.ts';
import type { StoreChanges } from './storeChanges.ts';

/** The unsent content of a message box. */
interface StoredDraft {
  readonly text: string;
  /** Attachments, by their hashes. */
  readonly attachments: readonly string[];
  /** References to code; absent for none. */
  readonly context?: readonly JsonObject[];
  /** The selected models if there are several; absent for one. */
  readonly models?: readonly string[];
}

interface DraftRow {
  readonly text: string;
  readonly attachments: string;
  readonly context: string;
  readonly models: string | null;
}

const newConversation = '';

/**
 * The drafts: one for each conversation, and one for the next new conversation. The last write wins. Writing a
 * draft changes a conversation without messages, because lists show such a conversation by its draft.
 */
export class Drafts {
  readonly #context: WriteContext;
  readonly #changes: StoreChanges;

  constructor(context: WriteContext, changes: StoreChanges) {
    this.#context = context;
    this.#changes = changes;
  }

  /** @param conversation its id; absent for the next new conversation */
  read(conversation = newConversation): StoredDraft | undefined {
    const row = this.#context.database.get<DraftRow>(
      'SELECT text, attachments, context, models FROM drafts WHERE conversation = ?',
      conversation,
    );
    if (!row) return undefined;
    const context = parseStored<readonly JsonObject[]>(row.context);
    return {
      text: row.text,
      attachments: parseStored<readonly string[]>(row.attachments),
      ...(context.length > 0 && { context }),
      ...(row.models !== null && { models: parseStored<readonly string[]>(row.models) }),
    };
  }

  /** Writes a draft, which survives the end of the process. An empty draft is removed. */
  write({ text, attachments, context = [], models = [] }: StoredDraft, conversation = newConversation): void {
    const { database, now } = this.#context;
    const isEmpty = [text, attachments, context, models].every(({ length }) => length === 0);
    const values = [
      conversation,
      text,
      JSON.stringify(attachments),
      JSON.stringify(context),
      models.length > 0 ? JSON.stringify(models) : null,
      now(),
    ];
    const sql = 'UPDATE conversations SET changedAt = ? WHERE id = ? AND head IS NULL RETURNING key';
    this.#changes.write((touch) => {
      const conversationWithoutMessages = database.get<{ key: number }>(sql, now(), conversation);
      if (conversationWithoutMessages) touch(conversationWithoutMessages.key);
      if (isEmpty) database.run('DELETE FROM drafts WHERE conversation = ?', conversation);
      else {
        database.run(
          `INSERT INTO drafts (conversation, text, attachments, context, models, changedAt) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET text = excluded.text, attachments = excluded.attachments,
             context = excluded.context, models = excluded.models, changedAt = excluded.changedAt`,
          ...values,
        );
      }
    });
  }
}
