/** Which header carries the credential. Each route uses exactly one. */
export type CredentialHeader = 'bearer' | 'vendor-api-key' | 'api-key';

export type RouteGroup =
  | 'models'
  | 'chat'
  | 'content-generation'
  | 'interactions'
  | 'video-synthesis'
  | 'tasks'
  | 'messages'
  | 'responses'
  | 'stored-responses';

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path template; `{name}` stands for one encoded segment. */
  readonly path: string;
  readonly credential: CredentialHeader;
  readonly group: RouteGroup;
}

/** The ten routes of the gateway interface: the one description that client and local gateway share. */
export const routes = {
  listModels: { method: 'GET', path: '/v1/models', credential: 'bearer', group: 'models' },
  chatCompletions: { method: 'POST', path: '/v1/chat/completions', credential: 'bearer', group: 'chat' },
  generateContent: {
    method: 'POST',
    path: '/v1beta/models/{model}:generateContent',
    credential: 'vendor-api-key',
    group: 'content-generation',
  },
  streamGenerateContent: {
    method: 'POST',
    path: '/v1beta/models/{model}:streamGenerateContent',
    credential: 'vendor-api-key',
    group: 'content-generation',
  },
  interactions: {
    method: 'POST',
    path: '/v1beta/interactions',
    credential: 'vendor-api-key',
    group: 'interactions',
  },
  videoSynthesis: {
    method: 'POST',
    path: '/api/v1/services/aigc/video-generation/video-synthesis',
    credential: 'bearer',
    group: 'video-synthesis',
  },
  listTasks: { method: 'GET', path: '/v1/tasks', credential: 'bearer', group: 'tasks' },
  readTask: { method: 'GET', path: '/v1/tasks/{task_id}', credential: 'bearer', group: 'tasks' },
  cancelTask: { method: 'POST', path: '/v1/tasks/{task_id}/cancel', credential: 'bearer', group: 'tasks' },
  deleteTask: { method: 'DELETE', path: '/v1/tasks/{task_id}', credential: 'bearer', group: 'tasks' },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/**
 * The routes of the two styles whose paths the interface leaves open. These are the defaults: a gateway
 * may name another path and another header for each style.
 */
export const openRoutes = {
  messages: { method: 'POST', path: '/v1/messages', credential: 'bearer', group: 'messages' },
  responses: { method: 'POST', path: '/v1/responses', credential: 'bearer', group: 'responses' },
  readResponse: {
    method: 'GET',
    path: '/v1/responses/{response_id}',
    credential: 'bearer',
    group: 'stored-responses',
  },
  cancelResponse: {
    method: 'POST',
    path: '/v1/responses/{response_id}/cancel',
    credential: 'bearer',
    group: 'stored-responses',
  },
} as const satisfies Record<string, Route>;

export type OpenRouteName = keyof typeof openRoutes;
