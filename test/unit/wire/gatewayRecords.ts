import { url, type VendorRecord } from './vendorRecord.ts';

/** Task records of gateways and aggregators. */
export const gatewayRecords: readonly VendorRecord[] = [
  [
    'OpenAI videos, running',
    {
      id: 'video_1',
      object: 'video',
      status: 'in_progress',
      progress: 45,
      error: null,
      created_at: 1_700_000_000,
    },
    { id: 'video_1', status: 'running', progress: 45 },
  ],
  [
    'OpenAI videos, completed without an address',
    { id: 'video_1', object: 'video', status: 'completed', progress: 100, error: null },
    { id: 'video_1', status: 'completed', progress: 100 },
  ],
  [
    'OpenAI videos, failed',
    { id: 'video_1', status: 'failed', error: { code: 'moderation_blocked', message: 'Blocked' } },
    { id: 'video_1', status: 'failed', message: 'Blocked', code: 'moderation_blocked' },
  ],
  [
    'OpenAI batches',
    { id: 'batch_1', status: 'expired', errors: { data: [{ code: 'bad_line', message: 'Line 1' }] } },
    { id: 'batch_1', status: 'failed', message: 'Line 1' },
  ],
  [
    'OpenAI responses, incomplete',
    {
      id: 'resp_1',
      object: 'response',
      status: 'incomplete',
      error: null,
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ id: 'msg_1', type: 'message', status: 'completed' }],
    },
    { id: 'resp_1', status: 'failed', message: 'max_output_tokens' },
  ],
  [
    'OpenAI responses, completed with one item of another state',
    {
      id: 'resp_1',
      status: 'completed',
      output: [{ id: 'msg_1', type: 'message', status: 'in_progress' }],
    },
    { id: 'resp_1', status: 'completed' },
  ],
  [
    'new-api videos',
    {
      id: 'task_1',
      task_id: 'task_1',
      object: 'video',
      status: 'completed',
      progress: 100,
      metadata: { url },
    },
    { id: 'task_1', status: 'completed', progress: 100, urls: [url] },
  ],
  [
    'new-api video generations, running: the finishing time does not prove the end',
    {
      code: 'success',
      message: '',
      data: {
        id: 17,
        task_id: 'task_1',
        status: 'IN_PROGRESS',
        fail_reason: '',
        progress: '45%',
        finish_time: 1_700_000_000,
        data: { id: 'up', status: 'completed', video_url: url },
      },
    },
    { id: 'task_1', status: 'running', progress: 45 },
  ],
  [
    'new-api video generations, with the address in fail_reason',
    {
      code: 'success',
      data: { id: 17, task_id: 'task_1', status: 'SUCCESS', fail_reason: url, progress: '100%' },
    },
    { id: 'task_1', status: 'completed', progress: 100, urls: [url] },
  ],
  [
    'new-api video generations, failed',
    {
      code: 'success',
      message: '',
      data: { id: 17, task_id: 'task_1', status: 'FAILURE', fail_reason: 'No luck' },
    },
    { id: 'task_1', status: 'failed', message: 'No luck' },
  ],
  [
    'OpenRouter',
    {
      id: 'gen-vid-1',
      polling_url: 'https://gateway.example/videos/1',
      status: 'completed',
      unsigned_urls: [url],
    },
    { id: 'gen-vid-1', status: 'completed', urls: [url] },
  ],
  [
    'OpenRouter, failed with a text',
    { id: 'gen-vid-1', status: 'failed', error: 'Upstream said no' },
    { id: 'gen-vid-1', status: 'failed', message: 'Upstream said no' },
  ],
  [
    'evolink',
    {
      id: 'task-unified-1',
      status: 'completed',
      results: [url, 'https://files.example/2'],
      error: null,
      task_info: { can_cancel: false },
    },
    { id: 'task-unified-1', status: 'completed', urls: [url, 'https://files.example/2'] },
  ],
  [
    'apimart, created',
    { code: 200, data: [{ status: 'submitted', task_id: 'task_1' }] },
    { id: 'task_1', status: 'running' },
  ],
  [
    'apimart, completed with a list instead of an address',
    {
      code: 200,
      data: {
        id: 'task_1',
        status: 'completed',
        progress: 100,
        result: { videos: [{ url: [url], expires_at: 1_900_000_000 }] },
      },
    },
    { id: 'task_1', status: 'completed', progress: 100, urls: [url] },
  ],
  [
    'hiapi, running',
    {
      code: 0,
      message: 'ok',
      data: { taskId: 'tk-hiapi-1', status: 'archiving', progress: 100, completed: 0 },
    },
    { id: 'tk-hiapi-1', status: 'running', progress: 100 },
  ],
  [
    'hiapi, completed',
    {
      code: 0,
      data: {
        taskId: 'tk-hiapi-1',
        status: 'success',
        output: [{ url, type: 'video', expireAt: 1_900_000_000 }],
      },
    },
    { id: 'tk-hiapi-1', status: 'completed', urls: [url] },
  ],
  [
    'lemondata, cancelled by a delete',
    { id: 't1', task_id: 't1', status: 'failed', cancelled: true, cancellation_status: 'cancelled' },
    { id: 't1', status: 'failed', failedAs: 'cancelled' },
  ],
  [
    'lemondata, completed',
    {
      task_id: 't1',
      status: 'completed',
      video_url: url,
      video: { url },
      videos: [{ url }, { url: 'https://files.example/2' }],
    },
    { id: 't1', status: 'completed', urls: [url, 'https://files.example/2'] },
  ],
  [
    'mountsea',
    { task_id: 't1', status: 'timeout', error: { code: 7, message: 'Too slow' } },
    { id: 't1', status: 'failed', message: 'Too slow', code: '7' },
  ],
  ['mountsea, older', { task_id: 't1', status: 'ready' }, { id: 't1', status: 'running' }],
  [
    'gostarry',
    { data: { task_id: 't1', status: 'finished', files: [{ file_url: url }] } },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'gostarry, failed',
    { data: { task_id: 't1', status: 'failed', error_message: 'No' } },
    { id: 't1', status: 'failed', message: 'No' },
  ],
  [
    'uniall',
    {
      id: 't1',
      task_id: 't1',
      status: 'completed',
      raw_status: 'COMPLETED',
      result: { video_url: url, outputs: [url] },
      error: null,
    },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'qnaigc',
    { id: 't1', status: 'Completed', task_result: { videos: [{ id: 'v', url }] } },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'imini',
    { id: 't1', status: 'queued', results: null, error: null, created_at: null },
    { id: 't1', status: 'running' },
  ],
  [
    'geekai',
    { task_id: 't1', task_status: 'success', progress: 1, video_result: [{ url }] },
    { id: 't1', status: 'completed', progress: 1, urls: [url] },
  ],
  [
    'kie, running with sample results',
    {
      code: 200,
      msg: 'success',
      data: {
        taskId: 't1',
        state: 'wait',
        failCode: '501',
        failMsg: 'sample',
        videoInfo: { videoUrl: url },
      },
    },
    { id: 't1', status: 'running' },
  ],
  [
    'kie, completed with JSON in text',
    {
      code: 200,
      data: {
        taskId: 't1',
        state: 'success',
        resultJson: JSON.stringify({ resultUrls: [url] }),
        createTime: 1_700_000_000_000,
      },
    },
    { id: 't1', status: 'completed', urls: [url] },
  ],
  [
    'kie, failed',
    {
      code: 200,
      msg: 'success',
      data: { taskId: 't1', state: 'fail', failCode: '501', failMsg: 'Refused' },
    },
    { id: 't1', status: 'failed', message: 'Refused', code: '501' },
  ],
  [
    '302.ai, whose states are numbers',
    { code: 200, data: { id: '1935639178641408000', status: 30, video_url: url } },
    { id: '1935639178641408000', status: 'completed', urls: [url] },
  ],
];
