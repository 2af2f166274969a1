import { html, nothing, type TemplateResult } from 'lit';
import type { ImageView, ReplyDelta, Turn } from '../../protocol/chatTurn.ts';
import { element } from '../markdown/dom.ts';
import { MarkdownElement } from '../markdown/markdownElement.ts';
import type { GrowingText, StreamingText } from '../markdown/streamingText.ts';
import { LightElement, property } from '../parts/lightElement.ts';
import { isSamePicture, PictureElement } from '../parts/picture.ts';
import { t } from '../words/l10n.ts';
import { exactSeconds } from '../words/times.ts';
import { CitationItem } from './citation.ts';
import { drawnReply } from './drawnReply.ts';
import type { ListedPassage, Passage } from './find/passages.ts';
import { type ItemView, PagedList } from './pagedList.ts';
import type { StreamingReply } from './streamingTurn.ts';
import { ToolCallBox } from './toolCall.ts';

/**
 * `<mg-reply>`: one choice of a reply. Additions go straight to the nodes that show them, without rendering
 * the template.
 */
export class ReplyElement extends LightElement.with({
  reply: property<StreamingReply>(),
  state: property<Turn['state']>(),
  /** Whether the text of the reply is to be JSON. */
  asksForJson: property(false),
  reasoningMs: property<number | undefined>(),
}) {
  /** Returns whether the reader is at the end of the conversation. */
  isFollowing = () => true;
  readonly #reasoning = new ReasoningFold();
  readonly #pictures = new PagedList<ImageView>({
    list: element('div'),
    viewOf: pictureView,
    more: t('Show More Pictures'),
  });
  readonly #toolCalls = new PagedList({
    list: element('div'),
    viewOf: (call: StreamingReply['toolCalls'][number]) => new ToolCallBox(call, () => this.state === 'done'),
    more: t('Show More Tool Calls'),
  });
  readonly #citations = new PagedList({
    list: element('ol', 'citations'),
    viewOf: (citation: StreamingReply['citations'][number]) => new CitationItem(citation),
    more: t('Show More Sources'),
  });
  // Kept, because looking them up would take longer the more they show.
  #replyText: MarkdownElement | undefined;
  /** What the element draws. */
  #drawn: GrowingText | undefined;
  #reasoningText: MarkdownElement | undefined;

  renderNow(): void {
    this.performUpdate();
  }

  /** Shows the part of the lists in which a passage stands. */
  reveal({ kind, position }: Extract<Passage, { kind: ListedPassage }>): void {
    (kind === 'source' ? this.#citations : this.#toolCalls).reveal(position);
  }

  /** Shows an addition to the reply. */
  applyDelta({ text, reasoning, toolCalls = [] }: ReplyDelta): void {
    if (this.isUpdatePending) return;
    const isOther = this.#toDraw() !== this.#drawn;
    if (isOther || isFirst(text, this.reply.text) || isFirst(reasoning, this.reply.reasoning)) {
      this.requestUpdate();
      return;
    }
    if (reasoning !== '') this.#reasoningText?.appendText(reasoning);
    if (text !== '') this.#replyText?.appendText(text);
    for (const { position, name, arguments: added } of toolCalls) {
      const shown = this.#toolCalls.view(position);
      if (shown instanceof ToolCallBox) shown.append(name, added);
    }
    for (const list of [this.#pictures, this.#toolCalls, this.#citations]) list.itemsAppended();
  }

  protected override willUpdate(): void {
    const { text, reasoning } = this.reply;
    const { state, reasoningMs: tookMs } = this;
    const progress = { state, hasText: text.length > 0, hasReasoning: reasoning.length > 0, tookMs };
    this.#reasoning.update(progress, this.isFollowing());
  }

  protected override updated(): void {
    const done = this.state === 'done';
    this.#replyText = this.#markdown('reply-text');
    this.#reasoningText = this.#markdown('reasoning-text');
    this.#drawn = this.#toDraw();
    this.#replyText?.show(this.#drawn, done);
    this.#replyText?.classList.toggle('json', this.#drawn !== this.reply.text);
    this.#reasoningText?.show(this.reply.reasoning, done);
    this.#pictures.show(this.reply.images);
    this.#toolCalls.show(this.reply.toolCalls);
    this.#citations.show(this.reply.citations);
  }

  protected override render(): TemplateResult {
    return html`
      ${this.#reasoningView()}
      <mg-markdown class="reply-text"></mg-markdown>
      ${this.#pictures.element} ${this.#toolCalls.element} ${this.#citations.element}
    `;
  }

  #reasoningView(): TemplateResult | typeof nothing {
    if (this.reply.reasoning.length === 0) return nothing;
    return html`
      <details class="reasoning" .open=${this.#reasoning.open} @toggle=${this.#onToggle}>
        <summary>${this.#reasoning.label}</summary>
        <mg-markdown class="reasoning-text"></mg-markdown>
      </details>
    `;
  }

  #toDraw(): GrowingText {
    return drawnReply(this.reply.text, this.asksForJson, this.state === 'done');
  }

  #onToggle(event: Event): void {
    if (event.target instanceof HTMLDetailsElement) this.#reasoning.decide(event.target.open);
  }

  #markdown(className: string): MarkdownElement | undefined {
    const found = this.querySelector(`mg-markdown.${className}`);
    return found instanceof MarkdownElement ? found : undefined;
  }
}

function isFirst(added: string, whole: StreamingText): boolean {
  return added !== '' && added.length === whole.length;
}

function pictureView(image: ImageView): ItemView<ImageView> {
  const node = new PictureElement();
  node.label = t('Picture from the model');
  node.image = image;
  const show = (newer: ImageView) => {
    if (!isSamePicture(newer, node.image)) node.image = newer;
  };
  return { node, show };
}

interface Progress {
  readonly state: Turn['state'];
  readonly hasText: boolean;
  readonly hasReasoning: boolean;
  /** How long the reasoning took, once it is told. */
  readonly tookMs: number | undefined;
}

/**
 * Whether the reasoning of a turn is open: while nothing else arrives, unless the reader decides. Also
 * measures how long the reasoning took, until that is told.
 */
class ReasoningFold {
  #open = false;
  #thinking = false;
  #decided = false;
  #seenBefore = false;
  #beganAt: number | undefined;
  #took: number | undefined;
  #told: number | undefined;

  get open(): boolean {
    return this.#open;
  }

  /** The label of the fold. */
  get label(): string {
    if (this.#thinking) return t('Thinking…');
    const took = this.#told ?? this.#took;
    return took === undefined ? t('Reasoning') : t('Reasoning ({0})', exactSeconds(took));
  }

  /** @param mayFold false while the reader has scrolled away, because folding would move the text */
  update({ state, hasText, hasReasoning, tookMs }: Progress, mayFold: boolean): void {
    if (state !== 'done' && !hasReasoning) this.#seenBefore = true;
    this.#told = tookMs;
    const thinking = state !== 'done' && hasReasoning && !hasText;
    if (thinking === this.#thinking) return;
    this.#thinking = thinking;
    if (thinking) this.#begin();
    else this.#end(mayFold);
  }

  /** Keeps the reader's own choice. */
  decide(open: boolean): void {
    if (open === this.#open) return;
    this.#open = open;
    this.#decided = true;
  }

  #begin(): void {
    if (this.#seenBefore) this.#beganAt = performance.now();
    if (!this.#decided) this.#open = true;
  }

  #end(mayFold: boolean): void {
    if (this.#beganAt !== undefined) this.#took = performance.now() - this.#beganAt;
    if (!this.#decided && mayFold) this.#open = false;
  }
}

customElements.define('mg-reply', ReplyElement);
