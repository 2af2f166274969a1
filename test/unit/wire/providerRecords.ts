import { url, type VendorRecord } from './vendorRecord.ts';

/** Task records of the providers that make the videos themselves. */
export const providerRecords: readonly VendorRecord[] = [
  [
    'DashScope, created',
    { output: { task_status: 'PENDING', task_id: '0385dc79' }, request_id: '4909100c' },
    { id: '0385dc79', status: 'running' },
  ],
  [
    'DashScope, completed',
    {
      request_id: '2ca1c497',
      output: {
        task_id: 'af6efbc0',
        task_status: 'SUCCEEDED',
        orig_prompt: 'https://prompt.example',
        video_url: url,
      },
      usage: { duration: 15 },
    },
    { id: 'af6efbc0', status: 'completed', urls: [url] },
  ],
  [
    'DashScope, failed',
    {
      request_id: 'r',
      output: {
        task_id: 't1',
        task_status: 'FAILED',
        code: 'InvalidParameter',
        message: 'The size is wrong',
      },
    },
    { id: 't1', status: 'failed', message: 'The size is wrong', code: 'InvalidParameter' },
  ],
  [
    'DashScope through a relay that moves the reason',
    {
      request_id: 'r',
      code: 'InvalidParameter',
      message: 'The size is wrong',
      output: { task_id: 't1', task_status: 'FAILED' },
    },
    { id: 't1', status: 'failed', message: 'The size is wrong', code: 'InvalidParameter' },
  ],
  [
    'DashScope, unknown',
    { request_id: 'r', output: { task_id: 't1', task_status: 'UNKNOWN' } },
    { id: 't1', status: 'running' },
  ],
  [
    'DashScope, one of two items made',
    {
      output: {
        task_id: 't1',
        task_status: 'SUCCEEDED',
        results: [{ url }, { code: 'DataInspectionFailed', message: 'No' }],
        task_metrics: { TOTAL: 2, SUCCEEDED: 1, FAILED: 1 },
      },
    },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'Volcengine Ark',
    {
      id: 'cgt-1',
      status: 'succeeded',
      content: { video_url: url, last_frame_url: 'https://files.example/frame.png' },
    },
    { id: 'cgt-1', status: 'completed', urls: [url] },
  ],
  [
    'Kling',
    {
      code: 0,
      message: 'SUCCEED',
      request_id: 'r',
      data: {
        task_id: 't1',
        task_status: 'succeed',
        task_result: { videos: [{ id: 'v', url, duration: '5' }] },
      },
    },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'Kling, failed',
    {
      code: 0,
      message: 'SUCCEED',
      data: { task_id: 't1', task_status: 'failed', task_status_msg: 'Risky' },
    },
    { id: 't1', status: 'failed', message: 'Risky' },
  ],
  [
    'Vidu',
    {
      id: 't1',
      state: 'success',
      err_code: '',
      creations: [{ id: 'c', url, cover_url: 'https://files.example/cover.png' }],
    },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'Vidu, failed',
    { task_id: 't1', state: 'failed', err_code: 'AuditFailed' },
    { id: 't1', status: 'failed', code: 'AuditFailed' },
  ],
  [
    'MiniMax',
    {
      task_id: '106916112212032',
      status: 'Preparing',
      base_resp: { status_code: 0, status_msg: 'success' },
    },
    { id: '106916112212032', status: 'running' },
  ],
  [
    'MiniMax, with its file',
    { task_id: 't1', status: 'Success', file_id: '205', file: { download_url: url } },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'MiniMax v2',
    { task: { id: 't1', status: 'succeeded', content: { url } } },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  ['SiliconFlow, created', { requestId: 'r1' }, { id: 'r1', status: 'running' }],
  [
    'SiliconFlow',
    { status: 'Succeed', reason: '', results: { videos: [{ url }], timings: {}, seed: 1 } },
    { status: 'completed', urls: [url] },
  ],
  ['SiliconFlow, failed', { status: 'Failed', reason: 'No GPU' }, { status: 'failed', message: 'No GPU' }],
  [
    'Jimeng',
    { code: 10000, message: 'Success', data: { task_id: 't1', status: 'done', video_url: url } },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'Zhipu',
    {
      id: 't1',
      request_id: 'r',
      task_status: 'SUCCESS',
      video_result: [{ url, cover_image_url: 'https://files.example/cover.png' }],
    },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  ['xAI, created', { request_id: 'r1' }, { id: 'r1', status: 'running' }],
  ['xAI, without a state', { video: { url, duration: 6 }, model: 'm' }, { status: 'completed', urls: [url] }],
  [
    'Luma',
    {
      id: 't1',
      state: 'completed',
      assets: { video: url, image: 'https://files.example/still.png' },
      failure_reason: null,
    },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'Luma, failed',
    { id: 't1', state: 'failed', failure_reason: 'Refused' },
    { id: 't1', status: 'failed', message: 'Refused' },
  ],
  [
    'Runway',
    { id: 't1', status: 'SUCCEEDED', output: [url] },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'Runway, failed',
    { id: 't1', status: 'FAILED', failure: 'Unsafe', failureCode: 'SAFETY.INPUT' },
    { id: 't1', status: 'failed', message: 'Unsafe', code: 'SAFETY.INPUT' },
  ],
  [
    'Replicate, one address',
    {
      id: 't1',
      status: 'succeeded',
      input: { image: 'https://files.example/mine.png' },
      output: url,
      urls: { get: 'https://gateway.example/t1', cancel: 'https://gateway.example/t1/cancel' },
      error: null,
    },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'Replicate, canceled',
    { id: 't1', status: 'canceled', output: null },
    { id: 't1', status: 'failed', failedAs: 'cancelled' },
  ],
  [
    'fal, created',
    {
      request_id: 'r1',
      status: 'IN_QUEUE',
      status_url: 'https://gateway.example/r1/status',
      response_url: 'https://gateway.example/r1',
    },
    { id: 'r1', status: 'running' },
  ],
  [
    'Google operation, completed',
    {
      name: 'models/m/operations/o',
      done: true,
      response: { generateVideoResponse: { generatedSamples: [{ video: { uri: url } }] } },
    },
    { id: 'models/m/operations/o', status: 'completed', urls: [url] },
  ],
  [
    'Google cloud operation, completed',
    {
      name: 'projects/p/operations/o',
      done: true,
      response: { videos: [{ gcsUri: 'gs://bucket/v.mp4', mimeType: 'video/mp4' }] },
    },
    { id: 'projects/p/operations/o', status: 'completed', urls: ['gs://bucket/v.mp4'] },
  ],
  [
    'Google cloud operation, inline',
    {
      name: 'projects/p/operations/o',
      done: true,
      response: { videos: [{ bytesBase64Encoded: 'dmlk', mimeType: 'video/mp4' }] },
    },
    { id: 'projects/p/operations/o', status: 'completed', urls: ['data:video/mp4;base64,dmlk'] },
  ],
  [
    'interaction, created',
    { id: 'v1_x', object: 'interaction', status: 'in_progress', model: 'm' },
    { id: 'v1_x', status: 'running' },
  ],
  [
    'interaction, completed: the input is not a result',
    {
      id: 'v1_x',
      status: 'completed',
      input: [{ type: 'video', uri: 'https://files.example/mine' }],
      steps: [
        {
          type: 'user_input',
          content: [
            { type: 'video', data: 'bWluZQ==' },
            { type: 'image', uri: 'https://files.example/mine.png' },
          ],
        },
        { type: 'thought', signature: 's' },
        {
          type: 'model_output',
          content: [
            { type: 'text', text: 'Here.' },
            { type: 'video', mime_type: 'video/mp4', uri: url },
          ],
        },
      ],
    },
    { id: 'v1_x', status: 'completed', urls: [url] },
  ],
  [
    'interaction, completed with only the question',
    {
      id: 'v1_x',
      status: 'completed',
      steps: [{ type: 'user_input', content: [{ type: 'video', uri: url }] }],
    },
    { id: 'v1_x', status: 'completed' },
  ],
  [
    'interaction of the legacy schema',
    {
      id: 'v1_x',
      status: 'completed',
      outputs: [
        { type: 'text', text: 'x' },
        { type: 'video', data: 'dmlk' },
      ],
    },
    { id: 'v1_x', status: 'completed', urls: ['data:video/mp4;base64,dmlk'] },
  ],
  [
    'interaction with separate output',
    { id: 'v1_x', status: 'completed', output_video: { uri: url } },
    { id: 'v1_x', status: 'completed', urls: [url] },
  ],
  [
    'interaction that requires an action',
    { id: 'v1_x', status: 'requires_action' },
    { id: 'v1_x', status: 'failed', failedAs: 'needs-attention' },
  ],
  [
    'interaction, failed',
    { id: 'v1_x', status: 'failed', errors: [{ code: 'permission_denied', message: 'No' }] },
    { id: 'v1_x', status: 'failed', message: 'No', code: 'permission_denied' },
  ],
];
