import { isDeepStrictEqual } from 'node:util';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { Turn } from '../../../conversations/conversation/turn.ts';
import type { ChatFields, ChatPatch, ChatState, PathView } from '../../../protocol/chatPage.ts';
import type * as page from '../../../protocol/chatTurn.ts';
import { comparisonView, turnViews, viewOfTurn } from '../view/chatView.ts';
import { EarlierTurns } from './earlierTurns.ts';

interface Links {
  /** The state that the page shows besides the turns. */
  readonly fields: () => ChatFields;
  readonly conversation: () => Conversation;
  readonly post: (patch: ChatPatch) => void;
  /** Posts the whole state. */
  readonly show: () => void;
}

/**
 * What the page of a chat shows. Posts what differs from that, at most once in a turn of the event loop: `flush` comes
 * before every other message to the page.
 */
export class ShownState {
  readonly #links: Links;
  readonly #earlier: EarlierTurns;
  /** The state that the page shows besides the turns; undefined until the host sent the whole state. */
  #fields: ChatFields | undefined;
  /** How many turns the page shows before columns; infinite where it shows none. */
  #trunk = Number.POSITIVE_INFINITY;
  /** How the turns in columns look, by their ids. */
  #inColumns: ReadonlyMap<string, string> = new Map();
  /** The ids of the turns that changed since. */
  readonly #changed = new Set<string>();
  /** How many of the first turns stay on the path; infinite for all. */
  #kept = Number.POSITIVE_INFINITY;
  /** Whether the page lacks turns before those that changed. */
  #isBehind = false;
  #next: NodeJS.Immediate | undefined;

  constructor(links: Links) {
    this.#links = links;
    this.#earlier = new EarlierTurns({
      conversation: links.conversation,
      post: (earlier) => {
        if (!this.#isBehind) links.post({ earlier });
      },
    });
  }

  /** The whole state, which the page shows from now on. */
  whole(): Omit<ChatState, 'chat' | 'draft'> {
    this.#settle();
    const conversation = this.#links.conversation();
    const fields = this.#links.fields();
    const { turns, earlier: kept } = this.#earlier.begin();
    this.#fields = fields;
    this.#noteColumns(conversation);
    return { ...fields, path: { kept, turns, comparison: comparisonView(conversation) } };
  }

  /** Something of what the page shows may have changed. */
  changed(): void {
    this.#next ??= setImmediate(() => this.flush());
  }

  turnChanged(turnId: string): void {
    this.#changed.add(turnId);
    this.changed();
  }

  /** Other turns follow the first ones, whose number is `kept`. */
  pathChanged(kept: number): void {
    this.#kept = Math.min(this.#kept, kept, this.#trunk, trunkOf(this.#links.conversation()));
    this.#isBehind ||= !this.#earlier.has(this.#kept);
    this.changed();
  }

  /** Posts what changed, if anything did. */
  flush(): void {
    if (this.#next === undefined) return;
    const patch = this.#isBehind ? undefined : this.#patch();
    this.#settle();
    if (!patch) this.#links.show();
    else if (Object.keys(patch).length > 0) this.#links.post(patch);
  }

  dispose(): void {
    this.#settle();
    this.#earlier.dispose();
  }

  #settle(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    this.#changed.clear();
    this.#kept = Number.POSITIVE_INFINITY;
    this.#isBehind = false;
  }

  #patch(): ChatPatch {
    const conversation = this.#links.conversation();
    const before = this.#fields;
    const fields = this.#links.fields();
    this.#fields = fields;
    const path = Number.isFinite(this.#kept) ? this.#path(conversation) : undefined;
    const sent = new Set([path?.turns ?? [], path?.comparison?.columns.flat() ?? []].flat().map(idOf));
    const changed = [...this.#changed]
      .filter((id) => !sent.has(id))
      .flatMap((id) => viewOfTurn(conversation, id) ?? []);
    return {
      ...differing(before, fields),
      ...(path && { path }),
      ...(changed.length > 0 && { changed }),
    };
  }

  #path(conversation: Conversation): PathView {
    // What arrives in another window may have grown.
    const isKnown = (turn: Turn) =>
      turn.unfinished !== 'elsewhere' &&
      !this.#changed.has(turn.id) &&
      this.#inColumns.get(turn.id) === lookOf(conversation, turn);
    const kept = this.#kept;
    const turns = turnViews(conversation, kept);
    const comparison = comparisonView(conversation, isKnown);
    this.#noteColumns(conversation);
    return { kept, turns, comparison };
  }

  #noteColumns(conversation: Conversation): void {
    const turns = conversation.comparison.columns.flat();
    this.#trunk = trunkOf(conversation);
    this.#inColumns = new Map(turns.map((turn) => [turn.id, lookOf(conversation, turn)] as const));
  }
}

function trunkOf({ comparison: { isShown, trunk } }: Conversation): number {
  return isShown ? trunk : Number.POSITIVE_INFINITY;
}

/** Differs where the page has to show something else of a turn that did not change by itself. */
function lookOf(conversation: Conversation, { questionId, answerId, unfinished }: Turn): string {
  return JSON.stringify([conversation.siblings(questionId), conversation.siblings(answerId), unfinished]);
}

function idOf(turn: page.Turn | string): string {
  return typeof turn === 'string' ? '' : turn.id;
}

function differing(before: Partial<ChatFields> = {}, now: ChatFields): Partial<ChatFields> {
  const names = Object.keys(now) as (keyof ChatFields)[];
  return Object.fromEntries(
    names.filter((name) => !isDeepStrictEqual(now[name], before[name])).map((name) => [name, now[name]]),
  );
}
