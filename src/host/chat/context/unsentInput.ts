import * as vscode from 'vscode';
import type { Image } from '../../../conversations/conversation/reply.ts';
import type { Prompt, RestoredDraft, UnsentPrompt } from '../../../conversations/conversation/turn.ts';
import { notify } from '../../kit/display/notify.ts';
import {
  type PicturePiece,
  pictureExtensions,
  ReceivedPictures,
  readPictureType,
} from '../../kit/pages/receivedPictures.ts';
import { ChatContext } from './chatContext.ts';
import {
  type ContextReference,
  createMissingReference,
  formatDisplayPath,
  readContextReference,
} from './contextReference.ts';

/** A question that is not sent yet. */
export interface QuestionDraft extends UnsentPrompt {
  readonly context?: readonly ContextReference[];
}

/** The user's unsent input for a chat: the message box, the questions being prepared, and the queued question. */
export class UnsentInput {
  readonly attachments = new Attachments();
  readonly context = new ChatContext();
  readonly queue = new QuestionQueue();
  /** The text in the message box. */
  text = '';
  /** The text of the message box that the page reported last. The extension may have changed `text` since then. */
  reportedText = '';
  /** The questions that are being prepared for sending. */
  #preparing: readonly QuestionDraft[] = [];
  readonly #onDidChangePreparing = new vscode.EventEmitter<void>();
  /** Fires when the preparation of a question started or ended. */
  readonly onDidChangePreparing = this.#onDidChangePreparing.event;
  readonly #onDidPutBack = new vscode.EventEmitter<string>();
  /** Fires with the text of a question that was put back into the message box. The text may be empty. */
  readonly onDidPutBack = this.#onDidPutBack.event;

  /** The prepared questions, the queued question and the message box, as one draft for a later session. */
  get combinedDraft(): QuestionDraft {
    const messageBox: QuestionDraft = {
      text: this.text,
      images: this.attachments.images,
      context: this.context.references,
    };
    const before = [...this.#preparing, this.queue.waiting ?? []].flat();
    return before.reduceRight((later, draft) => joinDrafts(draft, later), messageBox);
  }

  get isEmpty(): boolean {
    const { text, images, context = [] } = this.combinedDraft;
    return text.trim() === '' && images.length === 0 && context.length === 0;
  }

  /** Restores the draft of an earlier session. */
  restore({ text, images, context = [], missingPictures = [] }: RestoredDraft): void {
    this.text = text;
    this.attachments.putBack(images);
    const pictures = missingPictures.map(
      (hash): ContextReference => ({ kind: 'missing', type: 'image', hash }),
    );
    this.context.putBack([...pictures, ...context.flatMap((json) => readContextReference(json) ?? [])]);
  }

  /** Returns a question with the attachments and the context, and clears both; undefined if everything is empty. */
  take(text: string): QuestionDraft | undefined {
    const { attachments, context } = this;
    if (text.trim() === '' && attachments.images.length === 0 && context.entries.length === 0)
      return undefined;
    return { text, images: attachments.take(), context: context.take() };
  }

  /** Marks a question as being prepared. It counts as unsent until `endPreparing` is called. */
  beginPreparing(draft: QuestionDraft): void {
    this.#preparing = [...this.#preparing, draft];
    this.#onDidChangePreparing.fire();
  }

  /** Ends the preparation of a question, which is then sent or put back into the message box. */
  endPreparing(draft: QuestionDraft): void {
    this.#preparing = this.#preparing.filter((each) => each !== draft);
    this.#onDidChangePreparing.fire();
  }

  /** Puts a question with its pictures and context back into the message box, before the existing content. */
  putBack({ text, images, context = [] }: QuestionDraft): void {
    this.attachments.putBack(images);
    this.context.putBack(context);
    if (text !== '') this.text = this.text === '' ? text : `${text}\n${this.text}`;
    this.#onDidPutBack.fire(text);
  }

  /** Puts the queued question back into the message box. */
  putBackQueued(): void {
    const queued = this.queue.take();
    if (queued) this.putBack(queued);
  }

  dispose(): void {
    this.attachments.dispose();
    this.context.dispose();
    this.queue.dispose();
    this.#onDidChangePreparing.dispose();
    this.#onDidPutBack.dispose();
  }
}

/**
 * Converts a question of the conversation to a draft. Its files become texts; its missing attachments become
 * placeholders.
 */
export function createDraft({ text, images, files = [], missing = [] }: Prompt): QuestionDraft {
  const texts = files.map((file) => ({ kind: 'text', ...file }) as const);
  return { text, images, context: [...texts, ...missing.map(createMissingReference)] };
}

/** The question that is sent after the current reply is complete. Further questions are appended to it. */
class QuestionQueue {
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  #waiting: QuestionDraft | undefined;

  get waiting(): QuestionDraft | undefined {
    return this.#waiting;
  }

  add(draft: QuestionDraft): void {
    this.#setWaiting(this.#waiting ? joinDrafts(this.#waiting, draft) : draft);
  }

  /** Returns the waiting question and removes it. */
  take(): QuestionDraft | undefined {
    const waiting = this.#waiting;
    if (waiting) this.#setWaiting(undefined);
    return waiting;
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #setWaiting(waiting: QuestionDraft | undefined): void {
    this.#waiting = waiting;
    this.#onDidChange.fire();
  }
}

/** Joins two drafts, the earlier draft first. */
function joinDrafts(earlier: QuestionDraft, later: QuestionDraft): QuestionDraft {
  return {
    text: [earlier.text, later.text].filter((text) => text !== '').join('\n\n'),
    images: [...earlier.images, ...later.images],
    context: [...(earlier.context ?? []), ...(later.context ?? [])],
  };
}

const maxPictures = 8;

/** The maximum size of a picture, in bytes. Many providers reject larger pictures. */
const maxPictureBytes = 5 * 1024 * 1024;

/** The pictures that are attached to the next question. */
class Attachments {
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #received = new ReceivedPictures(maxPictureBytes, maxPictures);
  #images: readonly Image[] = [];
  readonly onDidChange = this.#onDidChange.event;

  get images(): readonly Image[] {
    return this.#images;
  }

  get isFull(): boolean {
    return this.#images.length >= maxPictures;
  }

  /** Attaches picture files that the user chooses. */
  async pick(): Promise<void> {
    const files = await vscode.window.showOpenDialog({
      canSelectMany: true,
      openLabel: vscode.l10n.t('Attach'),
      filters: { [vscode.l10n.t('Pictures')]: pictureExtensions },
    });
    for (const file of files ?? []) await this.addFile(file);
  }

  /** Attaches a picture file, or notifies the user why this is not possible. @returns whether it was attached */
  async addFile(file: vscode.Uri): Promise<boolean> {
    try {
      // The size and type are checked first, because the file may be very large, or a device that never ends.
      const { type, size } = await vscode.workspace.fs.stat(file);
      const isFile = (type & vscode.FileType.File) !== 0;
      if (size > maxPictureBytes) return this.#refuse(describeTooLarge());
      return this.#add(Buffer.from(isFile ? await vscode.workspace.fs.readFile(file) : []));
    } catch {
      return this.#refuse(vscode.l10n.t('“{0}” does not exist or cannot be read.', formatDisplayPath(file)));
    }
  }

  /** Receives a piece of a pasted or dropped picture. After the last piece, the picture is attached. */
  receive(piece: PicturePiece): void {
    const bytes = this.#received.receive(piece);
    if (bytes === 'tooLarge') this.#refuse(describeTooLarge());
    else if (bytes) this.#add(bytes);
  }

  remove(index: number): void {
    this.#setImages(this.#images.toSpliced(index, 1));
  }

  /** Returns the pictures for a question and removes them. */
  take(): readonly Image[] {
    const images = this.#images;
    if (images.length > 0) this.#setImages([]);
    return images;
  }

  /** Attaches the pictures of a question that was not sent, before the others. */
  putBack(images: readonly Image[]): void {
    if (images.length > 0) this.#setImages([...images, ...this.#images]);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #add(bytes: Buffer): boolean {
    const problem = this.#findProblem(bytes);
    if (problem !== undefined) return this.#refuse(problem);
    const image: Image = {
      type: 'image',
      mimeType: readPictureType(bytes) ?? '',
      data: bytes.toString('base64'),
    };
    this.#setImages([...this.#images, image]);
    return true;
  }

  #refuse(problem: string): false {
    void notify('warning', problem);
    return false;
  }

  #findProblem(bytes: Buffer): string | undefined {
    if (readPictureType(bytes) === undefined) {
      return vscode.l10n.t('Only PNG, JPEG, GIF and WebP pictures can be attached.');
    }
    if (bytes.length > maxPictureBytes) return describeTooLarge();
    return this.isFull
      ? vscode.l10n.t('At most {0} pictures can be attached to one question.', String(maxPictures))
      : undefined;
  }

  #setImages(images: readonly Image[]): void {
    this.#images = images;
    this.#onDidChange.fire();
  }
}

function describeTooLarge(): string {
  return vscode.l10n.t('This picture is larger than 5 MB. Make it smaller and attach it again.');
}
