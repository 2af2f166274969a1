import { defineRoutes } from '../../wire/routes.ts';

/**
 * Routes that the providers' own client libraries use beside those of the interface: single models and lists
 * of models in the provider's format, token counts, and tasks in the format in which they were made.
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
  createVideo: { method: 'POST', path: '/v1/videos', credential: 'bearer', group: 'videos', takesForm: true },
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
    takesForm: true,
  },
  extendVideo: {
    method: 'POST',
    path: '/v1/videos/extensions',
    credential: 'bearer',
    group: 'videos',
    takesForm: true,
  },
  createVideoCharacter: {
    method: 'POST',
    path: '/v1/videos/characters',
    credential: 'bearer',
    group: 'videos',
    takesForm: true,
  },
  deleteVideo: { method: 'DELETE', path: '/v1/videos/{task_id}', credential: 'bearer', group: 'videos' },
});
