import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import * as z from 'zod';
import { errorMessage } from '../../../base/errors.ts';
import { Throttle } from '../../../base/throttle.ts';
import type { Image } from '../../../conversations/conversation/reply.ts';
import { maxVideos } from '../../../protocol/generatePage.ts';
import { parameterValues } from '../../../protocol/pageMessage.ts';
import { renameWithRetry } from '../../../storage/renameWithRetry.ts';
import type { Frame, Frames } from '../../../wire/apis/shared/videoRoute.ts';
import { findVideoRoute, type VideoRouteId } from '../../../wire/apis/videoRoutes.ts';
import type { Log } from '../../kit/display/log.ts';
import { readPictureType } from '../../kit/pages/receivedPictures.ts';

/** The whole content of the form. */
export interface FormContent {
  readonly model: string | undefined;
  readonly route: VideoRouteId;
  readonly values: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly frames: Frames;
  /** Whether the form has content that was neither sent nor filled in from an earlier request. */
  readonly isUnsent: boolean;
}

const stateKey = 'generateDraft';
const frameNames: readonly Frame[] = ['first', 'last'];

/** The longest delay before a change of the form is stored. */
const delayMs = 250;
/** Pictures of workspaces that were not opened for longer are deleted. */
const maxAgeMs = 30 * 24 * 3_600_000;

const storedForm = z.object({
  /** The prefix of the names of this workspace's picture files. */
  id: z.uuid(),
  model: z.string().optional(),
  route: z.string(),
  values: parameterValues,
  count: z.int().min(1).max(maxVideos),
  /** The SHA-256 of each picture, as hex digits. */
  frames: z.partialRecord(z.enum(['first', 'last']), z.string()),
  isUnsent: z.boolean(),
});

type StoredForm = z.infer<typeof storedForm>;

/** Stores the form of this workspace, so that it survives a closed tab and a reload of the window. */
export class FormDraft {
  readonly #state: vscode.Memento;
  readonly #folder: string;
  readonly #log: Pick<Log, 'warn'>;
  readonly #throttle = new Throttle(() => this.#write(), delayMs);
  #id: string = randomUUID();
  #content: FormContent | undefined;
  /** The SHA-256 of each stored picture. */
  #written: Partial<Record<Frame, string>> = {};
  #hashes = new WeakMap<Image, string>();
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param state the storage of the workspace
   * @param folder the folder for the pictures of all workspaces
   */
  constructor(state: vscode.Memento, folder: string, log: Pick<Log, 'warn'>) {
    this.#state = state;
    this.#folder = folder;
    this.#log = log;
  }

  /** Reads the stored form. A missing or damaged picture is omitted. */
  read(): FormContent | undefined {
    if (this.#content) return this.#content;
    const stored = storedForm.safeParse(this.#state.get(stateKey));
    const route = stored.success ? findVideoRoute(stored.data.route)?.id : undefined;
    if (!stored.success || !route) return undefined;
    const { id, frames, ...content } = stored.data;
    this.#id = id;
    this.#deleteOldPictures();
    const readFrames = frameNames.flatMap((frame) => {
      const image = this.#readFrame(frame, frames[frame]);
      return image ? [[frame, image] as const] : [];
    });
    return { ...content, model: content.model, route, frames: Object.fromEntries(readFrames) };
  }

  /** Stores the form after a short delay. */
  storeSoon(content: FormContent): void {
    this.#content = content;
    this.#throttle.schedule();
  }

  /** Stores pending changes at once. Resolves when they are stored. */
  async flush(): Promise<void> {
    this.#throttle.flush();
    await this.#writing;
  }

  #write(): void {
    const content = this.#content;
    if (!content) return;
    this.#writing = this.#writing
      .then(() => this.#store(content))
      .catch((error) => this.#log.warn('page', errorMessage(error)));
  }

  async #store({ frames: images, ...content }: FormContent): Promise<void> {
    const frames: Partial<Record<Frame, string>> = {};
    for (const frame of frameNames) {
      const image = images[frame];
      if (image) frames[frame] = await this.#writeFrame(frame, image);
    }
    await this.#state.update(stateKey, { ...content, id: this.#id, frames } satisfies StoredForm);
    for (const frame of frameNames) {
      if (frames[frame] === undefined) await rm(this.#buildPath(frame), { force: true });
    }
    this.#written = frames;
  }

  async #writeFrame(frame: Frame, image: Image): Promise<string> {
    const knownHash = this.#hashes.get(image);
    if (knownHash !== undefined && this.#written[frame] === knownHash) return knownHash;
    const bytes = Buffer.from(image.data, 'base64');
    const hash = hashBytes(bytes);
    this.#hashes.set(image, hash);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.#buildPath(frame)}.half`;
    await writeFile(temporary, bytes, { mode: 0o600 });
    await renameWithRetry(temporary, this.#buildPath(frame));
    return hash;
  }

  /** Checks the picture's hash, because a picture that was replaced on the disk must never be sent. */
  #readFrame(frame: Frame, hash: string | undefined): Image | undefined {
    if (hash === undefined) return undefined;
    try {
      const bytes = readFileSync(this.#buildPath(frame));
      const mimeType = readPictureType(bytes);
      if (mimeType === undefined || hashBytes(bytes) !== hash) return undefined;
      const image: Image = { type: 'image', mimeType, data: bytes.toString('base64') };
      this.#hashes.set(image, hash);
      this.#written = { ...this.#written, [frame]: hash };
      return image;
    } catch {
      return undefined;
    }
  }

  /** Deletes the pictures of workspaces that were not opened for `maxAgeMs`. */
  #deleteOldPictures(): void {
    const now = new Date();
    try {
      for (const name of readdirSync(this.#folder)) {
        const path = join(this.#folder, name);
        if (name.startsWith(this.#id)) utimesSync(path, now, now);
        else if (statSync(path).mtimeMs < now.getTime() - maxAgeMs) rmSync(path, { force: true });
      }
    } catch {
      // The folder does not exist yet, or another window is cleaning it up.
    }
  }

  #buildPath(frame: Frame): string {
    return join(this.#folder, `${this.#id}-${frame}`);
  }
}

function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
