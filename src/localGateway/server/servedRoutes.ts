import { storedResponsesRoutes } from '../../wire/apis/responses/format.ts';
import { videoTaskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { textFormats } from '../../wire/apis/textFormats.ts';
import { videoRoutes } from '../../wire/apis/videoRoutes.ts';
import { defineRoutes, type Route, routes } from '../../wire/routes.ts';

/**
 * Additional routes that the providers' own client libraries use: single models and lists of models in the
 * provider's format, token counts, and tasks in their original format.
 */
export const providerRoutes = defineRoutes({
  readModel: { method: 'GET', path: '/v1/models/{model}', credential: 'bearer', group: 'models' },
  listGenerationModels: {
    method: 'GET',
    path: '/v1beta/models',
    credential: 'vendor-api-key',
    group: 'contentGeneration',
  },
  readGenerationModel: {
    method: 'GET',
    path: '/v1beta/models/{model}',
    credential: 'vendor-api-key',
    group: 'contentGeneration',
  },
  countGenerationTokens: {
    method: 'POST',
    path: '/v1beta/models/{model}:countTokens',
    credential: 'vendor-api-key',
    group: 'contentGeneration',
  },
  countMessagesTokens: {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    credential: 'bearer',
    group: 'messages',
  },
  countResponsesTokens: {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    credential: 'bearer',
    group: 'responses',
  },
  readInteraction: {
    method: 'GET',
    path: '/v1beta/interactions/{task_id}',
    credential: 'vendor-api-key',
    group: 'interactions',
  },
  cancelInteraction: {
    method: 'POST',
    path: '/v1beta/interactions/{task_id}/cancel',
    credential: 'vendor-api-key',
    group: 'interactions',
  },
  deleteInteraction: {
    method: 'DELETE',
    path: '/v1beta/interactions/{task_id}',
    credential: 'vendor-api-key',
    group: 'interactions',
  },
  deleteResponse: {
    method: 'DELETE',
    path: '/v1/responses/{response_id}',
    credential: 'bearer',
    group: 'storedResponses',
  },
  listInputItems: {
    method: 'GET',
    path: '/v1/responses/{response_id}/input_items',
    credential: 'bearer',
    group: 'storedResponses',
  },
  createVideo: {
    method: 'POST',
    path: '/v1/videos',
    credential: 'bearer',
    group: 'videos',
    acceptsForm: true,
  },
  listVideos: { method: 'GET', path: '/v1/videos', credential: 'bearer', group: 'videos' },
  readVideo: { method: 'GET', path: '/v1/videos/{task_id}', credential: 'bearer', group: 'videos' },
  readVideoContent: {
    method: 'GET',
    path: '/v1/videos/{task_id}/content',
    credential: 'bearer',
    group: 'videos',
  },
  remixVideo: {
    method: 'POST',
    path: '/v1/videos/{task_id}/remix',
    credential: 'bearer',
    group: 'videos',
  },
  editVideo: {
    method: 'POST',
    path: '/v1/videos/edits',
    credential: 'bearer',
    group: 'videos',
    acceptsForm: true,
  },
  extendVideo: {
    method: 'POST',
    path: '/v1/videos/extensions',
    credential: 'bearer',
    group: 'videos',
    acceptsForm: true,
  },
  createVideoCharacter: {
    method: 'POST',
    path: '/v1/videos/characters',
    credential: 'bearer',
    group: 'videos',
    acceptsForm: true,
  },
  deleteVideo: { method: 'DELETE', path: '/v1/videos/{task_id}', credential: 'bearer', group: 'videos' },
});

/** The route of a task's results. The API description does not define it. Task records contain its address. */
export const { taskContent } = defineRoutes({
  taskContent: {
    method: 'GET',
    path: '/v1/tasks/{task_id}/content',
    credential: 'bearer',
    group: 'tasks',
  },
});

/** The routes for the operator of the gateway. */
export const operationRoutes = defineRoutes({
  health: { method: 'GET', path: '/healthz', credential: 'bearer', group: 'operation' },
  metrics: { method: 'GET', path: '/metrics', credential: 'bearer', group: 'operation' },
});

/** The names of routes that do not need a credential. */
export const openRoutes: ReadonlySet<string> = new Set([operationRoutes.health.name]);

/**
 * All routes of this gateway, each with one path. Their handlers are in the folder `routes`. Duplicates are removed,
 * because one route of a text format also makes videos.
 */
export const mainRoutes: readonly Route[] = [
  ...new Set([
    ...Object.values(routes),
    taskContent,
    ...textFormats.flatMap((format) => format.routes),
    ...videoRoutes.map(({ route }) => route),
    ...Object.values(videoTaskRecordFormats).flatMap(({ routes: { read, cancel } }) => [read, cancel]),
    ...Object.values(providerRoutes),
    ...Object.values(operationRoutes),
    ...Object.values(storedResponsesRoutes),
  ]),
];

/** All routes with all their paths. The guard refuses all other paths. */
export const servedRoutes: readonly Route[] = mainRoutes.flatMap(listSpellings);

/**
 * Lists a route with each of its paths. Tools write the version with different beta marks, some omit `models/`
 * before an ID with a slash, and tools of cloud platforms name the publisher of a model separately.
 */
export function listSpellings(route: Route): readonly Route[] {
  const { method, path } = route;
  const isModel = method === 'GET' && path.startsWith('/v1beta/models');
  const other = isModel
    ? path.replace('/models', '/publishers/{publisher}/models')
    : path.replace('/models/{model}:', '/{model}:');
  // Without a beta mark, another route lists models in other formats.
  const versions = isModel ? ['/v1beta1/'] : ['/v1/', '/v1beta1/'];
  const paths = [path, other].flatMap((each) => [
    each,
    ...versions.map((version) => each.replace(/^\/v1beta\//, version)),
  ]);
  const spellings = [...new Set(paths)].filter((each) => each !== path);
  return [route, ...spellings.map((spelling) => ({ ...route, path: spelling }))];
}
