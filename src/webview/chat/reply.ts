import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CitationView, ReplyView, ToolCallView, Turn } from '../../protocol/chatPage.ts';
import { textNodes } from '../markdown/dom.ts';
import { openableLink } from '../markdown/links.ts';
import { MarkdownElement } from '../markdown/markdownElement.ts';
import { LightElement } from '../parts/lightElement.ts';
import '../parts/picture.ts';
import { ReasoningFold } from './reasoningFold.ts';

/** `<mg-reply>`: what the model said in one choice. New text goes straight to the Markdown, past the template. */
export class ReplyElement extends LightElement {
  static override properties = {
    reply: { attribute: false },
    state: { attribute: false },
  };

  declare reply: ReplyView;
  declare state: Turn['state'];
  /** Whether the reader is at the end of the conversation. Nothing is rendered again when it changes. */
  following = true;
  readonly #reasoning = new ReasoningFold();
  // Kept, because looking them up would take longer the more they show.
  #replyText: MarkdownElement | undefined;
  #reasoningText: MarkdownElement | undefined;

  /** Adds what a streaming reply brought. */
  addText(text: string, reasoning: string): void {
    if (reasoning !== '') this.#reasoningText?.appendText(reasoning);
    if (text !== '') this.#replyText?.appendText(text);
    this.reply = {
      ...this.reply,
      text: this.reply.text + text,
      reasoning: this.reply.reasoning + reasoning,
    };
  }

  protected override shouldUpdate(changed: PropertyValues<this>): boolean {
    const before = changed.get('reply');
    return before === undefined || changed.size > 1 || !sameButText(before, this.reply);
  }

  protected override willUpdate(): void {
    const { text, reasoning } = this.reply;
    this.#reasoning.update({ state: this.state, text, reasoning }, this.following);
  }

  protected override updated(): void {
    const done = this.state === 'done';
    this.#replyText = this.#markdown('reply-text');
    this.#reasoningText = this.#markdown('reasoning-text');
    this.#replyText?.show(this.reply.text, done);
    this.#reasoningText?.show(this.reply.reasoning, done);
  }

  protected override render(): TemplateResult {
    const { images, toolCalls, citations } = this.reply;
    return html`
      ${this.#reasoningView()}
      <mg-markdown class="reply-text"></mg-markdown>
      ${images.map((image) => html`<mg-picture .image=${image} label="Picture from the model"></mg-picture>`)}
      ${toolCalls.map(toolCall)}
      ${citations.length > 0 ? html`<ol class="citations">${citations.map(citation)}</ol>` : nothing}
    `;
  }

  #reasoningView(): TemplateResult | typeof nothing {
    if (this.reply.reasoning === '') return nothing;
    return html`
      <details class="reasoning" .open=${this.#reasoning.open} @toggle=${this.#onToggle}>
        <summary>${this.#reasoning.label}</summary>
        <mg-markdown class="reasoning-text"></mg-markdown>
      </details>
    `;
  }

  #onToggle(event: Event): void {
    if (event.target instanceof HTMLDetailsElement) this.#reasoning.decide(event.target.open);
  }

  #markdown(className: string): MarkdownElement | undefined {
    const found = this.querySelector(`mg-markdown.${className}`);
    return found instanceof MarkdownElement ? found : undefined;
  }
}

/** Whether only text was added: the Markdown has shown that already, unless it is the first of its kind. */
function sameButText(before: ReplyView, after: ReplyView): boolean {
  return (
    before.toolCalls === after.toolCalls &&
    before.images === after.images &&
    before.citations === after.citations &&
    (before.text === '') === (after.text === '') &&
    (before.reasoning === '') === (after.reasoning === '')
  );
}

function toolCall(call: ToolCallView): TemplateResult {
  return html`
    <div class="tool-call">
      <div class="tool-name">
        <span class="codicon codicon-tools" aria-hidden="true"></span> ${textNodes(call.name)}
        <span class="spacer"></span>
        <button type="button" class="icon-button" title="Copy the arguments" aria-label="Copy the arguments" data-action="copy-arguments">
          <span class="codicon codicon-copy" aria-hidden="true"></span>
        </button>
      </div>
      <pre tabindex="0" aria-label="Arguments"><code>${textNodes(call.arguments)}</code></pre>
    </div>
  `;
}

function citation({ title, url }: CitationView): TemplateResult {
  const link = url === undefined ? undefined : openableLink(url);
  if (link === undefined) return html`<li>${textNodes(title)}</li>`;
  return html`
    <li>
      <a class="link" role="link" tabindex="0" data-url=${link.href}>${textNodes(title)}</a>
      <span class="link-host">${link.host}</span>
    </li>
  `;
}

customElements.define('mg-reply', ReplyElement);
