import type { JsonObject } from '../../base/json.ts';
import { parsed } from './conversationRows.ts';
import type { StoreChanges } from './storeChanges.ts';
import type { StoreContext } from './storeContext.ts';

/** What was typed and not sent. */
export interface Draft {
  readonly text: string;
  /** Attachments, by their hashes. */
  readonly attachments: readonly string[];
  /** References to code; absent for none. */
  readonly context?: readonly JsonObject[];
  /** The models that are chosen to be asked at once; absent for one. */
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
 * Drafts, one for each conversation and one for the next new one. The last one written counts. A conversation in which
 * nothing was asked changes with its draft, by which lists show it.
 */
export class Drafts {
  readonly #context: StoreContext;
  readonly #changes: StoreChanges;

  constructor(context: StoreContext, changes: StoreChanges) {
    this.#context = context;
    this.#changes = changes;
  }

  /** @param conversation its id; absent for the next new one */
  read(conversation = newConversation): Draft | undefined {
    const row = this.#context.database.get<DraftRow>(
      'SELECT text, attachments, context, models FROM drafts WHERE conversation = ?',
      conversation,
    );
    if (!row) return undefined;
    const context = parsed<readonly JsonObject[]>(row.context);
    return {
      ...{ text: row.text, attachments: parsed<readonly string[]>(row.attachments) },
      ...(context.length > 0 && { context }),
      ...(row.models !== null && { models: parsed<readonly string[]>(row.models) }),
    };
  }

  /** Survives the end of the process. An empty draft is removed. */
  write({ text, attachments, context = [], models = [] }: Draft, conversation = newConversation): void {
    const { database, now } = this.#context;
    const isEmpty = [text, attachments, context, models].every(({ length }) => length === 0);
    const values = [
      ...[conversation, text, JSON.stringify(attachments), JSON.stringify(context)],
      ...[models.length > 0 ? JSON.stringify(models) : null, now()],
    ];
    const sql = 'UPDATE conversations SET changedAt = ? WHERE id = ? AND head IS NULL RETURNING key';
    this.#changes.write((touch) => {
      const unasked = database.get<{ key: number }>(sql, now(), conversation);
      if (unasked) touch(unasked.key);
      if (isEmpty) removeDraft(this.#context, conversation);
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

/** Runs within a transaction. */
function removeDraft({ database }: StoreContext, conversation = newConversation): void {
  database.run('DELETE FROM drafts WHERE conversation = ?', conversation);
}
