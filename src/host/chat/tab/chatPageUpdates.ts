import { isDeepStrictEqual } from 'node:util';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { Turn } from '../../../conversations/conversation/turn.ts';
import type { ChatFields, ChatPatch, ChatState, PathView } from '../../../protocol/chatPage.ts';
import type * as page from '../../../protocol/chatTurn.ts';
import { createComparisonView, createTurnViews, findTurnView, listPathTurns } from '../view/turnViews.ts';

interface ChatPageUpdatesOptions {
  /** Returns the current state for the page, without the turns. */
  readonly readFields: () => ChatFields;
  readonly getConversation: () => Conversation;
  readonly post: (patch: ChatPatch) => void;
  /** Posts the whole state. */
  readonly postState: () => void;
}

/**
 * Posts the changes of a chat's state to its page, at most once per iteration of the event loop. Call `flush` before
 * any other message to the page.
 */
export class ChatPageUpdates {
  readonly #options: ChatPageUpdatesOptions;
  readonly #earlier: EarlierTurns;
  /** The state that the page shows, without the turns; undefined until the whole state was sent. */
  #fields: ChatFields | undefined;
  /** The number of turns that the page shows before the columns; infinite without columns. */
  #trunkLength = Number.POSITIVE_INFINITY;
  /** The appearance of the turns in columns, by the ids of the turns, to detect changes. */
  #columnTurns: ReadonlyMap<string, string> = new Map();
  /** The ids of the turns that changed since the last post. */
  readonly #changedTurns = new Set<string>();
  /** The number of unchanged turns at the start of the path; infinite if all turns are unchanged. */
  #unchangedTurns = Number.POSITIVE_INFINITY;
  /** Whether the page has not yet received all turns before the changed turns. */
  #isBehind = false;
  #next: NodeJS.Immediate | undefined;

  constructor(options: ChatPageUpdatesOptions) {
    this.#options = options;
    this.#earlier = new EarlierTurns({
      getConversation: options.getConversation,
      post: (earlier) => {
        if (!this.#isBehind) options.post({ earlier });
      },
    });
  }

  /** Returns the whole state for the page. Discards the noted changes, because the state contains them. */
  resetToState(): Omit<ChatState, 'chat' | 'draft'> {
    this.#reset();
    const conversation = this.#options.getConversation();
    const fields = this.#options.readFields();
    const { turns, earlier: unchangedTurns } = this.#earlier.restart();
    this.#fields = fields;
    this.#noteColumns(conversation);
    return { ...fields, path: { unchangedTurns, turns, comparison: createComparisonView(conversation) } };
  }

  /** Notes that a part of the shown state may have changed. */
  noteChange(): void {
    this.#next ??= setImmediate(() => this.flush());
  }

  noteTurnChange(turnId: string): void {
    this.#changedTurns.add(turnId);
    this.noteChange();
  }

  /** Notes that the path changed after the first `unchangedTurns` turns. */
  notePathChange(unchangedTurns: number): void {
    this.#unchangedTurns = Math.min(
      this.#unchangedTurns,
      unchangedTurns,
      this.#trunkLength,
      findTrunk(this.#options.getConversation()),
    );
    this.#isBehind ||= !this.#earlier.has(this.#unchangedTurns);
    this.noteChange();
  }

  /** Posts the noted changes. */
  flush(): void {
    if (this.#next === undefined) return;
    const patch = this.#isBehind ? undefined : this.#createPatch();
    this.#reset();
    if (!patch) this.#options.postState();
    else if (Object.keys(patch).length > 0) this.#options.post(patch);
  }

  dispose(): void {
    this.#reset();
    this.#earlier.dispose();
  }

  /** Discards the noted changes. */
  #reset(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    this.#changedTurns.clear();
    this.#unchangedTurns = Number.POSITIVE_INFINITY;
    this.#isBehind = false;
  }

  #createPatch(): ChatPatch {
    const conversation = this.#options.getConversation();
    const before = this.#fields;
    const fields = this.#options.readFields();
    this.#fields = fields;
    const path = Number.isFinite(this.#unchangedTurns) ? this.#createPath(conversation) : undefined;
    const sentIds = new Set(
      [path?.turns ?? [], path?.comparison?.columns.flat() ?? []].flat().map(readTurnId),
    );
    const changed = [...this.#changedTurns]
      .filter((id) => !sentIds.has(id))
      .flatMap((id) => findTurnView(conversation, id) ?? []);
    return {
      ...findDifferences(before, fields),
      ...(path && { path }),
      ...(changed.length > 0 && { changed }),
    };
  }

  #createPath(conversation: Conversation): PathView {
    // A reply that arrives in another window may have grown.
    const isShownByPage = (turn: Turn) =>
      turn.unfinished !== 'elsewhere' &&
      !this.#changedTurns.has(turn.id) &&
      this.#columnTurns.get(turn.id) === describeAppearance(conversation, turn);
    const unchangedTurns = this.#unchangedTurns;
    const turns = createTurnViews(conversation, unchangedTurns);
    const comparison = createComparisonView(conversation, isShownByPage);
    this.#noteColumns(conversation);
    return { unchangedTurns, turns, comparison };
  }

  #noteColumns(conversation: Conversation): void {
    const turns = conversation.comparison.columns.flat();
    this.#trunkLength = findTrunk(conversation);
    this.#columnTurns = new Map(
      turns.map((turn) => [turn.id, describeAppearance(conversation, turn)] as const),
    );
  }
}

function findTrunk({ comparison: { isShown, trunkLength } }: Conversation): number {
  return isShown ? trunkLength : Number.POSITIVE_INFINITY;
}

/** Returns a text that changes when the page has to update a turn although the turn itself did not change. */
function describeAppearance(
  conversation: Conversation,
  { questionId, firstReplyId, unfinished }: Turn,
): string {
  return JSON.stringify([
    conversation.tree.siblings(questionId),
    conversation.tree.siblings(firstReplyId),
    unfinished,
  ]);
}

/** @param turn a turn, or the id of a turn that the page already shows. For such an id, returns an empty text. */
function readTurnId(turn: page.TurnView | string): string {
  return typeof turn === 'string' ? '' : turn.id;
}

function findDifferences(before: Partial<ChatFields> = {}, fields: ChatFields): Partial<ChatFields> {
  const names = Object.keys(fields) as (keyof ChatFields)[];
  const changedNames = names.filter((name) => !isDeepStrictEqual(fields[name], before[name]));
  return Object.fromEntries(changedNames.map((name) => [name, fields[name]]));
}

/** The number of last turns that a page receives with its state. More turns do not fit on a screen. */
const initialTurns = 30;

/** The number of turns in each message with earlier turns. */
const turnsPerMessage = 100;

interface EarlierOptions {
  readonly getConversation: () => Conversation;
  readonly post: (turns: readonly page.TurnView[]) => void;
}

/**
 * Sends the turns of a long chat to a page: the last turns with its state, then the earlier turns, newest first, with
 * pauses for other work.
 */
export class EarlierTurns {
  readonly #options: EarlierOptions;
  /** The number of turns at the start of the path that the page has not received yet. */
  #remaining = 0;
  #next: NodeJS.Immediate | undefined;

  constructor(options: EarlierOptions) {
    this.#options = options;
  }

  /** Starts again. Returns the last turns, and the number of earlier turns. The earlier turns are sent later. */
  restart(): { readonly turns: readonly page.TurnView[]; readonly earlier: number } {
    const conversation = this.#options.getConversation();
    const count = listPathTurns(conversation).length;
    this.#remaining = Math.max(0, count - initialTurns);
    this.#sendSoon();
    return { turns: createTurnViews(conversation, this.#remaining), earlier: this.#remaining };
  }

  /** Whether the page has received all turns from this index on. */
  has(index: number): boolean {
    return index >= this.#remaining;
  }

  dispose(): void {
    clearImmediate(this.#next);
  }

  #sendSoon(): void {
    clearImmediate(this.#next);
    if (this.#remaining > 0) this.#next = setImmediate(() => this.#send());
  }

  #send(): void {
    const end = this.#remaining;
    this.#remaining = Math.max(0, end - turnsPerMessage);
    this.#options.post(createTurnViews(this.#options.getConversation(), this.#remaining, end));
    this.#sendSoon();
  }
}
