import type { ResultView, TaskView } from '../../../../src/protocol/taskPage.ts';
import { createTaskView, startedAt } from './taskPage.ts';

const second = 1000;

const recipe = [
  { label: 'Route', value: 'Interactions (Gemini)' },
  { label: 'Size', value: '1280 × 720', name: 'parameters.size', sent: '1280*720' },
  { label: 'Duration in seconds', value: '5', name: 'parameters.duration' },
  { label: 'Seed', value: '42' },
  { label: 'Negative prompt', value: 'blurry, low quality, text' },
];

const request = JSON.stringify(
  { model: 'wan-t2v', input: 'A cat on a red roof', generation: { seed: 42, watermark: false, note: null } },
  null,
  2,
);

const target = { recipe, request, requestId: 'req_0123456789abcdef' };
const taskId = 'tsk_7f3a9c51e2d84b06';

/** A running task whose progress is an estimate, with polls that failed. */
export const running: TaskView = createTaskView({
  ...target,
  taskId,
  tile: {
    appearance: 'running',
    status: 'Running',
    prompt: Array.from({ length: 14 }, (_, line) => `Shot ${line + 1}: the cat looks at the harbour.`).join(
      '\n',
    ),
    reportedStatus: 'Reported by the gateway: “in_progress”',
    progress: { kind: 'estimated', startedAt: startedAt + 1 * second, typicalMs: 54 * second },
  },
  next: 'When it is done, the result is downloaded to this machine.',
  buttons: [
    { action: 'cancel', label: 'Cancel Task' },
    { action: 'watch-now', label: 'Check Now' },
    { action: 'stop-watching', label: 'Stop Watching' },
    { action: 'copy-task-id', label: 'Copy Task ID' },
    { action: 'delete', label: 'Delete at the Gateway…' },
  ],
  mainButtons: 2,
  timeline: [
    { at: startedAt, label: 'Submitted', appearance: 'running' },
    { at: startedAt + 1 * second, label: 'Queued', appearance: 'queued' },
    {
      at: startedAt + 18 * second,
      label: 'Running',
      appearance: 'running',
      reportedStatuses: 'Reported by the gateway: “in_progress”, “running”',
    },
  ],
  record: JSON.stringify({ id: taskId, status: 'in_progress', progress: null }, null, 2),
  failedPolls: [
    { at: startedAt + 30 * second, text: 'The gateway was unavailable (503): "upstream overloaded"' },
    { at: startedAt + 40 * second, text: 'No answer within 30 seconds' },
  ],
});

const { progress: _, ...withoutProgress } = running.tile;

/** A task in the queue, without further data. */
export const queued: TaskView = {
  ...running,
  tile: { ...withoutProgress, appearance: 'queued', status: 'Queued' },
  timeline: running.timeline.slice(0, 2),
  failedPolls: [],
};

/**
 * A completed task with a video whose sound cannot be decoded, a second one that is still being fetched, and a
 * text.
 */
export function completed(media: ResultView['media']): TaskView {
  return createTaskView({
    ...target,
    taskId,
    durationMs: 53 * second,
    results: [
      {
        index: 0,
        ...(media ? { media } : {}),
        status: 'Saved, 61 kB',
        hasFailed: false,
        buttons: [
          { action: 'save', label: 'Save As…' },
          { action: 'open-in-player', label: 'Open in Player' },
          { action: 'reveal', label: 'Reveal' },
        ],
      },
    ],
    buttons: [
      { action: 'save', label: 'Save As…' },
      { action: 'run-again', label: 'Edit and Run Again…' },
      { action: 'reveal', label: 'Reveal in the file manager' },
      { action: 'copy-request', label: 'Copy Request' },
      { action: 'remove', label: 'Remove from This List…' },
    ],
    mainButtons: 2,
    timeline: [
      { at: startedAt, label: 'Submitted', appearance: 'running' },
      { at: startedAt + 1 * second, label: 'Queued', appearance: 'queued' },
      { at: startedAt + 18 * second, label: 'Running', appearance: 'running' },
      { at: startedAt + 53 * second, label: 'Completed', appearance: 'completed' },
    ],
    record: JSON.stringify({ id: taskId, status: 'completed', outputs: [{ type: 'video' }] }, null, 2),
  });
}

/** Several results: a fetched one, a failed one, and a text. */
export const severalResults: TaskView = {
  ...completed(undefined),
  results: [
    {
      index: 0,
      status: 'Downloading, 40 %',
      hasFailed: false,
      percent: 40,
      buttons: [{ action: 'stop-download', label: 'Stop' }],
    },
    {
      index: 1,
      status: 'The link has expired: the gateway responded 403.',
      hasFailed: true,
      buttons: [
        { action: 'download-again', label: 'Fetch again' },
        { action: 'open-link', label: 'Open the link' },
      ],
    },
    {
      index: 2,
      text: 'A cat sits on a red roof.\nThe sun sets.',
      status: 'Text',
      hasFailed: false,
      buttons: [],
    },
  ],
};

export const failed: TaskView = createTaskView({
  ...target,
  taskId,
  tile: { appearance: 'failed', status: 'Failed' },
  durationMs: 12 * second,
  notice: {
    title: 'The content filter stopped it',
    detail: 'The gateway wrote: "The prompt violates the usage policy." (content_policy_violation)',
    severity: 'error',
    buttons: [
      { action: 'run-again', label: 'Edit and Run Again…' },
      { action: 'show-log', label: 'Show Log' },
    ],
  },
  buttons: [
    { action: 'run-again', label: 'Edit and Run Again…' },
    { action: 'copy-task-id', label: 'Copy Task ID' },
    { action: 'remove', label: 'Remove from This List…' },
  ],
  mainButtons: 1,
  timeline: [
    { at: startedAt, label: 'Submitted', appearance: 'running' },
    { at: startedAt + 2 * second, label: 'Queued', appearance: 'queued' },
    { at: startedAt + 12 * second, label: 'Failed', appearance: 'failed' },
  ],
  record: JSON.stringify({ output: { task_status: 'FAILED', code: 'content_policy_violation' } }, null, 2),
});

export const unknownOutcome: TaskView = createTaskView({
  ...target,
  tile: { appearance: 'attention', status: 'Unknown outcome' },
  notice: {
    title: 'It is not known whether this task was made',
    detail:
      'The connection closed after the request had left. It may have been billed, so it is not sent again by itself.',
    severity: 'error',
    buttons: [
      { action: 'find', label: 'Find Task' },
      { action: 'remove', label: 'Remove from This List…' },
    ],
  },
  buttons: [
    { action: 'find', label: 'Find Task' },
    { action: 'run-again', label: 'Edit and Run Again…' },
    { action: 'copy-request-id', label: 'Copy Request ID' },
  ],
  mainButtons: 2,
  timeline: [
    { at: startedAt, label: 'Submitted', appearance: 'running' },
    { at: startedAt + 10 * second, label: 'Unknown outcome', appearance: 'attention' },
  ],
});
