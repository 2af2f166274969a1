/** The messages between the Generate page and the extension host. Types only; the host checks what it receives. */
import type { ImageView, ParameterValues, ReplyNotice } from './chatPage.ts';
import type { TaskTile } from './taskPage.ts';

/** One of the fields everybody needs; the others are in the schema of the rest. */
export interface GenerateField {
  /** Where its value stands in the request's body, such as ['parameters', 'size']. */
  readonly path: readonly string[];
  readonly label: string;
  /** One line of help, from the request's schema. */
  readonly help: string;
  /** `choice` offers the choices; any other value may be typed where `open` is set. */
  readonly control: 'prompt' | 'text' | 'choice' | 'number' | 'switch';
  readonly choices?: readonly FieldChoice[];
  readonly open?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface FieldChoice {
  readonly value: string | number;
  readonly label: string;
}

/** Where a picture may stand in the video. */
export type Frame = 'first' | 'last';

/** What a request would go to, and what stands in its way. */
export interface GenerateTarget {
  readonly gateway: string | undefined;
  readonly model: string | undefined;
  /** The route's name for people, such as "Interactions". */
  readonly route: string;
  /** Which pictures the shape takes, in the order they are shown. */
  readonly frames: readonly Frame[];
  /** Why nothing can be made now, with what helps; absent when all is well. */
  readonly notice?: ReplyNotice;
}

/** The form: what can be set, and what is. */
export interface GenerateForm {
  readonly fields: readonly GenerateField[];
  /** JSON Schema of the whole body without the model; what the fields above cover is left out of it. */
  readonly rest: object;
  /** The body so far, without the model and the pictures. */
  readonly values: ParameterValues;
  readonly count: number;
}

/**
 * Something wrong with the form. The path leads to a value in the body, or as `['frames', 'first']` to a picture;
 * an empty one is about the whole.
 */
export interface FormProblem {
  readonly path: readonly string[];
  readonly problem: string;
}

export interface GenerateState {
  readonly target: GenerateTarget;
  readonly form: GenerateForm;
  readonly pictures: Readonly<Partial<Record<Frame, ImageView>>>;
  readonly problems: readonly FormProblem[];
  /** The newest tasks first. */
  readonly tiles: readonly TaskTile[];
  /** Goes back with `generate`; good for one submission, so that a double click makes one. */
  readonly submissionToken: string;
}

/** Host to page. `seq` grows by one per message; a page that misses one asks for `ready` again. */
export type ToGeneratePage = { readonly seq: number } & (
  | { readonly type: 'state'; readonly state: GenerateState }
  /** Replaces the form: another model or route, or a recipe that was taken over. */
  | { readonly type: 'form'; readonly target: GenerateTarget; readonly form: GenerateForm }
  | { readonly type: 'target'; readonly target: GenerateTarget }
  | { readonly type: 'pictures'; readonly pictures: GenerateState['pictures'] }
  | { readonly type: 'problems'; readonly problems: readonly FormProblem[] }
  | { readonly type: 'tiles'; readonly tiles: readonly TaskTile[] }
  /** A submission was taken (or refused): the page may submit again with this submission token. */
  | { readonly type: 'submission-result'; readonly submissionToken: string; readonly sent: boolean }
  /** Answers `preview-request`. */
  | { readonly type: 'request'; readonly json: string }
  | { readonly type: 'perform'; readonly action: 'focus-prompt' }
);

/** Page to host. `channel` is the random word given to this page in its HTML. */
export type FromGeneratePage = { readonly channel: string } & (
  | { readonly type: 'ready' }
  | { readonly type: 'choose-model' }
  | { readonly type: 'choose-route' }
  /** The whole body as the form has it now, without the model. */
  | { readonly type: 'set-values'; readonly values: ParameterValues }
  | { readonly type: 'set-count'; readonly count: number }
  /** Opens a dialog to choose a picture file. */
  | { readonly type: 'attach-file'; readonly frame: Frame }
  /** A piece of a pasted or dropped picture, as base64 of at most 512 KiB; `id` is the page's own. */
  | {
      readonly type: 'attach-piece';
      readonly frame: Frame;
      readonly id: string;
      readonly data: string;
      readonly last: boolean;
    }
  | { readonly type: 'detach'; readonly frame: Frame }
  | { readonly type: 'preview-request' }
  | { readonly type: 'copy-request' }
  /** The user clicked Generate: the only message that may cost money. */
  | { readonly type: 'generate'; readonly submissionToken: string }
  | { readonly type: 'open-task'; readonly key: string }
  | { readonly type: 'action'; readonly action: ReplyNotice['actions'][number]['action'] }
);
