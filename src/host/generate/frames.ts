import * as vscode from 'vscode';
import type { Image } from '../../conversations/reply.ts';
import { notify } from '../display/notify.ts';
import { ArrivingPictures, type PicturePiece } from '../pages/arrivingPictures.ts';
import { pictureExtensions, pictureType } from '../pages/pictureFile.ts';

/** In bytes. Providers commonly refuse larger pictures. */
const maxBytes = 10 * 1024 * 1024;
const maxArriving = 4;

/**
 * Asks for a picture file.
 *
 * @returns undefined when the user chose none, or one that cannot be used
 */
export async function pickFrame(): Promise<Image | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      openLabel: vscode.l10n.t('Use This Picture'),
      filters: { [vscode.l10n.t('Pictures')]: pictureExtensions },
    })) ?? [];
  return file && checked(Buffer.from(await vscode.workspace.fs.readFile(file)));
}

/** Assembles pasted and dropped pictures and returns those that can be used. */
export class ArrivingFrames {
  readonly #arriving = new ArrivingPictures(maxBytes, maxArriving);

  receive(piece: PicturePiece): Image | undefined {
    const bytes = this.#arriving.receive(piece);
    return bytes && checked(bytes);
  }
}

function checked(bytes: Buffer): Image | undefined {
  const mimeType = pictureType(bytes);
  if (mimeType !== undefined && bytes.length <= maxBytes) {
    return { type: 'image', mimeType, data: bytes.toString('base64') };
  }
  void notify(
    'warning',
    mimeType === undefined
      ? vscode.l10n.t('Only PNG, JPEG, GIF and WebP pictures can be used.')
      : vscode.l10n.t('This picture is larger than 10 MB. Make it smaller and try again.'),
  );
  return undefined;
}
