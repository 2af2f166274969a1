import { html, nothing, type TemplateResult } from 'lit';
import { findTextChange, splitChange } from '../../base/textChange.ts';
import type { ChatFields, FromChatPage, ToChatPage } from '../../protocol/chatPage.ts';
import type { CompletionMessage } from '../../protocol/completion.ts';
import type { MessageBoxMessage, QueuedQuestion } from '../../protocol/messageBox.ts';
import { renderText } from '../markdown/dom.ts';
import { renderIconButton } from '../parts/buttons.ts';
import { listenForDrops, splitIntoPieces } from '../parts/fileDrops.ts';
import type { LightElement } from '../parts/lightElement.ts';
import type { Host } from '../parts/pageHost.ts';
import { formatNumber, t } from '../words/l10n.ts';
import { Composer, type FocusCause, maxStoredDraftLength } from './composer/composer.ts';
import { choosePasteName, countUtf8Bytes } from './composer/longPaste.ts';
import type { StoredChat } from './storedChat.ts';

interface UnsentViewOptions {
  /** Undefined until the page is connected. */
  readonly getHost: () => Host<ToChatPage, FromChatPage, StoredChat> | undefined;
  /** The host's current fields; undefined until the page has the state. */
  readonly getFields: () => ChatFields | undefined;
  /** Adds to the state that the page stores. */
  readonly store: (change: StoredChat) => void;
  /** Called before a question is sent. */
  readonly onSend: () => void;
  /** Called when the text in the message box has changed. */
  readonly onEdit: () => void;
  readonly announce: (text: string) => void;
}

type UnsentMessage = Extract<ToChatPage, { type: 'completions' | 'unsent' }>;

type ComposerProps = Pick<Composer, 'isStreaming' | 'model' | 'modelCount' | 'lastQuestion'>;

type FileMessage = Extract<FromChatPage, { type: 'attach-piece' | 'drop-text' }>;

/** The maximum rendered length of a queued question, in UTF-16 units. CSS cuts the line at its visible end. */
const maxShownLength = 500;

/** The maximum number of bytes of a file whose text is sent to the host. */
const maxTextBytes = 1024 * 1024;

/** The content that the user has not sent yet: the message box with its pictures, and the queued question. */
export class UnsentView {
  readonly #page: LightElement;
  readonly #options: UnsentViewOptions;
  readonly #hostDraft = new HostDraft();

  constructor(page: LightElement, options: UnsentViewOptions) {
    this.#page = page;
    this.#options = options;
    listenForDrops(page, ({ files, uris }) => {
      if (uris.length > 0) this.#post({ type: 'drop-files', uris: [...uris] });
      else void attachFiles(files, (message) => this.#post(message));
    });
  }

  /** The text in the message box. */
  get text(): string {
    return this.#composer?.text ?? '';
  }

  receive(message: UnsentMessage): void {
    if (message.type === 'completions') this.#composer?.showCompletions(message);
    else this.#composer?.returnUnsent(message.text);
  }

  /** Inserts a quotation at the caret, with an empty line below it to continue on. */
  quote(quotation: string): void {
    this.#composer?.insertParagraph(quotation);
  }

  /** Replaces the text in the message box with the host's version. */
  showDraft(text: string): void {
    this.#hostDraft.receive(text);
    if (this.#composer?.text !== text) this.#composer?.replaceText(text);
  }

  focus(cause?: FocusCause): void {
    this.#composer?.focusText(cause);
  }

  recordFocus(cause: FocusCause): void {
    this.#composer?.recordFocus(cause);
  }

  send(text: string): void {
    this.#options.onSend();
    this.#post({ type: 'send', text });
  }

  render({ isStreaming, model, modelCount, lastQuestion }: ComposerProps): TemplateResult {
    const {
      queued,
      attachments = [],
      context = [],
      completionTriggers = [],
    } = this.#options.getFields() ?? {};
    return html`
      ${queued ? renderQueued(queued) : nothing}
      <mg-composer
        .isStreaming=${isStreaming}
        .model=${model}
        .modelCount=${modelCount}
        .draft=${this.#options.getHost()?.getState()?.draft ?? ''}
        .attachments=${attachments}
        .lastQuestion=${lastQuestion}
        .context=${context}
        .triggers=${completionTriggers}
        @send=${({ detail }: CustomEvent<string>) => this.send(detail)}
        @draft=${({ detail }: CustomEvent<string>) => this.#storeDraft(detail)}
        @pictures=${({ detail }: CustomEvent<readonly File[]>) => attachPictures(detail, (piece) => this.#post(piece))}
        @long-paste=${({ detail }: CustomEvent<string>) => this.#attachText(detail)}
        @completion=${({ detail }: CustomEvent<CompletionMessage>) => this.#post(detail)}
        @stop=${() => this.#post({ type: 'stop' })}
      ></mg-composer>
    `;
  }

  #attachText(text: string): void {
    const name = choosePasteName(this.#options.getFields()?.context ?? []);
    this.#post({ type: 'drop-text', name, bytes: countUtf8Bytes(text), text });
    this.#options.announce(t('{0} is attached to the question.', name));
  }

  /** Sends the draft to the host, which stores it even after the tab is closed. The page also stores a short draft. */
  #storeDraft(draft: string): void {
    this.#options.store({ draft: draft.length <= maxUnsplitDraft ? draft : undefined });
    if (draft.length <= maxStoredDraftLength) {
      for (const message of this.#hostDraft.update(draft)) this.#post(message);
    }
    this.#options.onEdit();
  }

  get #composer(): Composer | undefined {
    const composer = this.#page.querySelector('mg-composer');
    return composer instanceof Composer ? composer : undefined;
  }

  #post(message: FromChatPage): void {
    this.#options.getHost()?.post(message);
  }
}

/** Renders the question that is queued until the current reply is complete. */
function renderQueued({ text, pictures, files = 0 }: QueuedQuestion): TemplateResult {
  const attachmentText =
    pictures > 0
      ? t(pictures === 1 ? '{0} picture' : '{0} pictures', formatNumber(pictures))
      : t(files === 1 ? '{0} piece of code' : '{0} pieces of code', formatNumber(files));
  const shownText = text.trim() === '' ? attachmentText : text.trim();
  return html`
    <div class="queued" role="group" aria-label=${t('Queued question')}>
      <span class="queued-text" title=${t('Sent when this reply is complete; returned to the message box if the reply fails or is stopped')}>
        ${t('Queued:')} ${renderText(shownText.slice(0, maxShownLength))}
      </span>
      ${renderIconButton('edit', t('Edit the Queued Question'), 'edit-queued')}
      ${renderIconButton('close', t('Remove the Queued Question'), 'remove-queued')}
    </div>
  `;
}

/** Sends pictures piece by piece. The host refuses files that are not pictures. */
async function attachPictures(files: readonly File[], send: (message: FileMessage) => void): Promise<void> {
  for (const file of files) {
    try {
      for await (const piece of splitIntoPieces(file)) send({ type: 'attach-piece', ...piece });
    } catch {
      send(createUnreadableMessage(file));
    }
  }
}

async function attachFiles(files: readonly File[], send: (message: FileMessage) => void): Promise<void> {
  for (const file of files) {
    if (file.type.startsWith('image/')) await attachPictures([file], send);
    else {
      const text = file.size > maxTextBytes ? '' : await file.text().catch(() => undefined);
      if (text === undefined) send(createUnreadableMessage(file));
      else send({ type: 'drop-text', name: file.name, bytes: file.size, text });
    }
  }
}

/** Creates the message for an unreadable file or a folder. The host reports it, because its text is too short. */
function createUnreadableMessage({ name, size }: File): FileMessage {
  return { type: 'drop-text', name, bytes: Math.max(1, size), text: '' };
}

type DraftMessage = Extract<MessageBoxMessage, { type: 'draft' | 'change-draft' }>;

/** The longest draft that is sent as a whole each time, in UTF-16 units. */
const maxUnsplitDraft = 64 * 1024;

/** The longest change in one message, in UTF-16 units. */
const maxChange = 512 * 1024;

/**
 * The host's version of the draft. For a long draft, only the changes are sent, not the whole text.
 */
class HostDraft {
  /** Undefined if the host's version is unknown. */
  #text: string | undefined;

  /**
   * Stores a draft from the host. It is not sent back, so that it does not overwrite newer text of the host.
   */
  receive(draft: string): void {
    this.#text = draft;
  }

  /** Returns the messages that update the host to this draft. */
  update(draft: string): readonly DraftMessage[] {
    const before = this.#text;
    if (draft === before) return [];
    this.#text = draft;
    if (draft.length <= maxUnsplitDraft) return [{ type: 'draft', text: draft }];
    const change = findTextChange(before ?? '', draft);
    const changes = change ? splitChange(change, maxChange) : [];
    return changes.map((part, index) => ({
      type: 'change-draft',
      isNew: index === 0 && before === undefined,
      ...part,
      hasMore: index < changes.length - 1,
    }));
  }
}
