import type {
  CitationView,
  ImageView,
  ReplyAddition,
  ReplyView,
  ToolCallAddition,
  ToolCallView,
  Turn,
} from '../../protocol/chatPage.ts';

/** What the model said in one choice. It grows in place: whoever shows it never keeps text of its own. */
export class GrowingReply implements ReplyView {
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

  grow({ text, reasoning, toolCalls = [], images = [], citations = [] }: ReplyAddition): void {
    this.text += text;
    this.reasoning += reasoning;
    for (const addition of toolCalls) this.#growToolCall(addition);
    for (const image of images) this.images.push(image);
    for (const citation of citations) this.citations.push(citation);
  }

  #growToolCall({ position, name, arguments: added }: ToolCallAddition): void {
    const call = this.toolCalls[position];
    this.toolCalls[Math.min(position, this.toolCalls.length)] = {
      name: name ?? call?.name ?? '',
      arguments: (call?.arguments ?? '') + added,
    };
  }
}

/** One turn of the conversation and its replies: the page's only copy of what they say. */
export class GrowingTurn {
  #turn: Turn;
  #replies: GrowingReply[];

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#replies = turn.replies.map((reply) => new GrowingReply(reply));
  }

  /** What is known of it beside what was replied. */
  get turn(): Omit<Turn, 'replies'> {
    return this.#turn;
  }

  get replies(): readonly GrowingReply[] {
    return this.#replies;
  }

  /** Takes over what the host says of the whole turn. */
  replace(turn: Turn): void {
    this.#turn = turn;
    this.#replies = turn.replies.map((reply) => new GrowingReply(reply));
  }

  /** Takes in what a reply brought. Returns whether that changed more than the contents of a reply. */
  grow(addition: ReplyAddition): boolean {
    const began = this.#turn.state === 'waiting';
    const choices = this.#replies.length;
    if (began) this.#turn = { ...this.#turn, state: 'streaming' };
    while (this.#replies.length <= addition.choice) this.#replies.push(new GrowingReply());
    this.#replies[addition.choice]?.grow(addition);
    return began || this.#replies.length > choices;
  }
}
