import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { gatewayRecords } from './gatewayRecords.ts';
import { providerRecords } from './providerRecords.ts';
import { url } from './vendorRecord.ts';

const vendorRecords = [...gatewayRecords, ...providerRecords];

type Wrap = (record: unknown) => unknown;

/** The envelopes that gateways put around another system's record. */
const envelopes: Readonly<Record<string, Wrap>> = {
  'a list of one': (record) => [record],
  data: (data) => ({ data }),
  'data[0]': (record) => ({ code: 200, data: [record] }),
  'data with a code': (data) => ({ code: 200, message: 'success', data }),
  'data with a text code': (data) => ({ code: 'success', message: '', data }),
  'data with a success': (data) => ({ success: true, msg: 'ok', data }),
  'data with the status of the call': (data) => ({ status: 'success', data }),
  'data with the status of the call as a number': (data) => ({ status: 200, message: 'OK', data }),
  'data with the status of the call as a boolean': (data) => ({ status: true, data }),
  'data next to the request id': (data) => ({ request_id: 'REQ-9', data }),
  'data below a request id': (data) => ({ id: 'req_9', code: 0, data }),
  'data as text': (record) => ({ code: 0, data: JSON.stringify(record) }),
  output: (output) => ({ output }),
  'output next to the request id': (output) => ({ request_id: 'REQ-9', output }),
  result: (result) => ({ result }),
  'result with a code': (result) => ({ code: 0, result }),
  response: (response) => ({ response }),
  task: (task) => ({ task }),
  'data.task': (task) => ({ requestId: 'REQ-9', data: { task } }),
  'data.output': (output) => ({ code: 200, data: { output } }),
  'result.data': (data) => ({ status: 'ok', result: { data } }),
  'response.result.data': (data) => ({ response: { result: { data, code: 200 } } }),
  body: (body) => ({ ok: true, body }),
  'body next to the request id': (body) => ({ requestId: 'REQ-9', body }),
  'resp.info': (info) => ({ errno: 0, resp: { info } }),
  'a video next to the request id': (video) => ({ requestId: 'REQ-9', data: { video } }),
  'a list of one task': (record) => ({ log_id: 'L', data: { tasks: [record] } }),
  'a list with one item': (record) => ({ code: 0, data: { list: [record] } }),
  'members with capitals': (data) => ({ RequestId: 'REQ-9', Response: { Data: data } }),
  'data.data': (data) => ({ code: 200, data: { code: 0, data } }),
};

const states = ['PENDING', 'in_progress', 'Success', 'FAILED', 'cancelled', 'moderating'] as const;

/** Records of one state each, as their vendors write them, with the id `t1`. */
const recordsWithState: readonly ((state: string) => object)[] = [
  (status) => ({ id: 't1', object: 'video', status }),
  (status) => ({ id: 't1', task_id: 't1', status, progress: 45 }),
  (status) => ({ id: 17, task_id: 't1', status }),
  (state) => ({ taskId: 't1', state, videoInfo: {} }),
  (task_status) => ({ request_id: 'r', output: { task_id: 't1', task_status } }),
  (task_status) => ({ task_id: 't1', task_status, task_result: { videos: [] } }),
  (state) => ({ id: 't1', status: { state, timestamp: '2026-01-01T00:00:00Z' }, artifacts: [] }),
  (status) => ({ task: { id: 't1', status } }),
];

function read(record: unknown) {
  const { raw, ...snapshot } = decodeTask(record);
  return snapshot;
}

/** Values that a record does not report may be taken from its envelope. */
function assertReadAlike(wrapped: unknown, record: unknown, message: string): void {
  const snapshot = read(record);
  const { id, rawStatus, ...rest } = read(wrapped);
  assert.deepEqual(
    { ...rest, ...('id' in snapshot && { id }), ...('rawStatus' in snapshot && { rawStatus }) },
    snapshot,
    message,
  );
}

describe('a task record in an envelope', () => {
  for (const [name, wrap] of Object.entries(envelopes)) {
    it(`is read like the bare record: ${name}`, () => {
      for (const [system, record] of vendorRecords) {
        assertReadAlike(wrap(record), record, system);
      }
      for (const record of recordsWithState) {
        for (const state of states) {
          const bare = record(state);
          assertReadAlike(wrap(bare), bare, JSON.stringify(wrap(bare)));
          assert.equal(read(bare).id, 't1', JSON.stringify(bare));
          assert.equal(read(bare).rawStatus, state, JSON.stringify(bare));
        }
      }
    });
  }

  it('is read like the bare record in nested envelopes', () => {
    const wraps = fc.array(fc.constantFrom(...Object.values(envelopes)), { minLength: 1, maxLength: 3 });
    const record = fc.constantFrom(...vendorRecords.map(([, each]) => each));
    fc.assert(
      fc.property(wraps, record, (chosen, bare) => {
        const wrapped = chosen.reduce<unknown>((inner, wrap) => wrap(inner), bare);
        assertReadAlike(wrapped, bare, JSON.stringify(wrapped));
      }),
      { numRuns: 500 },
    );
  });

  const known: readonly (readonly [reply: unknown, id: string | undefined, state: string])[] = [
    [{ code: 200, data: { output: { task_id: 't', task_status: 'FAILED' } } }, 't', 'failed'],
    [{ requestId: 'REQ-9', data: { task: { id: 't1' } } }, 't1', 'running'],
    [{ id: 't', status: 'success', output: { task_status: 'RUNNING' } }, 't', 'running'],
    [{ id: 't', status: 'success', output: { task_status: 'moderating' } }, 't', 'running'],
    [{ id: 't', status: 'COMPLETED', output: { status: 'failed' } }, 't', 'failed'],
    [{ id: 'x', status: 'success', data: { id: 't1', status: 'running' } }, 't1', 'running'],
    // The gateway's id next to the provider's record, as its interface specifies.
    [{ id: 'gw', request_id: 'r', output: { task_id: 'up', task_status: 'PENDING' } }, 'gw', 'running'],
    [{ id: 'gw', output: { task_id: 'up', task_status: 'PENDING' } }, 'gw', 'running'],
    [{ id: 'gw', status: 'queued', data: { id: 'up', status: 'succeeded' } }, 'gw', 'running'],
    [{ id: 'gw', status: 'completed', data: { id: 'up', status: 'succeeded' } }, 'gw', 'completed'],
    [{ task_id: 't', status: 'SUCCESS', data: { id: 'up', status: 'succeeded' } }, 't', 'completed'],
    [{ status: 'error', message: 'Too late', data: { id: 't', status: 'running' } }, 't', 'running'],
    [{ data: { name: 'models/m/operations/o', done: false } }, 'models/m/operations/o', 'running'],
    [{ id: 'req_7', status: 'running' }, 'req_7', 'running'],
    [{ request_id: 'r', status: 'pending' }, 'r', 'running'],
    [{ request_id: 'r', output: { task_status: 'PENDING' } }, undefined, 'running'],
    [{ Response: { JobId: '1234567', RequestId: 'abc' } }, '1234567', 'running'],
    [{ Response: { Status: 'FAIL', ErrorMessage: 'x', RequestId: 'abc' } }, undefined, 'failed'],
    [{ ResponseMetadata: { RequestId: 'r' }, Result: { TaskID: 't', Status: 'Done' } }, 't', 'completed'],
    [{ TASK_ID: 't', TASK_STATUS: 'RUNNING' }, 't', 'running'],
    [{ ErrCode: 0, Resp: { video_id: 318 } }, '318', 'running'],
    [{ data: [{ taskType: 'videoInference', taskUUID: 'u-1' }] }, 'u-1', 'running'],
    [{ prediction_id: 'p', status: 'starting' }, 'p', 'running'],
    [{ uuid: 'u-1', status: 'queued' }, 'u-1', 'running'],
    [{ id: 't', status: { code: 3, name: 'FAILED' } }, 't', 'failed'],
    [{ data: { type: 'jobs', id: 't', attributes: { status: 'completed' } } }, 't', 'completed'],
    [{ id: 't', status: 'completed', video: { id: 'file', status: 'processing' } }, 't', 'completed'],
  ];
  for (const [reply, id, state] of known) {
    it(`is read as ${id}, ${state}: ${JSON.stringify(reply)}`, () => {
      const snapshot = decodeTask(reply);
      assert.deepEqual([snapshot.id, snapshot.status], [id, state]);
    });
  }
});

describe('another state next to the state of a task', () => {
  const beside: Readonly<Record<string, object>> = {
    'items with their own states': { results: [{ id: 'i', status: 'failed' }, { status: 'running' }] },
    'an item with its own id': { output: [{ id: 'msg_1', type: 'message', status: 'failed' }] },
    'a result with its own id': { result: [{ task_id: 'i', status: 'failed' }] },
    'data with its own id': { data: [{ id: 'i', status: 'failed' }] },
    steps: { steps: [{ id: 's', status: 'failed', error: { message: 'x' } }] },
    'child tasks': { tasks: [{ id: 'c', status: 'failed' }], children: [{ id: 'c', status: 'failed' }] },
    'the inputs': {
      input: { task_id: 'mine', status: 'failed', video_url: url },
      request: { id: 'mine', status: 'failed', data: { id: 'mine', status: 'failed' } },
      metadata: { id: 'mine', status: 'failed', task_id: 'mine' },
      parameters: { task_id: 'mine', state: 'failed' },
    },
    'text that looks like a record': { output: '{"task_id":"mine","status":"failed"}' },
    'an error that was handled': { error: { id: 'e', status: 'failed', code: 500 } },
    'a usable file': { response: { state: 'ACTIVE' } },
  };
  for (const [name, members] of Object.entries(beside)) {
    it(`does not override it: ${name}`, () => {
      for (const status of ['running', 'completed', 'queued']) {
        for (const wrap of [(record: unknown) => record, ...Object.values(envelopes)]) {
          const found = decodeTask(wrap({ id: 't', status, ...members }));
          const reply = JSON.stringify(wrap({ id: 't', status, ...members }));
          assert.deepEqual(
            [found.id, found.status],
            ['t', status === 'completed' ? 'completed' : 'running'],
            reply,
          );
        }
      }
    });
  }
});
