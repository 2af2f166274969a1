import type {
  CitationView,
  ImageView,
  ReplyDelta,
  ReplyView,
  ToolCallDelta,
  TurnView,
} from '../../../protocol/chatTurn.ts';
import { StreamingText } from '../../markdown/streaming/streamingText.ts';

/** A tool call while the model writes it. */
export interface StreamingToolCall {
  readonly name: string;
  readonly arguments: StreamingText;
}

/** One choice of a reply, which each delta extends. Its views do not store its text. */
export class StreamingReply {
  readonly text: StreamingText;
  readonly reasoning: StreamingText;
  readonly toolCalls: StreamingToolCall[];
  readonly images: ImageView[];
  readonly citations: CitationView[];

  /** @param before the previous reply; its text objects are reused for texts that continue them */
  constructor(view?: ReplyView, before?: StreamingReply) {
    this.text = continueText(before?.text, view?.text);
    this.reasoning = continueText(before?.reasoning, view?.reasoning);
    this.toolCalls = (view?.toolCalls ?? []).map((call, position) => ({
      name: call.name,
      arguments: continueText(before?.toolCalls[position]?.arguments, call.arguments),
    }));
    this.images = [...(view?.images ?? [])];
    this.citations = [...(view?.citations ?? [])];
  }

  applyDelta({ text, reasoning, toolCalls = [], images = [], citations = [] }: ReplyDelta): void {
    this.text.append(text);
    this.reasoning.append(reasoning);
    for (const delta of toolCalls) this.#appendToolCall(delta);
    for (const image of images) this.images.push(image);
    for (const citation of citations) this.citations.push(citation);
  }

  #appendToolCall({ position, name, arguments: added }: ToolCallDelta): void {
    const call = this.toolCalls[position];
    const argumentText = call?.arguments ?? new StreamingText();
    argumentText.append(added);
    this.toolCalls[Math.min(position, this.toolCalls.length)] = {
      name: name ?? call?.name ?? '',
      arguments: argumentText,
    };
  }
}

function continueText(before: StreamingText | undefined, text = ''): StreamingText {
  return before?.extendTo(text) ?? new StreamingText(text);
}

/** One turn of the conversation with its replies: the page's only copy of them. */
export class StreamingTurn {
  /** Whether the question is shown only in another column. */
  hidesQuestion = false;
  #view: Omit<TurnView, 'replies'>;
  #replies: StreamingReply[];

  constructor({ replies, ...turn }: TurnView) {
    this.#view = turn;
    this.#replies = replies.map((reply) => new StreamingReply(reply));
  }

  /** The host's state of the turn, without the replies. */
  get view(): Omit<TurnView, 'replies'> {
    return this.#view;
  }

  get replies(): readonly StreamingReply[] {
    return this.#replies;
  }

  /** Replaces the turn with the host's state. */
  replace({ replies, ...turn }: TurnView): void {
    this.#view = turn;
    this.#replies = replies.map((reply, choice) => new StreamingReply(reply, this.#replies[choice]));
  }

  /**
   * Appends a delta to a reply.
   *
   * @returns whether more changed than the contents of the reply
   */
  applyDelta(delta: ReplyDelta): boolean {
    const hasBegun = this.#view.state === 'waiting';
    const choiceCount = this.#replies.length;
    if (hasBegun) this.#view = { ...this.#view, state: 'streaming', waitedMs: 0 };
    while (this.#replies.length <= delta.choice) this.#replies.push(new StreamingReply());
    this.#replies[delta.choice]?.applyDelta(delta);
    return hasBegun || this.#replies.length > choiceCount;
  }
}
