import { parsed } from './conversationRows.ts';
import type { StoreContext } from './storeContext.ts';

/** What was typed and not sent. */
export interface Draft {
  readonly text: string;
  /** Attachments, by their hashes. */
  readonly attachments: readonly string[];
}

const newConversation = '';

/** Drafts, one for each conversation and one for the next new one. The last one written counts. */
export class Drafts {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** @param conversation its id; absent for the next new one */
  read(conversation = newConversation): Draft | undefined {
    const row = this.#context.database.get<{ text: string; attachments: string }>(
      'SELECT text, attachments FROM drafts WHERE conversation = ?',
      conversation,
    );
    return row && { text: row.text, attachments: parsed<readonly string[]>(row.attachments) };
  }

  /** Survives the end of the process. An empty draft is removed. */
  write({ text, attachments }: Draft, conversation = newConversation): void {
    const { database, now } = this.#context;
    if (text === '' && attachments.length === 0) {
      database.write(() => removeDraft(this.#context, conversation));
      return;
    }
    database.write(() =>
      database.run(
        `INSERT INTO drafts (conversation, text, attachments, changedAt) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET text = excluded.text, attachments = excluded.attachments,
           changedAt = excluded.changedAt`,
        ...[conversation, text, JSON.stringify(attachments), now()],
      ),
    );
  }
}

/** Runs within a transaction. */
export function removeDraft({ database }: StoreContext, conversation = newConversation): void {
  database.run('DELETE FROM drafts WHERE conversation = ?', conversation);
}
