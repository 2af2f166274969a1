/** The messages between the Generate page and the extension host, which checks what it receives. */
import * as z from 'zod';
import type { ImageView, ReplyNotice } from './chatPage.ts';
import {
  id,
  type ParameterValues,
  parameterValues,
  picturePiece,
  ready,
  replyAction,
} from './pageMessage.ts';
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

/** What a request would go to, and what stands in its way. */
export interface GenerateTarget {
  readonly gateway: string | undefined;
  readonly model: string | undefined;
  /** The route's name for people, such as "Interactions". */
  readonly route: string;
  /** Which pictures the route takes, in the order they are shown. */
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

const frame = z.enum(['first', 'last']);

/** Where a picture may stand in the video. */
export type Frame = z.infer<typeof frame>;

/** Page to host. */
export const fromGeneratePage = z.discriminatedUnion('type', [
  ready,
  z.strictObject({ type: z.literal('choose-model') }),
  z.strictObject({ type: z.literal('choose-route') }),
  /** The whole body as the form has it now, without the model. */
  z.strictObject({ type: z.literal('set-values'), values: parameterValues }),
  z.strictObject({ type: z.literal('set-count'), count: z.int().min(1).max(8) }),
  /** Opens a dialog to choose a picture file. */
  z.strictObject({ type: z.literal('attach-file'), frame }),
  z.strictObject({ type: z.literal('attach-piece'), frame, ...picturePiece }),
  z.strictObject({ type: z.literal('detach'), frame }),
  z.strictObject({ type: z.literal('preview-request') }),
  z.strictObject({ type: z.literal('copy-request') }),
  /** The user clicked Generate: the only message that may cost money. */
  z.strictObject({ type: z.literal('generate'), submissionToken: id }),
  z.strictObject({ type: z.literal('open-task'), key: id }),
  z.strictObject({ type: z.literal('action'), action: replyAction }),
]);

export type FromGeneratePage = Readonly<z.infer<typeof fromGeneratePage>>;
