import { contentTasksForm } from '../../../wire/apis/convertedVideos/contentTasks.ts';
import {
  createChatEndpoint,
  createResponsesEndpoint,
  type Endpoint,
  encodePathSegment,
  type TaskEndpoints,
} from '../endpoint.ts';
import { createPlainListing } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
import { createAddressField, createBearerHeader, defineHttpKind, removeAddressEnd } from '../upstreamKind.ts';

const version = '/api/v3';

const textEndpoints = {
  chatCompletions: createChatEndpoint(version),
  responses: createResponsesEndpoint(version),
};

const videos: ConvertedVideos = { format: 'contentTasks', form: contentTasksForm };

/** A regional model service with chat completions, responses, and content generation tasks for videos. */
export const arkKind = defineHttpKind(
  'ark',
  { baseUrl: createAddressField('The address before /api/v3, such as https://ark.cn-beijing.volces.com.') },
  ({ baseUrl }) => ({
    base: removeAddressEnd(baseUrl, /\/api\/v3$/),
    findTextEndpoints: () => textEndpoints,
    tasks: { contentTasks },
    findConvertedVideos: () => videos,
    models: createPlainListing(`${version}/models`),
    createCredentialHeaders: createBearerHeader,
  }),
);

const tasksPath = `${version}/contents/generations/tasks`;

/** Tasks of content generation. The same request cancels a queued task and deletes an ended one. */
const contentTasks: TaskEndpoints = {
  create: () => ({ path: tasksPath }),
  read: (task) => ({ method: 'GET', path: `${tasksPath}/${encodePathSegment(task)}` }),
  cancel: createRemoval,
  cancelsQueuedOnly: true,
  cancelDeletesEnded: true,
  remove: createRemoval,
};

function createRemoval(task: string): Endpoint {
  return { method: 'DELETE', path: `${tasksPath}/${encodePathSegment(task)}` };
}
