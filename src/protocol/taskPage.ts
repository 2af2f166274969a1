/** The messages between the task page and the extension host, which checks what it receives. */
import * as z from 'zod';
import type { ActionButton, Notice } from './notice.ts';
import { id, ready } from './pageMessage.ts';

/** What a task looks like: decides icon and colour. */
export type TaskAppearance = 'running' | 'attention' | 'completed' | 'failed' | 'cancelled' | 'unwatched';

/** A task in a few words. */
export interface TaskTile {
  readonly key: string;
  readonly appearance: TaskAppearance;
  /** Such as "Running" or "Unknown outcome". */
  readonly status: string;
  readonly model: string;
  readonly prompt: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** How far a running task is. */
  readonly progress?: TaskProgress;
  /** The first result, where it is kept and can be shown. */
  readonly media?: MediaView;
}

export interface TaskProgress {
  /** 0 to 100. */
  readonly percent: number;
  /** By the user's own earlier tasks, not by the gateway. */
  readonly estimated: boolean;
}

/** A kept result the page can show: an address inside the webview. */
export interface MediaView {
  readonly kind: 'video' | 'image' | 'audio';
  readonly src: string;
  readonly mimeType: string;
  /** The codec of the sound as MIME parameters name it, such as `mp4a.40.2`; absent when it is silent. */
  readonly audioCodec?: string;
}

/**
 * The id of something that can be done with a result, or with the task. The host offers only what makes sense, and
 * knows by its table of actions what to do when one comes back.
 */
export type TaskAction = string;

export type TaskButton = ActionButton<TaskAction>;

/** One of the things a task made. */
export interface ResultView {
  readonly index: number;
  readonly media?: MediaView;
  /** A result that is text. */
  readonly text?: string;
  /** Such as "Saved, 61 kB", "Downloading, 40 %" or what is wrong. */
  readonly status: string;
  readonly failed: boolean;
  /** 0 to 100 while it is fetched and its size is known. */
  readonly percent?: number;
  readonly buttons: readonly TaskButton[];
}

export type TaskNotice = Notice<TaskAction>;

export interface TimelineEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Such as "Submitted", or the gateway's own word. */
  readonly label: string;
  readonly appearance: TaskAppearance;
}

export interface RecipeEntry {
  readonly label: string;
  readonly value: string;
}

export interface FailedPollView {
  readonly at: number;
  readonly text: string;
}

/** Everything the page shows. Sent whole whenever anything changed; the page keeps no truth of its own. */
export interface TaskView {
  readonly tile: TaskTile;
  /** How long it took, in milliseconds; absent while it runs. */
  readonly tookMs?: number;
  readonly notice?: TaskNotice;
  readonly results: readonly ResultView[];
  /** The main buttons first; those after `mainButtons` stand in the menu. */
  readonly buttons: readonly TaskButton[];
  readonly mainButtons: number;
  readonly recipe: readonly RecipeEntry[];
  readonly timeline: readonly TimelineEntry[];
  readonly taskId?: string;
  readonly requestId?: string;
  /** The gateway's own, of the reply that named the task, or of the last failure. */
  readonly gatewayRequestId?: string;
  /** JSON text. */
  readonly record?: string;
  /** JSON text. */
  readonly request?: string;
  readonly failedPolls: readonly FailedPollView[];
}

/** Host to page. */
export type ToTaskPage = { readonly seq: number } & { readonly type: 'state'; readonly state: TaskView };

/** Page to host. */
export const fromTaskPage = z.discriminatedUnion('type', [
  ready,
  /** `result` is set when the button belongs to a result. */
  z.strictObject({
    type: z.literal('action'),
    action: id,
    result: z.int().min(0).max(255).optional(),
  }),
]);

export type FromTaskPage = Readonly<z.infer<typeof fromTaskPage>>;
