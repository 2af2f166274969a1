import { isObject } from '../../../base/json.ts';
import { defineRoutes } from '../../routes.ts';
import {
  readPromptText,
  readUsableId,
  resolveResultUrl,
  type ServedTask,
  type ServedTaskStatus,
  type VideoTaskRecordFormat,
} from '../taskRecord/taskRecordFormat.ts';
import { type VideoSynthesisRequest, videoSynthesisRequest } from './schema.ts';

const { readSynthesis, cancelSynthesis } = defineRoutes({
  readSynthesis: {
    method: 'GET',
    path: '/api/v1/tasks/{task_id}',
    credential: 'bearer',
    group: 'videoSynthesis',
  },
  cancelSynthesis: {
    method: 'POST',
    path: '/api/v1/tasks/{task_id}/cancel',
    credential: 'bearer',
    group: 'videoSynthesis',
  },
});

/** Native video synthesis as tasks of the local gateway. */
export const synthesisTasks: VideoTaskRecordFormat = {
  type: 'video',
  label: 'video',
  routes: { read: readSynthesis, cancel: cancelSynthesis },
  schema: videoSynthesisRequest,
  hasContentRoute: false,
  resultLifetimeMs: 24 * 60 * 60 * 1000,
  missingHeadersRefusal: {
    status: 403,
    message: 'This route makes videos only asynchronously. Send the header X-Vendor-Async: enable.',
    code: 'async_header_missing',
  },
  cancelEndedRefusal: {
    status: 400,
    message: 'This task has ended; there is nothing to cancel.',
    code: 'task_not_cancellable',
  },
  readId: ({ output }) => (isObject(output) ? readUsableId(output.task_id) : undefined),
  replaceId: (record, id) => ({
    id,
    ...record,
    output: { ...(isObject(record.output) ? record.output : {}), task_id: id },
  }),
  readPrompt: ({ input }) => (isObject(input) ? readPromptText(input.prompt) : ''),
  readRequestedVideo: ({ input, parameters }: VideoSynthesisRequest) => ({
    prompt: (input.prompt ?? '').trim(),
    sizeOrRatio: parameters?.size ?? parameters?.ratio,
    seconds: parameters?.duration,
  }),
  // The gateway interface names the id `id`, and the provider names it `output.task_id`. The reply has both.
  writeCreated: ({ id, status }, request_id) => ({
    id,
    output: { task_id: id, task_status: statusWords[status] },
    request_id,
  }),
  write: (task, { address, requestId }) => ({
    id: task.id,
    request_id: requestId,
    output: writeOutput(task, address),
  }),
  writeRead(task, { address, requestId }) {
    const usage = writeUsage(task);
    return { request_id: requestId, output: writeOutput(task, address), ...(usage && { usage }) };
  },
  // The provider does not use 404 for tasks.
  writeUnknown(task_id, request_id) {
    const output: SynthesisOutput = { task_id, task_status: statusWords.unknown };
    return { request_id, output };
  },
  writeCancelled: (request_id) => ({ request_id }),
};

/** A task in the format of native video synthesis. */
interface SynthesisOutput {
  readonly task_id: string;
  readonly task_status: string;
  /** China time without a zone, like the other times. */
  readonly submit_time?: string;
  readonly scheduled_time?: string;
  readonly end_time?: string;
  readonly orig_prompt?: string;
  readonly video_url?: string;
  /** All results, if there are several. */
  readonly results?: readonly { readonly url: string }[];
  readonly code?: string;
  readonly message?: string;
}

const statusWords: Record<ServedTaskStatus, string> = {
  queued: 'PENDING',
  running: 'RUNNING',
  completed: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELED',
  unknown: 'UNKNOWN',
};

function writeOutput(task: ServedTask, address: string): SynthesisOutput {
  const { status, prompt, startedAt, finishedAt, failure, results } = task;
  const urls = results
    .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => Date.now() < expiresAt)
    .map(({ url }) => resolveResultUrl(url, address));
  const [video_url] = urls;
  return {
    task_id: task.id,
    task_status: statusWords[status],
    submit_time: formatTime(task.createdAt),
    ...(startedAt !== undefined && { scheduled_time: formatTime(startedAt) }),
    ...(finishedAt !== undefined && { end_time: formatTime(finishedAt) }),
    orig_prompt: prompt,
    ...(video_url !== undefined && { video_url }),
    ...(urls.length > 1 && { results: urls.map((url) => ({ url })) }),
    ...(failure && { code: failure.code, message: failure.message }),
  };
}

/** The measures of the results, for billing. Only results of demo models have measures. */
function writeUsage({ results }: ServedTask) {
  const [first] = results;
  if (first?.width === undefined) return undefined;
  return { duration: first.seconds, video_count: results.length, size: `${first.width}*${first.height}` };
}

const zoneMs = 8 * 60 * 60 * 1000;

/** The time as the provider writes it: China time without a zone. */
function formatTime(milliseconds: number): string {
  return new Date(milliseconds + zoneMs).toISOString().replace('T', ' ').replace('Z', '');
}
