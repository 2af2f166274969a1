import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { UpstreamRequest } from './scriptedUpstream.ts';

// Videos of upstreams whose formats no caller uses. The links are the sources of the bytes.

/** The key of the upstream. It must not appear in any reply. */
export const secretUpstreamKey = 'canary-of-the-upstream';

export const picture = Buffer.from('....a picture').toString('base64');

export const clip = Buffer.from('....ftypmp42 the bytes of a clip');

interface SentRequest {
  readonly method: string;
  readonly path: string;
  /** The JSON body, if there is one. */
  readonly body?: object;
}

export interface ConvertedVideoKind {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly path?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string;
  /** The end of the header `x-gateway-conversion`. */
  readonly format: string;
  readonly keyHeader: readonly [name: string, value: string];
  readonly create: string;
  /** The bodies of a request for 8 seconds of a cat, in 16:9 and 720p, with a seed. */
  readonly withoutPicture: object;
  readonly withPicture: object;
  readonly read: SentRequest;
  /** The upstream's ID of the task. */
  readonly id: string;
  readonly created: object;
  readonly running: object;
  /** @param origin the origin of the upstream */
  readonly completed: (origin: string) => object;
  /** The path of its result at the upstream; absent if the record contains the data. */
  readonly result?: string;
  readonly failed: object;
  /** The expected error of `failed`. */
  readonly failure: { readonly code: string; readonly message: string };
  /** The reply for an unknown task. */
  readonly missing: readonly [status: number, body: object];
}

const env = { UPSTREAM_KEY: secretUpstreamKey };
const bearer = ['authorization', `Bearer ${secretUpstreamKey}`] as const;

// https://ai.google.dev/gemini-api/docs/video
// https://docs.cloud.google.com/nodejs/docs/reference/generativelanguage/latest
const operation = 'models/veo-3.1-generate-preview/operations/a1b2c3';
const veoType = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse';
const gemini: ConvertedVideoKind = {
  name: 'Veo of the Gemini API',
  config: { kind: 'content-generation', interactions: true, keyEnv: 'UPSTREAM_KEY' },
  env,
  model: 'veo-3.1-generate-preview',
  format: 'long-running-videos',
  keyHeader: ['x-goog-api-key', secretUpstreamKey],
  create: '/v1beta/models/veo-3.1-generate-preview:predictLongRunning',
  withoutPicture: {
    instances: [{ prompt: 'A cat' }],
    parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, seed: 7 },
  },
  withPicture: {
    instances: [{ prompt: 'A cat', image: { bytesBase64Encoded: picture, mimeType: 'image/png' } }],
    parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, seed: 7 },
  },
  read: { method: 'GET', path: `/v1beta/${operation}` },
  id: operation,
  created: { name: operation },
  running: { name: operation, metadata: { '@type': 'type.googleapis.com/x' } },
  completed: (origin) => ({
    name: operation,
    done: true,
    response: {
      '@type': veoType,
      generateVideoResponse: {
        generatedSamples: [{ video: { uri: `${origin}/v1beta/files/f1:download?alt=media` } }],
      },
    },
  }),
  result: '/v1beta/files/f1:download?alt=media',
  failed: {
    name: operation,
    done: true,
    response: {
      '@type': veoType,
      // Replies have the count, the reasons, or both.
      generateVideoResponse: {
        raiMediaFilteredReasons: ['The video was filtered. Try another prompt.'],
      },
    },
  },
  failure: { code: 'content_filter', message: 'The video was filtered. Try another prompt.' },
  missing: [404, { error: { code: 404, message: 'Operation not found.', status: 'NOT_FOUND' } }],
};

// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation
const cloudModel = '/v1/projects/my-project/locations/us-central1/publishers/google/models/veo-3.1';
const cloudOperation = `${cloudModel.replace('/v1/', '')}/operations/d4e5f6`;
const cloud: ConvertedVideoKind = {
  name: 'Veo of the cloud platform',
  config: {
    kind: 'cloud-platform',
    project: 'my-project',
    location: 'us-central1',
    keyEnv: 'UPSTREAM_KEY',
  },
  env,
  model: 'google/veo-3.1',
  format: 'long-running-videos',
  keyHeader: bearer,
  create: `${cloudModel}:predictLongRunning`,
  withoutPicture: {
    instances: [{ prompt: 'A cat' }],
    parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, seed: 7, sampleCount: 1 },
  },
  withPicture: {
    instances: [{ prompt: 'A cat', image: { bytesBase64Encoded: picture, mimeType: 'image/png' } }],
    parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, seed: 7, sampleCount: 1 },
  },
  read: {
    method: 'POST',
    path: `${cloudModel}:fetchPredictOperation`,
    body: { operationName: cloudOperation },
  },
  id: cloudOperation,
  created: { name: cloudOperation },
  running: { name: cloudOperation },
  completed: () => ({
    name: cloudOperation,
    done: true,
    response: {
      '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse',
      raiMediaFilteredCount: 0,
      videos: [{ bytesBase64Encoded: clip.toString('base64'), mimeType: 'video/mp4' }],
    },
  }),
  failed: {
    name: cloudOperation,
    done: true,
    error: { code: 8, message: 'Quota exceeded for online prediction requests.' },
  },
  failure: { code: 'resource_exhausted', message: 'Quota exceeded for online prediction requests.' },
  missing: [404, { error: { code: 404, message: 'Operation not found.', status: 'NOT_FOUND' } }],
};

// https://docs.newapi.pro/en/docs/api/ai-model/videos/createvideogeneration
// https://github.com/QuantumNous/new-api/blob/main/dto/task.go and relay/relay_task.go
const createNewApiTask = (status: string, more: object = {}) => ({
  code: 'success',
  message: '',
  data: {
    id: 3,
    created_at: 1_767_225_600,
    updated_at: 1_767_225_600,
    task_id: 'task_up1',
    platform: '45',
    user_id: 1,
    group: 'default',
    channel_id: 2,
    quota: 0,
    action: 'generate',
    status,
    fail_reason: '',
    submit_time: 1_767_225_600,
    start_time: 0,
    finish_time: 0,
    progress: '30%',
    properties: {},
    data: { id: 'cgt-1', status: 'running' },
    ...more,
  },
});
const newApiMetadata = { aspect_ratio: '16:9', ratio: '16:9', resolution: '720p', seed: 7 };
const newApiFields = {
  model: 'seedance-1',
  prompt: 'A cat',
  duration: 8,
  size: '1280x720',
  width: 1280,
  height: 720,
  seed: 7,
  metadata: newApiMetadata,
};
const newApi: ConvertedVideoKind = {
  name: 'video generations of new-api',
  config: { kind: 'openai-compatible', videoGenerations: true, keyEnv: 'UPSTREAM_KEY' },
  path: '/v1',
  env,
  model: 'seedance-1',
  format: 'video-generations',
  keyHeader: bearer,
  create: '/v1/video/generations',
  withoutPicture: newApiFields,
  withPicture: {
    ...newApiFields,
    image: `data:image/png;base64,${picture}`,
  },
  read: { method: 'GET', path: '/v1/video/generations/task_up1' },
  id: 'task_up1',
  created: {
    id: 'task_up1',
    task_id: 'task_up1',
    object: 'video',
    model: 'seedance-1',
    status: '',
    progress: 0,
    created_at: 1_767_225_600,
  },
  running: createNewApiTask('IN_PROGRESS'),
  // The owner of new-api configures the host.
  completed: () =>
    createNewApiTask('SUCCESS', {
      progress: '100%',
      finish_time: 1_767_225_660,
      result_url: 'http://localhost:3000/v1/videos/task_up1/content',
      data: { id: 'cgt-1', status: 'succeeded' },
    }),
  result: '/v1/videos/task_up1/content',
  failed: createNewApiTask('FAILURE', {
    progress: '100%',
    fail_reason: 'The prompt was refused.',
    data: null,
  }),
  failure: { code: 'FAILURE', message: 'The prompt was refused.' },
  missing: [400, { code: 'task_not_exist', message: 'task_not_exist', data: null }],
};

// https://www.volcengine.com/docs/82379/1520757 (create) and 1521309 (read)
// https://www.volcengine.com/docs/82379/1299023 (codes of errors)
// https://docs.powertokens.ai/en/zmodelVideo/byteplus/seedance/cancel-delete-video-task (states that can be cancelled)
const createArkTask = (status: string, more: object = {}) => ({
  id: 'cgt-2026-abc',
  model: 'doubao-seedance-1',
  status,
  created_at: 1_767_225_600,
  updated_at: 1_767_225_600,
  service_tier: 'default',
  ...more,
});
const ark: ConvertedVideoKind = {
  name: 'content generation tasks of Ark',
  config: { kind: 'ark', keyEnv: 'UPSTREAM_KEY' },
  env,
  model: 'doubao-seedance-1',
  format: 'content-tasks',
  keyHeader: bearer,
  create: '/api/v3/contents/generations/tasks',
  withoutPicture: {
    model: 'doubao-seedance-1',
    content: [{ type: 'text', text: 'A cat' }],
    ratio: '16:9',
    resolution: '720p',
    duration: 8,
    seed: 7,
  },
  withPicture: {
    model: 'doubao-seedance-1',
    content: [
      { type: 'text', text: 'A cat' },
      {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${picture}` },
        role: 'first_frame',
      },
    ],
    ratio: '16:9',
    resolution: '720p',
    duration: 8,
    seed: 7,
  },
  read: { method: 'GET', path: '/api/v3/contents/generations/tasks/cgt-2026-abc' },
  id: 'cgt-2026-abc',
  created: { id: 'cgt-2026-abc' },
  running: createArkTask('running'),
  completed: (origin) =>
    createArkTask('succeeded', {
      content: { video_url: `${origin}/results/v.mp4?X-Tos-Signature=abc` },
      usage: { completion_tokens: 108_900, total_tokens: 108_900 },
      seed: 7,
      resolution: '720p',
      ratio: '16:9',
      duration: 8,
      framespersecond: 24,
    }),
  result: '/results/v.mp4?X-Tos-Signature=abc',
  failed: createArkTask('failed', {
    error: {
      code: 'OutputVideoSensitiveContentDetected',
      message: 'The request failed because the output video may contain sensitive information.',
    },
  }),
  failure: {
    code: 'OutputVideoSensitiveContentDetected',
    message: 'The request failed because the output video may contain sensitive information.',
  },
  missing: [404, { error: { code: 'NotFound', message: 'The specified task is not found.' } }],
};

export const arkTasks = { kind: ark, task: createArkTask };
export const newApiVideos = newApi;
export const geminiVideos = gemini;

export const convertedVideoKinds: readonly ConvertedVideoKind[] = [gemini, cloud, newApi, ark];

/** Creates requests for the same video in the formats of the three routes, without and with a first picture. */
export function createVideoRequests(model: string): readonly {
  readonly format: string;
  readonly path: string;
  readonly withoutPicture: object;
  readonly withPicture: object;
  readonly read: (id: string) => string;
}[] {
  const format = { type: 'video', aspect_ratio: '16:9', resolution: '720p', duration: '8s' };
  const video = (task: string) => ({ seed: 7, video_config: { task } });
  const parameters = { resolution: '720P', ratio: '16:9', duration: 8, seed: 7 };
  const url = `data:image/png;base64,${picture}`;
  const job = { model, prompt: 'A cat', size: '1280x720', seconds: '8', seed: 7 };
  return [
    {
      format: 'interactions',
      path: '/v1beta/interactions',
      withoutPicture: {
        model,
        input: 'A cat',
        response_format: format,
        background: true,
        generation_config: video('text_to_video'),
      },
      withPicture: {
        model,
        response_format: format,
        background: true,
        input: [
          { type: 'text', text: 'A cat' },
          { type: 'image', mime_type: 'image/png', data: picture },
        ],
        generation_config: video('image_to_video'),
      },
      read: (id) => `/v1beta/interactions/${id}`,
    },
    {
      format: 'video-synthesis',
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      withoutPicture: { model, input: { prompt: 'A cat' }, parameters },
      withPicture: { model, input: { prompt: 'A cat', img_url: url }, parameters },
      read: (id) => `/api/v1/tasks/${id}`,
    },
    {
      format: 'videos',
      path: '/v1/videos',
      withoutPicture: job,
      withPicture: { ...job, input_reference: { image_url: url } },
      read: (id) => `/v1/videos/${id}`,
    },
  ];
}

/** The expected request and the replies of a strict upstream. */
export interface StrictState {
  /** The expected body of a request that creates a task. */
  body: object;
  created: readonly [status: number, body: object, headers?: Readonly<Record<string, string>>] | 'lost';
  record: readonly [status: number, body: object];
}

/** Returns the reply to a request of the API with the key; fails the test for any other request. */
export function createStrictReply(
  kind: ConvertedVideoKind,
  state: StrictState,
  request: UpstreamRequest,
  res: ServerResponse,
): readonly [status: number, body: object | Buffer, headers?: Readonly<Record<string, string>>] | undefined {
  const { method, path, headers, body } = request;
  const [keyName, key] = kind.keyHeader;
  assert.equal(headers[keyName], key, `${method} ${path} without the key`);
  const sent = body.length === 0 ? undefined : JSON.parse(String(body));
  if (sent !== undefined) assert.match(String(headers['content-type']), /^application\/json/);
  if (method === 'POST' && path === kind.create) {
    assert.deepEqual(sent, state.body);
    if (state.created !== 'lost') return state.created;
    res.destroy();
    return undefined;
  }
  if (method === kind.read.method && path === kind.read.path) {
    assert.deepEqual(sent, kind.read.body);
    return state.record;
  }
  if (method === 'GET' && path === kind.result) return [200, clip];
  if (method === 'GET' && /\/models(?:\?|$)/.test(path)) return [200, { data: [], models: [] }];
  return assert.fail(`unexpected request: ${method} ${path}`);
}
