import type {
  CitationView,
  ImageView,
  ReplyDelta,
  ReplyView,
  ToolCallDelta,
  ToolCallView,
  Turn,
} from '../../protocol/chatPage.ts';

/** What the model said in one choice. It grows in place: whoever shows it never keeps text of its own. */
export class StreamingReply implements ReplyView {
  text: string;
  reasoning: string;
  readonly toolCalls: ToolCallView[];
  readonly images: ImageView[];
  readonly citations: CitationView[];

  constructor(view?: ReplyView) {
    this.text = view?.text ?? '';
    this.reasoning = view?.reasoning ?? '';
    this.toolCalls = [...(view?.toolCalls ?? [])];
    this.images = [...(view?.images ?? [])];
    this.citations = [...(view?.citations ?? [])];
  }

  applyDelta({ text, reasoning, toolCalls = [], images = [], citations = [] }: ReplyDelta): void {
    this.text += text;
    this.reasoning += reasoning;
    for (const delta of toolCalls) this.#appendToolCall(delta);
    for (const image of images) this.images.push(image);
    for (const citation of citations) this.citations.push(citation);
  }

  #appendToolCall({ position, name, arguments: added }: ToolCallDelta): void {
    const call = this.toolCalls[position];
    this.toolCalls[Math.min(position, this.toolCalls.length)] = {
      name: name ?? call?.name ?? '',
      arguments: (call?.arguments ?? '') + added,
    };
  }
}

/** One turn of the conversation and its replies: the page's only copy of what they say. */
export class StreamingTurn {
  #turn: Turn;
  #replies: StreamingReply[];

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#replies = turn.replies.map((reply) => new StreamingReply(reply));
  }

  /** What is known of it beside what was replied. */
  get turn(): Omit<Turn, 'replies'> {
    return this.#turn;
  }

  get replies(): readonly StreamingReply[] {
    return this.#replies;
  }

  /** Takes over what the host says of the whole turn. */
  replace(turn: Turn): void {
    this.#turn = turn;
    this.#replies = turn.replies.map((reply) => new StreamingReply(reply));
  }

  /** Takes in what a reply brought. Returns whether that changed more than the contents of a reply. */
  applyDelta(delta: ReplyDelta): boolean {
    const began = this.#turn.state === 'waiting';
    const choices = this.#replies.length;
    if (began) this.#turn = { ...this.#turn, state: 'streaming' };
    while (this.#replies.length <= delta.choice) this.#replies.push(new StreamingReply());
    this.#replies[delta.choice]?.applyDelta(delta);
    return began || this.#replies.length > choices;
  }
}
