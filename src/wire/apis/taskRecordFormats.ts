import type { JsonObject } from '../../base/json.ts';
import { contentTasks } from './convertedVideos/contentTasks.ts';
import { longRunningVideos } from './convertedVideos/longRunningVideo.ts';
import { videoGenerations } from './convertedVideos/videoGenerations.ts';
import { interactionTasks } from './interactions/tasks.ts';
import { responseTasks } from './responses/tasks.ts';
import type { TaskRecordFormat, VideoTaskRecordFormat } from './taskRecord/taskRecordFormat.ts';
import type { TextFormatId } from './textFormats.ts';
import type { VideoRouteId } from './videoRoutes.ts';
import { synthesisTasks } from './videoSynthesis/tasks.ts';
import { videoJobs } from './videos/tasks.ts';

/** The routes that only make videos. */
export type VideoFormat = Exclude<VideoRouteId, TextFormatId>;

/** How the local gateway serves each route that only makes videos. */
export const videoTaskRecordFormats: Readonly<Record<VideoFormat, VideoTaskRecordFormat>> = {
  videoSynthesis: synthesisTasks,
};

/** The formats of videos at upstreams for which no caller has a route: the local gateway converts the requests. */
const convertedVideoFormats = { longRunningVideos, videoGenerations, contentTasks } as const;

export type ConvertedVideoFormat = keyof typeof convertedVideoFormats;

/** The formats of requests that may create tasks. */
export type TaskFormat = 'responses' | 'interactions' | 'videos' | VideoFormat | ConvertedVideoFormat;

/** How the local gateway reads and writes task records, by the format of the request that created the task. */
export const taskRecordFormats: Readonly<Record<TaskFormat, TaskRecordFormat>> = {
  responses: responseTasks,
  interactions: interactionTasks,
  videos: videoJobs,
  ...videoTaskRecordFormats,
  ...convertedVideoFormats,
};

/** The formats whose tasks are all videos. */
export const videoTaskFormats: readonly TaskFormat[] = [
  'videos',
  ...(Object.keys(videoTaskRecordFormats) as VideoFormat[]),
  ...(Object.keys(convertedVideoFormats) as ConvertedVideoFormat[]),
];

/** The upstream's record of a task with this gateway's ids. */
export function replaceIds(
  {
    format,
    id,
    earlierId,
  }: { readonly format: TaskFormat; readonly id: string; readonly earlierId?: string },
  record: JsonObject,
): JsonObject {
  const {
    replaceId: withId,
    continuesRequestField,
    continuesRecordField = continuesRequestField,
  } = taskRecordFormats[format];
  const own = withId(record, id);
  if (
    earlierId === undefined ||
    continuesRecordField === undefined ||
    typeof own[continuesRecordField] !== 'string'
  )
    return own;
  return { ...own, [continuesRecordField]: earlierId };
}
