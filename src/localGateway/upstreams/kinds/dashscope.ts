import { createChatEndpoint, encodePathSegment, type TaskEndpoints } from '../endpoint.ts';
import { createPlainListing } from '../modelLists.ts';
import { createAddressField, createBearerHeader, defineHttpKind, removeAddressEnd } from '../upstreamKind.ts';

const compatible = '/compatible-mode/v1';

const textEndpoints = { chatCompletions: createChatEndpoint(compatible) };

/** A regional model service: chat completions in its compatible mode, and its own video synthesis. */
export const dashscopeKind = defineHttpKind(
  'dashscope',
  {
    baseUrl: createAddressField(
      'The address before /compatible-mode/v1 and /api/v1, such as https://dashscope.aliyuncs.com.',
    ),
  },
  ({ baseUrl }) => ({
    base: removeAddressEnd(baseUrl, /\/(?:compatible-mode|api)\/v1$/),
    findTextEndpoints: () => textEndpoints,
    tasks: { videoSynthesis },
    models: createPlainListing(`${compatible}/models`),
    createCredentialHeaders: createBearerHeader,
  }),
);

/**
 * Native video synthesis, which is asynchronous only if a header requests it. Its tasks cannot be deleted, and only
 * queued ones can be cancelled (help.aliyun.com/model-studio/developer-reference/manage-asynchronous-tasks).
 */
const videoSynthesis: TaskEndpoints = {
  create: () => ({
    path: '/api/v1/services/aigc/video-generation/video-synthesis',
    headers: { 'x-dashscope-async': 'enable' },
  }),
  read: (task) => ({ method: 'GET', path: createTaskPath(task) }),
  cancel: (task) => ({ path: `${createTaskPath(task)}/cancel` }),
  cancelsQueuedOnly: true,
};

function createTaskPath(task: string): string {
  return `/api/v1/tasks/${encodePathSegment(task)}`;
}
