/** One way to make tasks: the requests and reads of a caller, and the replies of the upstream. */
export interface TaskKind {
  readonly name: string;
  readonly config: object;
  readonly create: string;
  readonly body: object;
  /** The form of the route that created it, and the path for reading it. */
  readonly read: (id: string) => string;
  readonly upstreamRead: string;
  readonly created: object;
  readonly running: object;
  readonly completed: object;
  readonly failed: object;
  readonly cancelled?: object;
  /** The provider's own id field in a reply. */
  readonly idOf: (json: Record<string, unknown>) => unknown;
  readonly statusWord: (json: Record<string, unknown>) => unknown;
  readonly completedWord: string;
}

const response = (status: string, more: object = {}) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1_767_225_600, status, background: true },
  ...{ error: null, incomplete_details: null, model: 'm', output: [], ...more },
});
export const interaction = (status: string, more: object = {}) => ({
  ...{ id: 'v1_Chd1', object: 'interaction', status, model: 'm' },
  ...{ created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z', ...more },
});
const synthesis = (task_status: string, more: object = {}) => ({
  request_id: '4909100c',
  output: { task_id: '0385dc79-5ff8', task_status, ...more },
});
export const video = (status: string, more: object = {}) => ({
  ...{ id: 'video_1', object: 'video', model: 'm', status, progress: 0 },
  ...{ created_at: 1_767_225_600, error: null, size: '720x1280', seconds: '4', ...more },
});

export const taskKinds: readonly TaskKind[] = [
  {
    name: 'responses in the background',
    config: { kind: 'responses' },
    create: '/v1/responses',
    body: { model: 'm', input: 'Say hi', background: true },
    read: (id) => `/v1/responses/${id}`,
    upstreamRead: '/v1/responses/resp_1',
    created: response('queued'),
    running: response('in_progress'),
    completed: response('completed', {
      output: [
        {
          ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'Hi there', annotations: [] }],
        },
      ],
    }),
    failed: response('failed', { error: { code: 'server_error', message: 'It broke.' } }),
    cancelled: response('cancelled'),
    idOf: ({ id }) => id,
    statusWord: ({ status }) => status,
    completedWord: 'completed',
  },
  {
    name: 'interactions in the background',
    config: { kind: 'interactions' },
    create: '/v1beta/interactions',
    body: { model: 'm', input: 'A cat', response_format: { type: 'video' }, background: true },
    read: (id) => `/v1beta/interactions/${id}`,
    upstreamRead: '/v1beta/interactions/v1_Chd1',
    created: interaction('in_progress'),
    running: interaction('in_progress'),
    completed: interaction('completed', {
      steps: [
        { type: 'user_input', content: [{ type: 'text', text: 'a cat' }] },
        { type: 'model_output', content: [{ type: 'text', text: 'Hi there' }] },
      ],
    }),
    failed: interaction('failed', { errors: [{ code: 'server_error', message: 'It broke.' }] }),
    cancelled: interaction('cancelled'),
    idOf: ({ id }) => id,
    statusWord: ({ status }) => status,
    completedWord: 'completed',
  },
  {
    name: 'native video synthesis',
    config: { kind: 'dashscope' },
    create: '/api/v1/services/aigc/video-generation/video-synthesis',
    body: { model: 'm', input: { prompt: 'A cat' }, parameters: { size: '1280*720' } },
    read: (id) => `/api/v1/tasks/${id}`,
    upstreamRead: '/api/v1/tasks/0385dc79-5ff8',
    created: synthesis('PENDING'),
    running: synthesis('RUNNING'),
    completed: synthesis('SUCCEEDED', { video_url: 'http://169.254.169.254/x.mp4' }),
    failed: synthesis('FAILED', { code: 'InvalidParameter', message: 'It broke.' }),
    cancelled: synthesis('CANCELED'),
    idOf: ({ output }) => (output as { task_id?: string }).task_id,
    statusWord: ({ output }) => (output as { task_status?: string }).task_status,
    completedWord: 'SUCCEEDED',
  },
  {
    name: 'video jobs',
    config: { kind: 'videos' },
    create: '/v1/videos',
    body: { model: 'm', prompt: 'A cat', seconds: '4' },
    read: (id) => `/v1/videos/${id}`,
    upstreamRead: '/v1/videos/video_1',
    created: video('queued'),
    running: video('in_progress', { progress: 40 }),
    completed: video('completed', { progress: 100 }),
    failed: video('failed', { error: { code: 'server_error', message: 'It broke.' } }),
    idOf: ({ id }) => id,
    statusWord: ({ status }) => status,
    completedWord: 'completed',
  },
];
