/** The messages between the Generate page and the extension host, which checks what it receives. */
import * as z from 'zod';
import type { ImageView, ReplyNotice } from './chatTurn.ts';
import {
  droppedUris,
  id,
  type ParameterValues,
  parameterValues,
  picturePiece,
  ready,
  replyAction,
} from './pageMessage.ts';
import type { TaskTile } from './taskPage.ts';

/** A main field. The others are in the schema `rest`. */
export interface GenerateField {
  /** The path of its value in the request's body, such as ['parameters', 'size']. */
  readonly path: readonly string[];
  readonly label: string;
  /** What the label does not say already; empty where it says all. */
  readonly help: string;
  /** Whether it is shown only under More. */
  readonly isRare?: boolean;
  /** `choice` offers the choices. With `open`, other values may be typed. */
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

/** The target of the next request, and what prevents it or speaks against it. */
export interface GenerateTarget {
  readonly gateway: string | undefined;
  readonly model: string | undefined;
  /** There is no model yet, because the gateway's list is being read. */
  readonly isLoading?: boolean;
  /** The route's name for people, such as "Interactions". */
  readonly route: string;
  /** One word of it, for a narrow page. */
  readonly routeShort: string;
  /** The pictures that the route takes, in display order. */
  readonly frames: readonly Frame[];
  /** Why nothing can be generated now; absent when all is well. */
  readonly notice?: ReplyNotice;
  /** What to know before the next click, which sends all the same. */
  readonly warning?: ReplyNotice;
}

/** Two lists of paths in the body. */
export type Exclusion = readonly [readonly (readonly string[])[], readonly (readonly string[])[]];

/** The form: its fields and values. */
export interface GenerateForm {
  readonly fields: readonly GenerateField[];
  /** The JSON Schema of the body, without the model and the fields above. */
  readonly rest: object;
  /** The body without the model and the pictures. */
  readonly values: ParameterValues;
  /** The values with which the form of this route begins. */
  readonly defaults: ParameterValues;
  /** Fields that exclude each other: of the two sides of each, a request says one at most. */
  readonly exclusions: readonly Exclusion[];
  readonly count: number;
  /** What the change of the route left behind. */
  readonly remark?: string;
}

/**
 * A problem of the form. Its path leads to a value in the body, or as `['frames', 'first']` to a picture. An
 * empty path means the whole form.
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
  /** What the next click costs, and by whose price; empty while there is no model. */
  readonly price: string;
  /** The newest tasks first. */
  readonly tiles: readonly TaskTile[];
  /** Sent back with `generate`. Valid once, so that a double click submits once. */
  readonly submissionToken: string;
}

/** Host to page. `seq` grows by one per message; a page that misses one asks for `ready` again. */
export type ToGeneratePage = { readonly seq: number } & (
  | { readonly type: 'state'; readonly state: GenerateState }
  /** Replaces the form, because of another model or route or a recipe. */
  | { readonly type: 'form'; readonly target: GenerateTarget; readonly form: GenerateForm }
  | { readonly type: 'target'; readonly target: GenerateTarget }
  | { readonly type: 'pictures'; readonly pictures: GenerateState['pictures'] }
  | { readonly type: 'problems'; readonly problems: readonly FormProblem[] }
  | { readonly type: 'price'; readonly price: string }
  | { readonly type: 'tiles'; readonly tiles: readonly TaskTile[] }
  /** A submission was accepted or refused. The page may submit again with this token. */
  | { readonly type: 'submission-result'; readonly submissionToken: string; readonly sent: boolean }
  /** Answers `preview-request`. */
  | { readonly type: 'request'; readonly json: string }
  | { readonly type: 'perform'; readonly action: 'focus-prompt' }
);

/** The most videos of one click. */
export const maxVideos = 8;

const frame = z.enum(['first', 'last']);

/** The position of a picture in the video. */
export type Frame = z.infer<typeof frame>;

/** Page to host. */
export const fromGeneratePage = z.discriminatedUnion('type', [
  ready,
  z.strictObject({ type: z.literal('choose-model') }),
  z.strictObject({ type: z.literal('choose-route') }),
  /** The body of the form, without the model. */
  z.strictObject({ type: z.literal('set-values'), values: parameterValues }),
  z.strictObject({ type: z.literal('set-count'), count: z.int().min(1).max(maxVideos) }),
  /** Opens a dialog to choose a picture file. */
  z.strictObject({ type: z.literal('attach-file'), frame }),
  z.strictObject({ type: z.literal('attach-piece'), frame, ...picturePiece }),
  /** Puts pictures that were dropped, by their addresses, into these frames, in their order. */
  z.strictObject({ type: z.literal('drop-files'), uris: droppedUris, frames: z.array(frame).max(2) }),
  z.strictObject({ type: z.literal('detach'), frame }),
  z.strictObject({ type: z.literal('preview-request') }),
  z.strictObject({ type: z.literal('copy-request') }),
  /** The user clicked Generate: the only message that may cost money. */
  z.strictObject({ type: z.literal('generate'), submissionToken: id }),
  z.strictObject({ type: z.literal('open-task'), key: id }),
  z.strictObject({ type: z.literal('action'), action: replyAction }),
]);

export type FromGeneratePage = Readonly<z.infer<typeof fromGeneratePage>>;
