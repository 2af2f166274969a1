import * as vscode from 'vscode';
import type { AnswerChecker } from '../../../conversations/answerCheck/answerChecker.ts';
import type { AnswerCheck } from '../../../conversations/answerCheck/checkResult.ts';
import { askedSchema } from '../../../conversations/conversation/chatParameters.ts';
import { textOf } from '../../../conversations/conversation/reply.ts';
import type { Turn } from '../../../conversations/conversation/turn.ts';
import type { SchemaCheckView } from '../../../protocol/schemaCheck.ts';
import { showDocument } from '../../kit/display/editors.ts';
import type { ChatSession } from '../chatSession.ts';
import { checkView, cutView } from './faultWords.ts';

/** Of a chat that is opened, so many of the last replies are checked. */
const maxChecked = 20;

interface Checked {
  readonly text: string;
  /** Absent while it runs, and for a reply that was cut off. */
  readonly check?: AnswerCheck;
  readonly view?: SchemaCheckView;
}

/** Holds the replies of one chat against the schemas that their questions asked for, each once. */
export class AnswerChecks {
  readonly #session: ChatSession;
  readonly #checker: AnswerChecker;
  readonly #checked = new Map<string, Checked>();
  readonly #onDidCheck = new vscode.EventEmitter<string>();
  /** Fires with the id of a turn. */
  readonly onDidCheck = this.#onDidCheck.event;
  readonly #subscription: vscode.Disposable;

  constructor(session: ChatSession, checker: AnswerChecker) {
    this.#session = session;
    this.#checker = checker;
    this.#subscription = session.onDidChange(({ type }) => {
      if (type !== 'deltas') this.#look();
    });
    this.#look();
  }

  /** What is known so far, by the ids of turns. */
  get views(): Readonly<Record<string, SchemaCheckView>> {
    const known = [...this.#checked].flatMap(([id, { view }]) => (view ? [[id, view] as const] : []));
    return Object.fromEntries(known);
  }

  view(turnId: string): SchemaCheckView | undefined {
    return this.#checked.get(turnId)?.view;
  }

  /** Shows the reply of a turn in an editor, with what differs from the schema selected. */
  async open(turnId: string, index: number): Promise<void> {
    const { text = '', check } = this.#checked.get(turnId) ?? {};
    const fault = check?.kind === 'differs' ? check.faults[index] : undefined;
    if (!fault) return;
    const place = await this.#checker.locate(text, fault.path);
    const document = await vscode.workspace.openTextDocument({ content: text, language: 'json' });
    const at = (offset = 0) => document.positionAt(offset);
    await showDocument(document, {
      preview: false,
      ...(place && { selection: new vscode.Range(at(place.start), at(place.end)) }),
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidCheck.dispose();
  }

  #look(): void {
    const { turns, comparison } = this.#session.conversation;
    const inColumns = comparison.columns.flatMap((column) => column.slice(-maxChecked));
    for (const turn of new Set([...turns.slice(-maxChecked), ...inColumns])) {
      const { format, parameters } = turn.question;
      const schema = turn.result && askedSchema(parameters, format);
      if (schema) void this.#check(turn, schema);
    }
  }

  async #check(turn: Turn, schema: object): Promise<void> {
    const { id, replies, result } = turn;
    const text = replies[0] ? textOf(replies[0]) : '';
    // A reply without text calls tools, or failed, which is told already.
    if (text.trim() === '' || this.#checked.get(id)?.text === text) return;
    this.#checked.set(id, { text });
    if (result?.outcome.kind !== 'complete') return this.#know(id, { text, view: cutView() });
    const check = await this.#checker.check(text, schema);
    if (this.#checked.get(id)?.text === text) this.#know(id, { text, check, view: checkView(check) });
  }

  #know(id: string, checked: Checked): void {
    this.#checked.set(id, checked);
    this.#onDidCheck.fire(id);
  }
}
