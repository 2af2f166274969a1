import * as vscode from 'vscode';
import type { Image } from '../../../conversations/conversation/reply.ts';
import type { FramePosition } from '../../../protocol/generatePage.ts';
import { formatDisplayPath } from '../../chat/context/contextReference.ts';
import { parseDroppedFiles } from '../../chat/context/droppedFiles.ts';
import { notify } from '../../kit/display/notify.ts';
import {
  isPictureName,
  type PicturePiece,
  pictureExtensions,
  ReceivedPictures,
  readPictureType,
} from '../../kit/pages/receivedPictures.ts';

/** In bytes. Providers commonly refuse larger pictures. */
const maxBytes = 10 * 1024 * 1024;
const maxArriving = 4;

/**
 * Lets the user pick a picture file.
 *
 * @returns undefined if the user picked no file, or if the file cannot be used
 */
export async function pickFrame(): Promise<Image | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      openLabel: vscode.l10n.t('Use This Picture'),
      filters: { [vscode.l10n.t('Pictures')]: pictureExtensions },
    })) ?? [];
  return file && readFrame(file);
}

/** A picture and its position. */
interface PlacedFrame {
  readonly frame: FramePosition;
  readonly image: Image;
}

/**
 * Reads pictures that were dropped from VS Code's own views, for frames in their order. Shows a warning if a file
 * cannot be used, or if no file is a picture.
 */
export async function readFrames(
  uris: readonly string[],
  frames: readonly FramePosition[],
): Promise<readonly PlacedFrame[]> {
  const files = parseDroppedFiles(uris);
  const pictures = files.filter(({ path }) => isPictureName(path));
  if (files.length > 0 && pictures.length === 0) void notify('warning', describeWrongType());
  const placed: PlacedFrame[] = [];
  for (const file of pictures.slice(0, frames.length)) {
    const image = await readFrame(file);
    const frame = frames[placed.length];
    if (image && frame) placed.push({ frame, image });
  }
  return placed;
}

async function readFrame(file: vscode.Uri): Promise<Image | undefined> {
  try {
    // Large files are not read. Special files are not read either, because some never end.
    const { type, size } = await vscode.workspace.fs.stat(file);
    if (size > maxBytes) return toImage('tooLarge');
    const isFile = (type & vscode.FileType.File) !== 0;
    return toImage(Buffer.from(isFile ? await vscode.workspace.fs.readFile(file) : []));
  } catch {
    void notify('warning', vscode.l10n.t('“{0}” does not exist or cannot be read.', formatDisplayPath(file)));
    return undefined;
  }
}

/** Assembles pasted and dropped pictures, and converts usable pictures. */
export class ArrivingFrames {
  readonly #arriving = new ReceivedPictures(maxBytes, maxArriving);

  /** @returns the picture after its last piece; undefined before, or after a warning if it cannot be used */
  receive(piece: PicturePiece): Image | undefined {
    const bytes = this.#arriving.receive(piece);
    return bytes && toImage(bytes);
  }
}

/** Converts a picture. Shows a warning if it cannot be used. */
function toImage(bytes: Buffer | 'tooLarge'): Image | undefined {
  const isTooLarge = bytes === 'tooLarge' || bytes.length > maxBytes;
  const mimeType = isTooLarge ? undefined : readPictureType(bytes);
  if (!isTooLarge && mimeType !== undefined) {
    return { type: 'image', mimeType, data: bytes.toString('base64') };
  }
  void notify('warning', isTooLarge ? describeTooLarge() : describeWrongType());
  return undefined;
}

function describeWrongType(): string {
  return vscode.l10n.t('Only PNG, JPEG, GIF and WebP pictures can be used.');
}

function describeTooLarge(): string {
  return vscode.l10n.t('This picture is larger than 10 MB. Make it smaller and try again.');
}
