import { html, nothing, type TemplateResult } from 'lit';
import { changeBetween, piecesOfChange } from '../../base/textChange.ts';
import type { ChatFields, FromChatPage, ToChatPage } from '../../protocol/chatPage.ts';
import type { CompletionMessage } from '../../protocol/completion.ts';
import type { MessageBoxMessage, QueuedQuestion } from '../../protocol/messageBox.ts';
import { iconButton } from '../parts/buttons.ts';
import { piecesOf, takeDrops } from '../parts/files.ts';
import type { Host } from '../parts/host.ts';
import type { LightElement } from '../parts/lightElement.ts';
import { shownText } from '../parts/shownText.ts';
import { numberWords, t } from '../words/l10n.ts';
import { Composer, type FocusCause, maxDraftLength } from './composer.ts';
import type { FindOptions } from './find/pattern.ts';
import { attachedText } from './longPaste.ts';
import type { StoredEdits } from './messageEdits.ts';
import type { StoredForm } from './promptForm.ts';

/** The state that the page stores itself. */
export interface StoredChat {
  /** Absent for a long one, which the host has. */
  readonly draft?: string | undefined;
  /** What is written in the form of a prompt. */
  readonly promptForm?: StoredForm | undefined;
  /** What is written in the boxes of messages that are edited. */
  readonly edits?: StoredEdits;
  /** Identifies the chat to the host, when VS Code brings the page back. */
  readonly chat?: string;
  /** The turn at the top of the page, and how far it is scrolled, in pixels; absent at the end. */
  readonly place?: { readonly turnId: string; readonly offset: number } | undefined;
  /** How a text was looked for last. */
  readonly find?: FindOptions;
}

interface Links {
  /** Undefined until the page is connected. */
  readonly host: () => Host<ToChatPage, FromChatPage, StoredChat> | undefined;
  /** What the host has of it; undefined until the page has the state. */
  readonly shown: () => ChatFields | undefined;
  /** Adds to what the page stores. */
  readonly remember: (change: StoredChat) => void;
  /** Called before a question is sent. */
  readonly onSend: () => void;
  /** Called when the text in the message box has changed. */
  readonly onEdit: () => void;
  readonly announce: (words: string) => void;
}

type UnsentMessage = Extract<ToChatPage, { type: 'completions' | 'unsent' }>;

type Asked = Pick<Composer, 'streaming' | 'model' | 'asked' | 'lastQuestion'>;

type AttachPiece = Extract<FromChatPage, { type: 'attach-piece' }>;
type Dropped = Extract<FromChatPage, { type: 'attach-piece' | 'drop-files' | 'drop-text' }>;

/** How much of a queued question is shown, in UTF-16 units. The line is cut where it ends. */
const maxShownLength = 500;

/** The most bytes of a file whose text is sent to the host. */
const maxTextBytes = 1024 * 1024;

/** What the user wrote and has not asked yet: the message box with its pictures, and the question that waits. */
export class Unsent {
  readonly #page: LightElement;
  readonly #links: Links;
  readonly #told = new ToldDraft();

  constructor(page: LightElement, links: Links) {
    this.#page = page;
    this.#links = links;
    acceptDrops(page, (message) => this.#post(message));
  }

  /** The text in the message box. */
  get text(): string {
    return this.#composer?.text ?? '';
  }

  receive(message: UnsentMessage): void {
    if (message.type === 'completions') this.#composer?.showCompletions(message);
    // It stands before what was typed meanwhile.
    else this.#composer?.giveBack(message.text);
  }

  /** Puts a quotation where the caret is, with a line below it to go on. */
  quote(quotation: string): void {
    this.#composer?.insertParagraph(quotation);
  }

  /** Shows what is written, as the host knows it. */
  show(text: string): void {
    this.#told.know(text);
    if (this.#composer?.text !== text) this.#composer?.insert(text);
  }

  focus(cause?: FocusCause): void {
    this.#composer?.focusText(cause);
  }

  noteFocus(cause: FocusCause): void {
    this.#composer?.noteFocus(cause);
  }

  send(text: string): void {
    this.#links.onSend();
    this.#post({ type: 'send', text });
  }

  render({ streaming, model, asked, lastQuestion }: Asked): TemplateResult {
    const { queued, attachments = [], context = [], completionTriggers = [] } = this.#links.shown() ?? {};
    return html`
      ${queued ? queuedView(queued) : nothing}
      <mg-composer
        .streaming=${streaming}
        .model=${model}
        .asked=${asked}
        .draft=${this.#links.host()?.getState()?.draft ?? ''}
        .attachments=${attachments}
        .lastQuestion=${lastQuestion}
        .context=${context}
        .triggers=${completionTriggers}
        @send=${({ detail }: CustomEvent<string>) => this.send(detail)}
        @draft=${({ detail }: CustomEvent<string>) => this.#keep(detail)}
        @pictures=${({ detail }: CustomEvent<readonly File[]>) => attach(detail, (piece) => this.#post(piece))}
        @long-paste=${({ detail }: CustomEvent<string>) => this.#attachText(detail)}
        @completion=${({ detail }: CustomEvent<CompletionMessage>) => this.#post(detail)}
        @stop=${() => this.#post({ type: 'stop' })}
      ></mg-composer>
    `;
  }

  #attachText(text: string): void {
    const message = attachedText(text, this.#links.shown()?.context ?? []);
    this.#post(message);
    this.#links.announce(t('{0} is attached to the question.', message.name));
  }

  /** The host keeps the draft beyond the tab, the page a short one until it is shown again. */
  #keep(draft: string): void {
    this.#links.remember({ draft: draft.length <= maxWholeDraft ? draft : undefined });
    if (draft.length <= maxDraftLength) {
      for (const message of this.#told.tell(draft)) this.#post(message);
    }
    this.#links.onEdit();
  }

  get #composer(): Composer | undefined {
    const composer = this.#page.querySelector('mg-composer');
    return composer instanceof Composer ? composer : undefined;
  }

  #post(message: FromChatPage): void {
    this.#links.host()?.post(message);
  }
}

/** The question that waits for the reply before it to be complete. */
function queuedView({ text, pictures, files = 0 }: QueuedQuestion): TemplateResult {
  const others = pictures > 0 ? picturesWords(pictures) : piecesWords(files);
  const words = text.trim() === '' ? others : text.trim();
  return html`
    <div class="queued" role="group" aria-label=${t('Queued question')}>
      <span class="queued-text" title=${t('Sent when this reply is complete; returned to the message box if it fails or is stopped')}>
        ${t('Queued:')} ${shownText(words.slice(0, maxShownLength))}
      </span>
      ${iconButton('edit', t('Edit the Queued Question'), 'edit-queued')}
      ${iconButton('close', t('Remove the Queued Question'), 'remove-queued')}
    </div>
  `;
}

function picturesWords(count: number): string {
  return t(count === 1 ? '{0} picture' : '{0} pictures', numberWords(count));
}

function piecesWords(count: number): string {
  return t(count === 1 ? '{0} piece of code' : '{0} pieces of code', numberWords(count));
}

/** Attaches what is dropped anywhere on a page: files of VS Code's own views, and of the system. */
function acceptDrops(page: HTMLElement, send: (message: Dropped) => void): void {
  takeDrops(page, ({ files, uris }) => {
    if (uris.length > 0) send({ type: 'drop-files', uris: [...uris] });
    else void attachFiles(files, send);
  });
}

/** Sends pictures piece by piece. The host refuses those that are none. */
async function attach(files: readonly File[], send: (piece: AttachPiece) => void): Promise<void> {
  for (const file of files) {
    for await (const piece of piecesOf(file)) send({ type: 'attach-piece', ...piece });
  }
}

async function attachFiles(files: readonly File[], send: (message: Dropped) => void): Promise<void> {
  for (const file of files) {
    if (file.type.startsWith('image/')) await attach([file], send);
    else {
      const text = file.size > maxTextBytes ? '' : await file.text();
      send({ type: 'drop-text', name: file.name, bytes: file.size, text });
    }
  }
}

type DraftMessage = Extract<MessageBoxMessage, { type: 'draft' | 'change-draft' }>;

/** The longest draft that is told as a whole each time, in UTF-16 units. */
const maxWholeDraft = 64 * 1024;

/** The longest change that one message takes. */
const maxChange = 512 * 1024;

/** What the host knows of a draft. Telling it about a long one costs what was typed, not what is there. */
class ToldDraft {
  /** Undefined where the host may know anything. */
  #told: string | undefined;

  /** Takes a draft for known, since the host told it: what was written there meanwhile stays. */
  know(draft: string): void {
    this.#told = draft;
  }

  /** Returns the messages by which the host knows a draft. */
  tell(draft: string): readonly DraftMessage[] {
    const told = this.#told;
    if (draft === told) return [];
    this.#told = draft;
    if (draft.length <= maxWholeDraft) return [{ type: 'draft', text: draft }];
    const change = changeBetween(told ?? '', draft);
    const changes = change ? piecesOfChange(change, maxChange) : [];
    return changes.map((each, at) => ({
      ...{ type: 'change-draft', isNew: at === 0 && told === undefined, ...each },
      more: at < changes.length - 1,
    }));
  }
}
