import { contentTasksForm } from '../../../wire/apis/convertedVideos/contentTasks.ts';
import {
  createChatEndpoint,
  createResponsesEndpoint,
  encodePathSegment,
  type TaskEndpoints,
} from '../endpoint.ts';
import { createPlainListing } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
import {
  createBearerHeader,
  defineHttpKind,
  describeAddressField,
  removeAddressEnd,
} from '../upstreamKind.ts';

const version = '/api/v3';

const texts = { chatCompletions: createChatEndpoint(version), responses: createResponsesEndpoint(version) };

const videos: ConvertedVideos = { format: 'contentTasks', form: contentTasksForm };

/** A regional model service with chat completions, responses, and content generation tasks for videos. */
export const arkKind = defineHttpKind(
  'ark',
  { baseUrl: describeAddressField('The address before /api/v3, such as https://ark.cn-beijing.volces.com.') },
  ({ baseUrl }) => ({
    base: removeAddressEnd(baseUrl, /\/api\/v3$/),
    findTextEndpoints: () => texts,
    tasks: { contentTasks: createContentTaskEndpoints(version) },
    findConvertedVideos: () => videos,
    models: createPlainListing(`${version}/models`),
    createCredentialHeaders: createBearerHeader,
  }),
);

/** Tasks of content generation. The same request cancels a queued task and deletes an ended one. */
function createContentTaskEndpoints(prefix: string): TaskEndpoints {
  const path = `${prefix}/contents/generations/tasks`;
  const createRemoval = (task: string) =>
    ({ method: 'DELETE', path: `${path}/${encodePathSegment(task)}` }) as const;
  return {
    create: () => ({ path }),
    read: (task) => ({ method: 'GET', path: `${path}/${encodePathSegment(task)}` }),
    cancel: createRemoval,
    cancelsQueuedOnly: true,
    remove: createRemoval,
  };
}
