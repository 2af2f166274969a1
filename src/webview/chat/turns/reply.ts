import { html, nothing, type TemplateResult } from 'lit';
import { truncate } from '../../../base/truncate.ts';
import type { CitationView, ImageView, ReplyDelta, TurnView } from '../../../protocol/chatTurn.ts';
import { createElement, createTextNodes } from '../../markdown/dom.ts';
import { parseOpenableLink } from '../../markdown/linkTargets.ts';
import { MarkdownElement } from '../../markdown/markdownElement.ts';
import type { GrowingText, StreamingText } from '../../markdown/streaming/streamingText.ts';
import { LightElement, property } from '../../parts/lightElement.ts';
import { type ItemView, PagedList } from '../../parts/pagedList.ts';
import { isSamePicture, PictureElement } from '../../parts/picture.ts';
import { t } from '../../words/l10n.ts';
import { formatExactSeconds } from '../../words/timeWords.ts';
import { getReplyMarkdown } from './replyMarkdown.ts';
import type { StreamingReply } from './streamingTurn.ts';
import { ToolCallBox } from './toolCall.ts';

/** A part of a turn that can be searched. */
export type Passage =
  | { readonly kind: 'question' }
  | { readonly kind: 'reasoning' | 'reply'; readonly choice: number }
  | { readonly kind: ListedPassage; readonly choice: number; readonly position: number };

/** The kind of a text in the lists below a reply. */
export type ListedPassage = 'tool-name' | 'tool-arguments' | 'source';

/**
 * `<mg-reply>`: one choice of a reply. Additions are applied directly to the nodes that show them, without rendering
 * the template.
 */
export class ReplyElement extends LightElement.with({
  reply: property<StreamingReply>(),
  state: property<TurnView['state']>(),
  /** Whether the request was for JSON. */
  requestsJson: property(false),
  reasoningMs: property<number | undefined>(),
}) {
  /** Returns whether the reader is at the end of the conversation. */
  isFollowing = () => true;
  readonly #reasoning = new ReasoningFold();
  readonly #pictures = new PagedList<ImageView>({
    list: createElement('div'),
    createView: createPictureView,
    moreLabel: t('Show More Pictures'),
  });
  readonly #toolCalls = new PagedList({
    list: createElement('div'),
    createView: (call: StreamingReply['toolCalls'][number]) =>
      new ToolCallBox(call, () => this.state === 'done'),
    moreLabel: t('Show More Tool Calls'),
  });
  readonly #citations = new PagedList({
    list: createElement('ol', 'citations'),
    createView: (citation: StreamingReply['citations'][number]) => new CitationItem(citation),
    moreLabel: t('Show More Sources'),
  });
  // These elements are stored, because a lookup takes longer the more content they have.
  #replyText: MarkdownElement | undefined;
  /** The Markdown that `#replyText` currently shows. */
  #shownMarkdown: GrowingText | undefined;
  #reasoningText: MarkdownElement | undefined;

  /** Renders at once, so that a caller that builds many replies can measure each of them. */
  renderNow(): void {
    this.performUpdate();
  }

  /** Shows the item of a list that contains a passage. */
  reveal({ kind, position }: Extract<Passage, { kind: ListedPassage }>): void {
    (kind === 'source' ? this.#citations : this.#toolCalls).reveal(position);
  }

  /** Shows an addition to the reply. */
  applyDelta({ text, reasoning, toolCalls = [] }: ReplyDelta): void {
    if (this.isUpdatePending) return;
    const isReplaced = this.#chooseMarkdown() !== this.#shownMarkdown;
    if (
      isReplaced ||
      isFirstAddition(text, this.reply.text) ||
      isFirstAddition(reasoning, this.reply.reasoning)
    ) {
      this.requestUpdate();
      return;
    }
    if (reasoning !== '') this.#reasoningText?.appendText(reasoning);
    if (text !== '') this.#replyText?.appendText(text);
    for (const { position, name, arguments: added } of toolCalls) {
      const view = this.#toolCalls.getView(position);
      if (view instanceof ToolCallBox) view.append(name, added);
    }
    for (const list of [this.#pictures, this.#toolCalls, this.#citations]) list.showAppended();
  }

  protected override willUpdate(): void {
    const { text, reasoning } = this.reply;
    const { state, reasoningMs: durationMs } = this;
    const progress = { state, hasText: text.length > 0, hasReasoning: reasoning.length > 0, durationMs };
    this.#reasoning.update(progress, this.isFollowing());
  }

  protected override updated(): void {
    const isDone = this.state === 'done';
    this.#replyText = this.#findMarkdownElement('reply-text');
    this.#reasoningText = this.#findMarkdownElement('reasoning-text');
    this.#shownMarkdown = this.#chooseMarkdown();
    this.#replyText?.show(this.#shownMarkdown, isDone);
    this.#replyText?.classList.toggle('json', this.#shownMarkdown !== this.reply.text);
    this.#reasoningText?.show(this.reply.reasoning, isDone);
    this.#pictures.show(this.reply.images);
    this.#toolCalls.show(this.reply.toolCalls);
    this.#citations.show(this.reply.citations);
  }

  protected override render(): TemplateResult {
    return html`
      ${this.#renderReasoning()}
      <mg-markdown class="reply-text"></mg-markdown>
      ${this.#pictures.element} ${this.#toolCalls.element} ${this.#citations.element}
    `;
  }

  #renderReasoning(): TemplateResult | typeof nothing {
    if (this.reply.reasoning.length === 0) return nothing;
    return html`
      <details class="reasoning" .open=${this.#reasoning.isOpen} @toggle=${this.#onToggle}>
        <summary>${this.#reasoning.label}</summary>
        <mg-markdown class="reasoning-text"></mg-markdown>
      </details>
    `;
  }

  #chooseMarkdown(): GrowingText {
    return getReplyMarkdown(this.reply.text, this.requestsJson, this.state === 'done');
  }

  #onToggle(event: Event): void {
    if (event.target instanceof HTMLDetailsElement) this.#reasoning.choose(event.target.open);
  }

  #findMarkdownElement(className: string): MarkdownElement | undefined {
    const markdown = this.querySelector(`mg-markdown.${className}`);
    return markdown instanceof MarkdownElement ? markdown : undefined;
  }
}

/** Whether `added` is the whole text so far. */
function isFirstAddition(added: string, text: StreamingText): boolean {
  return added !== '' && added.length === text.length;
}

function createPictureView(image: ImageView): ItemView<ImageView> {
  const node = new PictureElement();
  node.label = t('Picture from the model');
  node.image = image;
  const show = (newer: ImageView) => {
    if (!isSamePicture(newer, node.image)) node.image = newer;
  };
  return { node, show };
}

interface Progress {
  readonly state: TurnView['state'];
  readonly hasText: boolean;
  readonly hasReasoning: boolean;
  /** The reported duration of the reasoning; undefined until it is reported. */
  readonly durationMs: number | undefined;
}

/**
 * The state of the fold with the reasoning of a reply. It is open until the text of the reply arrives, unless the
 * reader changes it. Also measures the duration of the reasoning until it is reported.
 */
class ReasoningFold {
  #isOpen = false;
  #isThinking = false;
  #hasReaderChosen = false;
  /** Whether the page showed the turn before its reasoning began. */
  #isSeenFromStart = false;
  #beganAt: number | undefined;
  #measuredMs: number | undefined;
  #reportedMs: number | undefined;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The label of the fold. */
  get label(): string {
    if (this.#isThinking) return t('Thinking…');
    const durationMs = this.#reportedMs ?? this.#measuredMs;
    return durationMs === undefined ? t('Reasoning') : t('Reasoning ({0})', formatExactSeconds(durationMs));
  }

  /** @param mayFold false while the reader has scrolled away, because folding would move the text */
  update({ state, hasText, hasReasoning, durationMs }: Progress, mayFold: boolean): void {
    if (state !== 'done' && !hasReasoning) this.#isSeenFromStart = true;
    this.#reportedMs = durationMs;
    const isThinking = state !== 'done' && hasReasoning && !hasText;
    if (isThinking === this.#isThinking) return;
    this.#isThinking = isThinking;
    if (isThinking) this.#begin();
    else this.#end(mayFold);
  }

  /** Stores the choice of the reader, which `update` does not change. */
  choose(isOpen: boolean): void {
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    this.#hasReaderChosen = true;
  }

  #begin(): void {
    if (this.#isSeenFromStart) this.#beganAt = performance.now();
    if (!this.#hasReaderChosen) this.#isOpen = true;
  }

  #end(mayFold: boolean): void {
    if (this.#beganAt !== undefined) this.#measuredMs = performance.now() - this.#beganAt;
    if (!this.#hasReaderChosen && mayFold) this.#isOpen = false;
  }
}

/** The longest title that is shown, in UTF-16 units. */
const maxTitleLength = 300;

/** A list item with a source that the model cited: its title and its address. */
class CitationItem implements ItemView<CitationView> {
  readonly node = createElement('li', 'citation');
  #shown: CitationView | undefined;

  constructor(citation: CitationView) {
    this.show(citation);
  }

  show(citation: CitationView): void {
    if (this.#shown?.title === citation.title && this.#shown.url === citation.url) return;
    this.#shown = citation;
    this.node.replaceChildren(...createCitationNodes(citation));
  }
}

/** Creates the nodes that show a source. */
export function createCitationNodes({ title, url }: CitationView): readonly Node[] {
  const titleNodes = createTextNodes(truncate(title, maxTitleLength));
  const address = url === undefined ? undefined : parseOpenableLink(url);
  if (address === undefined) return titleNodes;
  const link = createElement('a', 'link', {
    role: 'link',
    tabindex: '0',
    'data-action': 'open-link',
    'data-url': address.href,
  });
  link.append(...titleNodes);
  const host = createElement('span', 'link-host');
  host.append(address.host);
  return [link, document.createTextNode(' '), host];
}

customElements.define('mg-reply', ReplyElement);
