/** The messages between the Generate page and the extension host. The host validates the page's messages. */
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

/** A field of the form. All other fields of the request are in the schema `rest`. */
export interface GenerateField {
  /** The path of its value in the request's body, such as ['parameters', 'size']. */
  readonly path: readonly string[];
  readonly label: string;
  /** Help in addition to the label; empty if the label is enough. */
  readonly help: string;
  /** Whether it is shown only under More. */
  readonly isRare?: boolean;
  /** `choice` offers the choices. With `allowsOther`, the user may also type other values. */
  readonly control: 'prompt' | 'text' | 'choice' | 'number' | 'switch';
  readonly choices?: readonly FieldChoice[];
  readonly allowsOther?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface FieldChoice {
  readonly value: string | number;
  readonly label: string;
}

/** The target of the next request, with its problems and warnings. */
export interface GenerateTarget {
  readonly gateway: string | undefined;
  readonly model: string | undefined;
  /** Whether there is no model yet, because the page is waiting for the gateway's list. */
  readonly isLoading?: boolean;
  /** The display name of the route, such as "Interactions". */
  readonly route: string;
  /** A one-word name of the route, for a narrow page. */
  readonly routeShort: string;
  /** The pictures that the route accepts, in display order. */
  readonly frames: readonly FramePosition[];
  /** Why nothing can be generated now; absent if there is no problem. */
  readonly notice?: ReplyNotice;
  /** A warning about the next click, which does not prevent it. */
  readonly warning?: ReplyNotice;
}

/** Two lists of paths in the body. A request sets fields of at most one of them. */
export type ExclusionView = readonly [readonly (readonly string[])[], readonly (readonly string[])[]];

/** The form: its fields and values. */
export interface GenerateForm {
  readonly fields: readonly GenerateField[];
  /** The JSON Schema of the body, without the model and the fields above. */
  readonly rest: object;
  /** The body without the model and the pictures. */
  readonly values: ParameterValues;
  /** The initial values of the form of this route. */
  readonly defaults: ParameterValues;
  /** Fields that exclude each other. */
  readonly exclusions: readonly ExclusionView[];
  /** The number of videos, each a separate request. */
  readonly count: number;
  /** A sentence about values that were lost when the route changed. */
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
  readonly pictures: Readonly<Partial<Record<FramePosition, ImageView>>>;
  readonly problems: readonly FormProblem[];
  /** The cost of the next click, and the source of the price; empty if there is no model. */
  readonly price: string;
  /** The tasks, newest first. */
  readonly tiles: readonly TaskTile[];
  /** Sent back with `generate`. Valid once, so that a double click submits once. */
  readonly submissionToken: string;
}

/** Host to page. `seq` grows by one per message; a page that misses a message sends `ready` again. */
export type ToGeneratePage = { readonly seq: number } & (
  | { readonly type: 'state'; readonly state: GenerateState }
  /** Replaces the form after a change of the model or route, or by a recipe. */
  | { readonly type: 'form'; readonly target: GenerateTarget; readonly form: GenerateForm }
  | { readonly type: 'target'; readonly target: GenerateTarget }
  | { readonly type: 'pictures'; readonly pictures: GenerateState['pictures'] }
  | { readonly type: 'problems'; readonly problems: readonly FormProblem[] }
  | { readonly type: 'price'; readonly price: string }
  | { readonly type: 'tiles'; readonly tiles: readonly TaskTile[] }
  /** A submission was accepted or refused. The page may submit again with this token. */
  | { readonly type: 'submission-result'; readonly submissionToken: string; readonly wasSent: boolean }
  /** The reply to `preview-request`. */
  | { readonly type: 'request'; readonly json: string }
  | { readonly type: 'perform'; readonly action: 'focus-prompt' }
);

/** The maximum number of videos per click. */
export const maxVideos = 8;

const frame = z.enum(['first', 'last']);

/** The position of a picture in the video. */
export type FramePosition = z.infer<typeof frame>;

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
  /** Uses dropped pictures, by their addresses, for these frames in order. */
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
