import '../parts/picture.ts';
import { html, nothing, type TemplateResult } from 'lit';
import type { ImageView } from '../../protocol/chatTurn.ts';
import type { FramePosition, FromGeneratePage, GenerateState } from '../../protocol/generatePage.ts';
import { renderProblem } from '../form/fieldViews.ts';
import { listenForDrops, splitIntoPieces } from '../parts/fileDrops.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';

const frameNames: Readonly<Record<FramePosition, string>> = {
  first: t('First frame'),
  last: t('Last frame'),
};

const frameActions: Readonly<Record<FramePosition, { readonly replace: string; readonly remove: string }>> = {
  first: { replace: t('Replace First Frame'), remove: t('Remove First Frame') },
  last: { replace: t('Replace Last Frame'), remove: t('Remove Last Frame') },
};

/** `<mg-frame-drop-zone>`: the drop zone of a picture. The page handles clicks and drops. */
export class FrameDropZone extends LightElement.with({
  frame: property<FramePosition>(),
  image: property<ImageView | undefined>(),
  /** The problem of the picture, or of its absence. */
  problem: property<string | undefined>(),
  /** Whether something is being dragged over the drop zone. */
  isDragged: state(false),
}) {
  constructor() {
    super();
    this.addEventListener('dragover', () => this.#setDragged(true));
    this.addEventListener('dragleave', (event) => {
      if (!(event.relatedTarget instanceof Node && this.contains(event.relatedTarget)))
        this.#setDragged(false);
    });
    this.addEventListener('drop', () => this.#setDragged(false));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.isDragged = false;
  }

  focusControl(): void {
    this.querySelector<HTMLElement>('.drop-zone')?.focus();
  }

  protected override render(): TemplateResult {
    const name = frameNames[this.frame];
    const label = this.image ? frameActions[this.frame].replace : t('{0}: {1}', name, invitation);
    return html`
      <div class="drop-zone-head">
        <span class="field-name">${name}</span>
        ${this.image ? this.#renderRemoveButton() : nothing}
      </div>
      <button
        type="button"
        class="drop-zone ${this.isDragged ? 'dragged' : ''}"
        title=${t('{0} (hold Shift to drop)', label)}
        aria-label=${label}
        aria-describedby=${this.problem === undefined ? nothing : this.#problemId}
        data-action="attach-file"
        data-frame=${this.frame}
      >
        ${this.image ? html`<mg-picture .image=${this.image} .label=${name}></mg-picture>` : emptyZone}
      </button>
      ${this.problem === undefined ? nothing : renderProblem(this.#problemId, this.problem)}
    `;
  }

  get #problemId(): string {
    return `frame-${this.frame}-problem`;
  }

  /** Renders the remove button. It moves the focus to the drop zone, because it disappears with the picture. */
  #renderRemoveButton(): TemplateResult {
    const label = frameActions[this.frame].remove;
    return html`
      <button type="button" class="icon-button" title=${label} aria-label=${label} data-action="detach" data-frame=${this.frame} @click=${() => this.focusControl()}>
        <span class="codicon codicon-close" aria-hidden="true"></span>
      </button>
    `;
  }

  #setDragged(isDragged: boolean): void {
    this.isDragged = isDragged;
  }
}

const invitation = t('Choose, paste or drop');

const emptyZone = html`
  <span class="codicon codicon-add" aria-hidden="true"></span>
  <span>${invitation}</span>
`;

customElements.define('mg-frame-drop-zone', FrameDropZone);

interface PictureInput {
  /** Returns the frames of the current route. */
  readonly getFrames: () => readonly FramePosition[];
  readonly getPictures: () => GenerateState['pictures'];
  readonly send: (message: Extract<FromGeneratePage, { type: 'attach-piece' | 'drop-files' }>) => void;
}

/**
 * Sends dropped or pasted pictures to the host; pictures from VS Code's own views are sent as addresses. Pasted
 * text is inserted into its box as usual.
 */
export function acceptPictures(page: HTMLElement, { getFrames, getPictures, send }: PictureInput): void {
  const isEmpty = (frame: FramePosition) => getPictures()[frame] === undefined;
  const listFreeAt = (target: EventTarget | null) => listFreeFrames(getFrames(), isEmpty, findFrame(target));
  const attach = async (files: readonly File[], freeFrames: readonly FramePosition[]) => {
    const [frame] = freeFrames;
    if (frame === undefined) return;
    const framePictures = assignFrames(files, freeFrames);
    if (framePictures.length === 0) framePictures.push({ frame, file: new File([], '') });
    for (const { frame, file } of framePictures) {
      for await (const piece of splitIntoPieces(await copyIfReadable(file)))
        send({ type: 'attach-piece', frame, ...piece });
    }
  };
  listenForDrops(page, ({ files, uris, target }) => {
    const freeFrames = listFreeAt(target);
    if (freeFrames.length === 0) return;
    if (uris.length > 0) send({ type: 'drop-files', uris: [...uris], frames: [...freeFrames] });
    else void attach(files, freeFrames);
  });
  document.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0 || getFrames().length === 0) return;
    event.preventDefault();
    void attach(files, listFreeAt(event.target));
  });
}

/** Returns an empty file for a folder or an unreadable file: the host reports it as a file that is not a picture. */
async function copyIfReadable(file: File): Promise<File> {
  const isReadable = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
  return isReadable ? file : new File([], file.name);
}

/** Finds the frame that contains the target of an event. */
function findFrame(target: EventTarget | null): FramePosition | undefined {
  const zone = target instanceof Element ? target.closest('mg-frame-drop-zone') : undefined;
  return zone instanceof FrameDropZone ? zone.frame : undefined;
}

/** A picture and its frame. */
interface FramePicture {
  readonly frame: FramePosition;
  readonly file: File;
}

/**
 * Assigns pasted or dropped pictures to frames, in the order of `listFreeFrames`. Skips other files and extra
 * pictures.
 */
function assignFrames(files: readonly File[], frames: readonly FramePosition[]): FramePicture[] {
  const pictures = files.filter(({ type }) => type.startsWith('image/'));
  return pictures.flatMap((file, index) => {
    const frame = frames[index];
    return frame ? [{ frame, file }] : [];
  });
}

/**
 * Lists the frames that receive pictures: the frame under the pointer, or otherwise the first empty one, and then all
 * other empty frames. If all are full, the first frame receives a picture.
 */
function listFreeFrames(
  frames: readonly FramePosition[],
  isEmpty: (frame: FramePosition) => boolean,
  target: FramePosition | undefined,
): readonly FramePosition[] {
  const first = target ?? frames.find(isEmpty) ?? frames[0];
  const free = frames.filter((frame) => frame === first || isEmpty(frame));
  return free.toSorted((one, other) => Number(other === first) - Number(one === first));
}
