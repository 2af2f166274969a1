import type { TaskSnapshot } from '../../../src/wire/apis/taskRecord/snapshot.ts';

export const url = 'https://files.example/v.mp4';

export interface ExpectedSnapshot {
  readonly id?: string;
  readonly status: TaskSnapshot['status'];
  readonly failedAs?: TaskSnapshot['failedAs'];
  readonly progress?: number;
  readonly urls?: readonly string[];
  readonly message?: string;
  readonly code?: string;
}

/** What each system writes, and what it means. */
export const vendorRecords: readonly (readonly [system: string, record: unknown, told: ExpectedSnapshot])[] =
  [
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
      'new-api video generations, running: the finishing time proves nothing',
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
      'OpenRouter, failed in words',
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
      'apimart, completed with a list where an address belongs',
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
      'kie, running with samples of what may come',
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
      'DashScope by way of a relay that moves the reason',
      {
        request_id: 'r',
        code: 'InvalidParameter',
        message: 'The size is wrong',
        output: { task_id: 't1', task_status: 'FAILED' },
      },
      { id: 't1', status: 'failed', message: 'The size is wrong', code: 'InvalidParameter' },
    ],
    [
      'DashScope, not known',
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
    [
      'xAI, without a state',
      { video: { url, duration: 6 }, model: 'm' },
      { status: 'completed', urls: [url] },
    ],
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
      'interaction, completed: what was asked is no result',
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
      'interaction, completed with nothing but the question',
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
      'interaction with its output apart',
      { id: 'v1_x', status: 'completed', output_video: { uri: url } },
      { id: 'v1_x', status: 'completed', urls: [url] },
    ],
    [
      'interaction that asks back',
      { id: 'v1_x', status: 'requires_action' },
      { id: 'v1_x', status: 'failed', failedAs: 'needs-attention' },
    ],
    [
      'interaction, failed',
      { id: 'v1_x', status: 'failed', errors: [{ code: 'permission_denied', message: 'No' }] },
      { id: 'v1_x', status: 'failed', message: 'No', code: 'permission_denied' },
    ],
  ];
