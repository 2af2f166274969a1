import assert from 'node:assert/strict';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { decodeTaskList } from '../../../src/wire/apis/taskRecord/decodeTaskList.ts';
import {
  findChangeFailure,
  findListRefusal,
  findRefusal,
  reportsMissingTask,
} from '../../../src/wire/apis/taskRecord/refusal.ts';

/** Refusals under a good status, and the class of each. */
const refusals: readonly (readonly [reply: unknown, kind: string])[] = [
  [{ code: 401, message: 'bad token', data: null }, 'authentication'],
  [{ code: '401', msg: 'bad token', data: null }, 'authentication'],
  [{ code: 403, message: 'no', data: [] }, 'authentication'],
  [{ code: 429, message: 'slow', data: {} }, 'rate-limited'],
  [{ code: 402, message: 'pay', data: null }, 'quota'],
  [{ code: 500, message: 'broken', data: null }, 'server'],
  [{ status: 401, message: 'bad token' }, 'authentication'],
  [{ statusCode: 401, message: 'bad token', data: null }, 'authentication'],
  [{ errcode: 401, errmsg: 'bad token', data: null }, 'authentication'],
  [{ code: 'InvalidApiKey', message: 'no', request_id: 'r' }, 'authentication'],
  [{ success: false, message: '无效的令牌', data: null }, 'authentication'],
  [{ success: false, data: [] }, 'server'],
  [{ ok: false, error: 'invalid_token' }, 'authentication'],
  [{ error: { message: 'no', code: 'invalid_api_key' }, data: null }, 'authentication'],
  [{ error: 'unauthorized', tasks: [] }, 'authentication'],
  [{ status: 'error', message: 'Unauthorized' }, 'authentication'],
  [{ base_resp: { status_code: 1004, status_msg: 'login fail' }, data: null }, 'authentication'],
  [{ code: 0, data: { code: 401, message: 'bad token' } }, 'authentication'],
  [{ status: 200, result: { success: false, message: 'no' } }, 'server'],
  [{ code: 1, message: 'bad token', data: null }, 'server'],
  [[{ error: { code: 401, message: 'bad token' } }], 'authentication'],
  [{ header: { code: 401, message: 'bad token' }, payload: null }, 'authentication'],
  [{ head: { retCode: 'E401' }, data: [] }, 'server'],
  [{ data: [], meta: { code: 401, message: 'bad token' } }, 'authentication'],
  [{ status: { code: 401, message: 'denied' }, data: [] }, 'authentication'],
  [{ status: 'UNAUTHENTICATED', message: 'x', data: [] }, 'authentication'],
  [{ Response: { Error: { Code: 'AuthFailure', Message: 'bad' }, RequestId: 'r' } }, 'authentication'],
  [
    { ResponseMetadata: { RequestId: 'r', Error: { Code: 'Unauthorized', Message: 'no' } } },
    'authentication',
  ],
  [{ fault: { faultstring: 'Invalid ApiKey', detail: {} } }, 'authentication'],
  [{ errors: { auth: ['bad'] }, data: [] }, 'server'],
  [{ data: [], result: 'fail' }, 'server'],
  [{ data: [], isSuccess: false }, 'server'],
  [{ success: 0, data: [] }, 'server'],
  [{ resultCode: '4001', data: [] }, 'server'],
];

describe('a refusal under a good status', () => {
  for (const [reply, kind] of refusals) {
    it(`is found for lists and tasks in ${JSON.stringify(reply)}: ${kind}`, () => {
      assert.equal(findListRefusal(reply)?.kind, kind);
      assert.equal(findRefusal(decodeTask(reply), 't1')?.kind, kind);
      assert.equal(findChangeFailure(decodeTask(reply), 'cancel')?.kind, kind);
      assert.equal(findChangeFailure(decodeTask(reply), 'delete')?.kind, kind);
    });
  }

  for (const [open, close] of [
    ['{"header":', '}'],
    ['{"data":', '}'],
    ['{"result":', '}'],
    ['[', ']'],
    ['{"errors":[', ']}'],
  ] as const) {
    it(`F60 is searched for at any depth: ${open}`, () => {
      const reply: unknown = JSON.parse(`${open.repeat(50_000)}{}${close.repeat(50_000)}`);
      assert.equal(findRefusal(decodeTask(reply), 't1'), undefined);
      assert.equal(findChangeFailure(decodeTask(reply), 'delete'), undefined);
      assert.doesNotThrow(() => findListRefusal(reply));
    });
  }

  it('is reported for a list with only a message', () => {
    assert.ok(findListRefusal({ message: 'bad token', data: null }));
    assert.ok(findListRefusal({ msg: 'no permission', data: [] }));
    assert.ok(findListRefusal({ msg: '没有权限', data: [] }));
    assert.ok(findListRefusal({ errMessage: 'not successful', data: [] }));
    assert.ok(findListRefusal('Invalid token'));
  });

  const empty: readonly unknown[] = [
    [],
    { data: [] },
    { data: null },
    { object: 'list', data: [], has_more: false, error: null },
    { code: 0, message: 'ok', data: null },
    { code: 0, message: '', data: [] },
    { code: 200, message: 'success', data: { tasks: [], total: 0 } },
    { code: 200, msg: '操作成功', data: { list: null, total: 0 } },
    { code: 'success', message: '', data: [] },
    { code: 1, msg: 'success', data: [] },
    { message: 'Tasks retrieved successfully.', data: [] },
    { message: 'Query successful', data: [] },
    { message: 'ok, 0 records', data: [] },
    { message: 'No tasks found', data: [] },
    { msg: '没有数据', data: [] },
    { status: { code: 200, message: 'OK' }, data: [] },
    { meta: { code: 0, page: 1 }, data: [] },
    { head: { retCode: 0 }, data: [] },
    { code: 10000, message: 'Success', data: [] },
    { code: 20000, data: { items: [] } },
    { code: '00000', data: [] },
    { success: true, data: [] },
    { success: true, code: 7, data: [] },
    { status: 'success', data: [] },
    { status: 200, data: [] },
    { items: null, errors: [] },
    { message: 'No tasks found', data: [] },
    { message: '暂无数据', data: null },
    { base_resp: { status_code: 0, status_msg: 'success' }, tasks: [] },
  ];
  for (const reply of empty) {
    it(`is not found in an empty page: ${JSON.stringify(reply)}`, () => {
      assert.equal(findListRefusal(reply), undefined);
      assert.deepEqual(decodeTaskList(reply)?.tasks, []);
    });
  }

  const records: readonly unknown[] = [
    { id: 't1', status: 'failed', error: { code: 401, message: 'The provider refused the key' } },
    { id: 't1', error: { message: 'It broke' } },
    { code: 200, message: 'success', data: { task_id: 't1', status: 'FAILURE', fail_reason: 'x' } },
    { output: { task_id: 't1', task_status: 'FAILED', code: 'InvalidParameter', message: 'x' } },
    {
      request_id: 'r',
      code: 'InvalidParameter',
      message: 'x',
      output: { task_id: 't1', task_status: 'FAILED' },
    },
    { code: 0, message: 'SUCCEED', data: { task_id: 't1', task_status: 'failed', task_status_msg: 'Risky' } },
    { status: 'Failed', reason: 'No GPU' },
    { status: 'failed', error: { code: 'internal_error', message: 'x' } },
    { code: 500, data: { id: 't1', status: 'failed', error: { message: 'x' } } },
  ];
  for (const record of records) {
    it(`is not found in the record of a failed task: ${JSON.stringify(record)}`, () => {
      assert.equal(findRefusal(decodeTask(record), 't1'), undefined);
      assert.equal(decodeTask(record).status, 'failed');
    });
  }

  it('is not read as a failed task if it contains the id of its own request', () => {
    const reply = { id: 'REQ-1', status: 'error', code: 401, message: 'bad token' };
    assert.equal(findRefusal(decodeTask(reply), 't1')?.kind, 'authentication');
  });
});

describe('the reply to a delete or cancel request', () => {
  it('is a refusal if it reports that the action was not done', () => {
    for (const reply of [
      { deleted: false },
      { id: 't1', deleted: false, object: 'video' },
      { deleted: 'false' },
      { deleted: 0 },
      { removed: false },
      { code: 0, data: { deleted: false } },
      { code: 0, data: false },
      { success: false },
      { error: 'It runs' },
      { error: { message: 'It runs' } },
      { status: 'error', message: 'It runs' },
      { code: 1001, message: 'It runs' },
      { success: false, data: { id: 't1', status: 'running' } },
    ]) {
      assert.ok(findChangeFailure(decodeTask(reply), 'delete'), JSON.stringify(reply));
    }
    for (const reply of [{ cancelled: false }, { canceled: false }, { data: { cancelled: false } }]) {
      assert.ok(findChangeFailure(decodeTask(reply), 'cancel'), JSON.stringify(reply));
    }
  });

  it('is not a refusal if it confirms the request or contains the record', () => {
    for (const reply of [
      undefined,
      {},
      { request_id: 'r' },
      { success: true },
      { code: 200, message: 'ok' },
      { id: 't1', deleted: true, object: 'video.deleted' },
      { deleted: 1 },
      { status: 'cancelling' },
      { message: 'Task cancelled', data: null },
      { status: 'CANCELLATION_REQUESTED' },
      { id: 't1', status: 'failed', error: { message: 'cancelled by the user' }, cancelled: true },
      { id: 't1', status: 'running', deleted: false, cancelled: false },
    ]) {
      assert.equal(findChangeFailure(decodeTask(reply), 'delete'), undefined, JSON.stringify(reply));
      assert.equal(findChangeFailure(decodeTask(reply), 'cancel'), undefined, JSON.stringify(reply));
    }
  });
});

describe('a 404', () => {
  const ofTasks = [
    '{"error":{"message":"No such task"}}',
    '{"error":{"message":"There is no such task: it was deleted, or the id is wrong."}}',
    '{"error":{"code":"task_not_found","message":""}}',
    '{"code":"task_not_exist","message":"x","data":null}',
    '{"error":{"type":"TaskNotFound"}}',
    '{"detail":"Task t1 not found"}',
    '{"detail":"t1 was not found"}',
    '{"error":{"message":"Video with id t1 could not be found."}}',
    '{"error":{"code":"not_found","message":"The interaction does not exist"}}',
    '{"error":{"message":"Requested entity was not found."}}',
    '{"message":"任务不存在"}',
    '{"msg":"未找到该任务"}',
    '{"message":"该任务已被删除"}',
    '{"message":"This job has expired"}',
    'task not found',
  ];
  for (const body of ofTasks) {
    it(`is about the task: ${body}`, () => assert.equal(reportsMissingTask(body, 't1'), true));
  }

  const ofOthers = [
    '',
    '{}',
    '<html><title>404 Not Found</title></html>',
    '404 page not found',
    '{"detail":"Not Found"}',
    '{"error":{"message":"Invalid URL (DELETE /v1/tasks/t1)","type":"invalid_request_error"}}',
    '{"message":"Route DELETE:/v1/tasks/t1 not found","error":"Not Found","statusCode":404}',
    '{"message":"no Route matched with those values"}',
    'Cannot DELETE /v1/tasks/t1',
    '{"error":"Unknown API route: /v1/tasks"}',
    '{"status":404,"error":"Not Found","path":"/v1/tasks/t1"}',
    '{"error":{"message":"The task endpoint does not exist"}}',
    '{"error":{"code":"model_not_found","message":"The model does not exist"}}',
    '{"message":"接口不存在"}',
    '{"message":"任务接口路径不存在"}',
    '{"error":{"message":"task t1 is running"}}',
  ];
  for (const body of ofOthers) {
    it(`is not about the task: ${body}`, () => assert.equal(reportsMissingTask(body, 't1'), false));
  }
});
