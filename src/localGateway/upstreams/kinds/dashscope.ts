import { chatCompletionsAt, pathSegment, type TaskEndpoints } from '../endpoint.ts';
import { plainList } from '../modelLists.ts';
import { addressBefore, addressField, bearer, httpKind } from '../upstreamKind.ts';

const compatible = '/compatible-mode/v1';

const texts = { chatCompletions: chatCompletionsAt(compatible) };

/** A regional model service: chat completions in its compatible mode, and its own video synthesis. */
export const dashscopeKind = httpKind(
  'dashscope',
  {
    baseUrl: addressField(
      'The address before /compatible-mode/v1 and /api/v1, such as https://dashscope.aliyuncs.com.',
    ),
  },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/(?:compatible-mode|api)\/v1$/),
    texts: () => texts,
    tasks: { videoSynthesis: videoSynthesisAt('/api/v1') },
    models: plainList(`${compatible}/models`),
    credential: bearer,
  }),
);

/** Native video synthesis, which is asynchronous only if a header requests it. Its tasks cannot be deleted. */
function videoSynthesisAt(prefix: string): TaskEndpoints {
  const taskPath = (task: string) => `${prefix}/tasks/${pathSegment(task)}`;
  return {
    create: () => ({
      path: `${prefix}/services/aigc/video-generation/video-synthesis`,
      headers: { 'x-dashscope-async': 'enable' },
    }),
    read: (task) => ({ method: 'GET', path: taskPath(task) }),
    cancel: (task) => ({ path: `${taskPath(task)}/cancel` }),
  };
}
