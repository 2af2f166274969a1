/** The messages between the task page and the extension host. The host validates the page's messages. */
import * as z from 'zod';
import type { TaskProgress } from '../base/taskProgress.ts';
import { type ActionButton, id, type Notice, ready } from './pageMessage.ts';

/** The appearance of a task, which decides its icon and colour. */
export type TaskAppearance =
  /** Not started at the gateway. */
  | 'queued'
  | 'running'
  /** Completed, and its result is being downloaded. */
  | 'downloading'
  | 'attention'
  | 'completed'
  /** Completed without a result. */
  | 'empty'
  | 'failed'
  | 'cancelled'
  | 'unwatched';

/** A summary of a task. */
export interface TaskTile {
  readonly key: string;
  readonly appearance: TaskAppearance;
  /** The status as text, such as "Running" or "Unknown outcome". */
  readonly status: string;
  /** The gateway's name for the status, as a sentence. */
  readonly reportedStatus?: string;
  readonly model: string;
  readonly prompt: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The progress of a running task. */
  readonly progress?: TaskProgress;
  /** The first result, if it is saved and can be shown. */
  readonly media?: MediaView;
}

/** A saved result that the page can show. */
export interface MediaView {
  readonly kind: 'video' | 'image' | 'audio';
  readonly src: string;
  readonly mimeType: string;
  /** The audio codec as in a MIME type, such as `mp4a.40.2`; absent if there is no sound. */
  readonly audioCodec?: string;
}

/**
 * The id of an action on a task or a result. The host offers the possible actions, and looks up an id from the
 * page in its table.
 */
export type TaskAction = string;

export type TaskButton = ActionButton<TaskAction>;

/** A result of a task. */
export interface ResultView {
  readonly index: number;
  readonly media?: MediaView;
  /** The result itself, if it is text. */
  readonly text?: string;
  /** The state as text, such as "Saved, 61 kB", "Downloading, 40 %" or a problem. */
  readonly status: string;
  readonly hasFailed: boolean;
  /** 0 to 100 during the download, if the size is known. */
  readonly percent?: number;
  readonly buttons: readonly TaskButton[];
}

export type TaskNotice = Notice<TaskAction>;

export interface TimelineEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The status as text, such as "Submitted". */
  readonly label: string;
  /** The gateway's names for the status, as a sentence. */
  readonly reportedStatuses?: string;
  readonly appearance: TaskAppearance;
}

/** A field of the request, as the Generate form names it. */
export interface RecipeEntry {
  readonly label: string;
  readonly value: string;
  /** The field's path in the request. */
  readonly name?: string;
  /** The value as it was sent, if it is displayed differently. */
  readonly sent?: string;
}

export interface FailedPollView {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** The content of the page. The host sends all of it after any change. */
export interface TaskView {
  readonly tile: TaskTile;
  /** How long the task took, in milliseconds; absent while it runs. */
  readonly durationMs?: number;
  readonly notice?: TaskNotice;
  /** A sentence about the next step, while the task runs. */
  readonly next?: string;
  readonly results: readonly ResultView[];
  /** All buttons, the main ones first; the buttons after the first `mainButtons` are in the menu. */
  readonly buttons: readonly TaskButton[];
  readonly mainButtons: number;
  readonly recipe: readonly RecipeEntry[];
  readonly timeline: readonly TimelineEntry[];
  readonly taskId?: string;
  readonly requestId?: string;
  /** The gateway's request id, from the reply that created the task or from the last failure. */
  readonly gatewayRequestId?: string;
  /** The gateway's record of the task, as JSON text. */
  readonly record?: string;
  /** The body of the request, as JSON text. */
  readonly request?: string;
  readonly failedPolls: readonly FailedPollView[];
}

/** Host to page. */
export type ToTaskPage = { readonly seq: number } & { readonly type: 'state'; readonly state: TaskView };

/** Page to host. */
export const fromTaskPage = z.discriminatedUnion('type', [
  ready,
  /** `result` is the index of the result that the button belongs to. */
  z.strictObject({
    type: z.literal('action'),
    action: id,
    result: z.int().min(0).max(255).optional(),
  }),
]);

export type FromTaskPage = Readonly<z.infer<typeof fromTaskPage>>;
