import * as vscode from 'vscode';
import { readResponseSchema } from '../../../conversations/conversation/chatParameters.ts';
import { replyText } from '../../../conversations/conversation/reply.ts';
import type { Turn } from '../../../conversations/conversation/turn.ts';
import type { ReplyCheck } from '../../../conversations/schemaCheck/checkResult.ts';
import type { ReplyChecker } from '../../../conversations/schemaCheck/replyChecker.ts';
import type { SchemaCheckView } from '../../../protocol/chatTurn.ts';
import { showDocument } from '../../kit/display/editors.ts';
import type { ChatSession } from '../session/chatSession.ts';
import { createCheckView, createCutOffView } from './schemaCheckViews.ts';

/** The maximum number of checked replies, in the shown path and in each column. The last replies are checked. */
const maxChecked = 20;

interface CheckedReply {
  readonly text: string;
  /** Absent while the check runs, and for a reply that was cut off. */
  readonly check?: ReplyCheck;
  readonly view?: SchemaCheckView;
}

/** Checks the replies of a chat against the schemas of their questions. Each reply is checked once. */
export class ReplyChecks {
  readonly #session: ChatSession;
  readonly #checker: ReplyChecker;
  readonly #checked = new Map<string, CheckedReply>();
  readonly #onDidCheck = new vscode.EventEmitter<string>();
  /** Fires with the id of a turn whose reply was checked. */
  readonly onDidCheck = this.#onDidCheck.event;
  readonly #subscription: vscode.Disposable;

  constructor(session: ChatSession, checker: ReplyChecker) {
    this.#session = session;
    this.#checker = checker;
    this.#subscription = session.onDidChange(({ type }) => {
      if (type !== 'deltas') this.#checkShownTurns();
    });
    this.#checkShownTurns();
  }

  /** The results so far, by the ids of turns. */
  get views(): Readonly<Record<string, SchemaCheckView>> {
    const entries = [...this.#checked].flatMap(([id, { view }]) => (view ? [[id, view] as const] : []));
    return Object.fromEntries(entries);
  }

  /** Shows the reply of a turn in an editor, and selects a part that differs from the schema. */
  async openFault(turnId: string, index: number): Promise<void> {
    const { text = '', check } = this.#checked.get(turnId) ?? {};
    const fault = check?.kind === 'differs' ? check.faults[index] : undefined;
    if (!fault) return;
    const range = await this.#checker.locate(text, fault.path);
    const document = await vscode.workspace.openTextDocument({ content: text, language: 'json' });
    const at = (offset = 0) => document.positionAt(offset);
    await showDocument(document, {
      preview: false,
      ...(range && { selection: new vscode.Range(at(range.start), at(range.end)) }),
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidCheck.dispose();
  }

  #checkShownTurns(): void {
    const { turns, comparison } = this.#session.conversation;
    const columnTurns = comparison.columns.flatMap((column) => column.slice(-maxChecked));
    for (const turn of new Set([...turns.slice(-maxChecked), ...columnTurns])) {
      const { format, parameters } = turn.question;
      const schema = turn.result && readResponseSchema(parameters, format);
      if (schema) void this.#check(turn, schema);
    }
  }

  async #check(turn: Turn, schema: object): Promise<void> {
    const { id, replies, result } = turn;
    const text = replies[0] ? replyText(replies[0]) : '';
    // A reply without text contains tool calls or failed. The page already shows both.
    if (text.trim() === '' || this.#checked.get(id)?.text === text) return;
    this.#checked.set(id, { text });
    if (result?.outcome.kind !== 'complete') return this.#setResult(id, { text, view: createCutOffView() });
    const check = await this.#checker.check(text, schema);
    if (this.#checked.get(id)?.text === text)
      this.#setResult(id, { text, check, view: createCheckView(check) });
  }

  #setResult(id: string, checked: CheckedReply): void {
    this.#checked.set(id, checked);
    this.#onDidCheck.fire(id);
  }
}
