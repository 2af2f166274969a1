import { contentTasksForm } from '../../../wire/apis/convertedVideos/contentTasks.ts';
import { chatCompletionsAt, pathSegment, responsesAt, type TaskEndpoints } from '../endpoint.ts';
import { plainList } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
import { addressBefore, addressField, bearer, httpKind } from '../upstreamKind.ts';

const version = '/api/v3';

const texts = { chatCompletions: chatCompletionsAt(version), responses: responsesAt(version) };

const videos: ConvertedVideos = { format: 'contentTasks', form: contentTasksForm };

/** A regional model service with chat completions, responses, and content generation tasks for videos. */
export const arkKind = httpKind(
  'ark',
  { baseUrl: addressField('The address before /api/v3, such as https://ark.cn-beijing.volces.com.') },
  ({ baseUrl }) => ({
    base: addressBefore(baseUrl, /\/api\/v3$/),
    texts: () => texts,
    tasks: { contentTasks: contentTasksAt(version) },
    videosOf: () => videos,
    models: plainList(`${version}/models`),
    credential: bearer,
  }),
);

/** The same request cancels a queued task and deletes an ended one. */
function contentTasksAt(prefix: string): TaskEndpoints {
  const path = `${prefix}/contents/generations/tasks`;
  const removal = (task: string) => ({ method: 'DELETE', path: `${path}/${pathSegment(task)}` }) as const;
  return {
    create: () => ({ path }),
    read: (task) => ({ method: 'GET', path: `${path}/${pathSegment(task)}` }),
    cancel: removal,
    cancelsQueuedOnly: true,
    remove: removal,
  };
}
