/** One way to make tasks: the requests and reads of a caller, and the replies of the upstream. */
export interface TaskKind {
  readonly name: string;
  readonly config: object;
  readonly createPath: string;
  readonly body: object;
  /** Returns the path for reading the task, at the route that created it. */
  readonly getReadPath: (id: string) => string;
  readonly upstreamReadPath: string;
  readonly created: object;
  readonly running: object;
  readonly completed: object;
  readonly failed: object;
  readonly cancelled?: object;
  /** Reads the provider's own id field in a reply. */
  readonly readId: (json: Record<string, unknown>) => unknown;
  readonly readStatus: (json: Record<string, unknown>) => unknown;
  readonly completedStatus: string;
}

const createResponse = (status: string, more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_767_225_600,
  status,
  background: true,
  error: null,
  incomplete_details: null,
  model: 'm',
  output: [],
  ...more,
});
export const createInteraction = (status: string, more: object = {}) => ({
  id: 'v1_Chd1',
  object: 'interaction',
  status,
  model: 'm',
  created: '2026-01-01T00:00:00Z',
  updated: '2026-01-01T00:00:00Z',
  ...more,
});
const createSynthesis = (task_status: string, more: object = {}) => ({
  request_id: '4909100c',
  output: { task_id: '0385dc79-5ff8', task_status, ...more },
});
export const createVideo = (status: string, more: object = {}) => ({
  id: 'video_1',
  object: 'video',
  model: 'm',
  status,
  progress: 0,
  created_at: 1_767_225_600,
  error: null,
  size: '720x1280',
  seconds: '4',
  ...more,
});

export const taskKinds: readonly TaskKind[] = [
  {
    name: 'responses in the background',
    config: { kind: 'responses' },
    createPath: '/v1/responses',
    body: { model: 'm', input: 'Say hi', background: true },
    getReadPath: (id) => `/v1/responses/${id}`,
    upstreamReadPath: '/v1/responses/resp_1',
    created: createResponse('queued'),
    running: createResponse('in_progress'),
    completed: createResponse('completed', {
      output: [
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hi there', annotations: [] }],
        },
      ],
    }),
    failed: createResponse('failed', { error: { code: 'server_error', message: 'It broke.' } }),
    cancelled: createResponse('cancelled'),
    readId: ({ id }) => id,
    readStatus: ({ status }) => status,
    completedStatus: 'completed',
  },
  {
    name: 'interactions in the background',
    config: { kind: 'interactions' },
    createPath: '/v1beta/interactions',
    body: { model: 'm', input: 'A cat', response_format: { type: 'video' }, background: true },
    getReadPath: (id) => `/v1beta/interactions/${id}`,
    upstreamReadPath: '/v1beta/interactions/v1_Chd1',
    created: createInteraction('in_progress'),
    running: createInteraction('in_progress'),
    completed: createInteraction('completed', {
      steps: [
        { type: 'user_input', content: [{ type: 'text', text: 'a cat' }] },
        { type: 'model_output', content: [{ type: 'text', text: 'Hi there' }] },
      ],
    }),
    failed: createInteraction('failed', { errors: [{ code: 'server_error', message: 'It broke.' }] }),
    cancelled: createInteraction('cancelled'),
    readId: ({ id }) => id,
    readStatus: ({ status }) => status,
    completedStatus: 'completed',
  },
  {
    name: 'native video synthesis',
    config: { kind: 'dashscope' },
    createPath: '/api/v1/services/aigc/video-generation/video-synthesis',
    body: { model: 'm', input: { prompt: 'A cat' }, parameters: { size: '1280*720' } },
    getReadPath: (id) => `/api/v1/tasks/${id}`,
    upstreamReadPath: '/api/v1/tasks/0385dc79-5ff8',
    created: createSynthesis('PENDING'),
    running: createSynthesis('RUNNING'),
    completed: createSynthesis('SUCCEEDED', { video_url: 'http://169.254.169.254/x.mp4' }),
    failed: createSynthesis('FAILED', { code: 'InvalidParameter', message: 'It broke.' }),
    cancelled: createSynthesis('CANCELED'),
    readId: ({ output }) => (output as { task_id?: string }).task_id,
    readStatus: ({ output }) => (output as { task_status?: string }).task_status,
    completedStatus: 'SUCCEEDED',
  },
  {
    name: 'video jobs',
    config: { kind: 'videos' },
    createPath: '/v1/videos',
    body: { model: 'm', prompt: 'A cat', seconds: '4' },
    getReadPath: (id) => `/v1/videos/${id}`,
    upstreamReadPath: '/v1/videos/video_1',
    created: createVideo('queued'),
    running: createVideo('in_progress', { progress: 40 }),
    completed: createVideo('completed', { progress: 100 }),
    failed: createVideo('failed', { error: { code: 'server_error', message: 'It broke.' } }),
    readId: ({ id }) => id,
    readStatus: ({ status }) => status,
    completedStatus: 'completed',
  },
];
