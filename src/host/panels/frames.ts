import * as vscode from 'vscode';
import type { Image } from '../../conversations/reply.ts';
import type { Frame } from '../../protocol/generatePage.ts';
import { imageType } from './imageType.ts';

/** Providers commonly refuse larger ones. */
const mostBytes = 10 * 1024 * 1024;
const mostArriving = 4;

/** A piece of a picture on its way from the page, whose messages may not be long. */
export interface FramePiece {
  readonly frame: Frame;
  readonly id: string;
  /** Base64 of a whole number of bytes. */
  readonly data: string;
  readonly last: boolean;
}

/** Asks for a picture file. Undefined when the user chose none, or what was chosen cannot be used. */
export async function pickFrame(): Promise<Image | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      openLabel: vscode.l10n.t('Use this picture'),
      filters: { [vscode.l10n.t('Pictures')]: ['png', 'jpg', 'jpeg', 'gif', 'webp'] },
    })) ?? [];
  return file && checked(Buffer.from(await vscode.workspace.fs.readFile(file)));
}

/** Puts pasted and dropped pictures together from their pieces. */
export class ArrivingFrames {
  readonly #arriving = new Map<string, Buffer[]>();

  /** @returns the picture, once its last piece came and it can be used */
  receive({ id, data, last }: FramePiece): Image | undefined {
    const pieces = [...(this.#arriving.get(id) ?? []), Buffer.from(data, 'base64')];
    const tooLarge = pieces.reduce((sum, piece) => sum + piece.length, 0) > mostBytes;
    if (!last && !tooLarge && this.#arriving.size < mostArriving) this.#arriving.set(id, pieces);
    else this.#arriving.delete(id);
    return last || tooLarge ? checked(Buffer.concat(pieces)) : undefined;
  }
}

function checked(bytes: Buffer): Image | undefined {
  const mimeType = imageType(bytes);
  if (mimeType !== undefined && bytes.length <= mostBytes) {
    return { type: 'image', mimeType, data: bytes.toString('base64') };
  }
  void vscode.window.showWarningMessage(
    mimeType === undefined
      ? vscode.l10n.t('Only PNG, JPEG, GIF and WebP pictures can be used.')
      : vscode.l10n.t('This picture is larger than 10 MB. Make it smaller and try again.'),
  );
  return undefined;
}
