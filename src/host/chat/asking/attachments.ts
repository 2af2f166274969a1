import * as vscode from 'vscode';
import type { Image } from '../../../conversations/conversation/reply.ts';
import { notify } from '../../kit/display/notify.ts';
import { ArrivingPictures, type PicturePiece } from '../../kit/pages/arrivingPictures.ts';
import { pictureExtensions, pictureType } from '../../kit/pages/pictureFile.ts';
import { fileName } from '../context/contextReference.ts';

const maxImages = 8;
/** In bytes. Providers commonly refuse larger pictures. */
const maxBytes = 5 * 1024 * 1024;

/** The pictures that go with the next question. */
export class Attachments {
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #arriving = new ArrivingPictures(maxBytes, maxImages);
  #images: readonly Image[] = [];
  readonly onDidChange = this.#onDidChange.event;

  get images(): readonly Image[] {
    return this.#images;
  }

  /** Whether no more can be attached. */
  get isFull(): boolean {
    return this.#images.length >= maxImages;
  }

  /** Asks for picture files and attaches them. */
  async pick(): Promise<void> {
    const files = await vscode.window.showOpenDialog({
      canSelectMany: true,
      openLabel: vscode.l10n.t('Attach'),
      filters: { [vscode.l10n.t('Pictures')]: pictureExtensions },
    });
    for (const file of files ?? []) await this.addFile(file);
  }

  /** Attaches a picture file. @returns whether it was attached */
  async addFile(file: vscode.Uri): Promise<boolean> {
    try {
      // Nothing is read of what is too big, or has no end.
      const { type, size } = await vscode.workspace.fs.stat(file);
      const isFile = (type & vscode.FileType.File) !== 0;
      if (size > maxBytes) return this.#refuse(tooLarge());
      return this.#add(Buffer.from(isFile ? await vscode.workspace.fs.readFile(file) : []));
    } catch {
      return this.#refuse(vscode.l10n.t('“{0}” does not exist or cannot be read.', fileName(file)));
    }
  }

  /** Receives one piece of a pasted or dropped picture. The last piece attaches it. */
  receive(piece: PicturePiece): void {
    const bytes = this.#arriving.receive(piece);
    if (bytes === 'tooLarge') this.#refuse(tooLarge());
    else if (bytes) this.#add(bytes);
  }

  remove(index: number): void {
    this.#become(this.#images.filter((_, at) => at !== index));
  }

  /** Returns the pictures for a question and removes them from here. */
  take(): readonly Image[] {
    const images = this.#images;
    if (images.length > 0) this.#become([]);
    return images;
  }

  /** Attaches the pictures of a question that was not sent, before the others. */
  putBack(images: readonly Image[]): void {
    if (images.length > 0) this.#become([...images, ...this.#images]);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #add(bytes: Buffer): boolean {
    const problem = this.#problem(bytes);
    if (problem !== undefined) return this.#refuse(problem);
    const image: Image = {
      type: 'image',
      mimeType: pictureType(bytes) ?? '',
      data: bytes.toString('base64'),
    };
    this.#become([...this.#images, image]);
    return true;
  }

  #refuse(problem: string): false {
    void notify('warning', problem);
    return false;
  }

  #problem(bytes: Buffer): string | undefined {
    if (pictureType(bytes) === undefined) {
      return vscode.l10n.t('Only PNG, JPEG, GIF and WebP pictures can be attached.');
    }
    if (bytes.length > maxBytes) return tooLarge();
    return this.isFull
      ? vscode.l10n.t('At most {0} pictures can be attached to one question.', String(maxImages))
      : undefined;
  }

  #become(images: readonly Image[]): void {
    this.#images = images;
    this.#onDidChange.fire();
  }
}

function tooLarge(): string {
  return vscode.l10n.t('This picture is larger than 5 MB. Make it smaller and attach it again.');
}
