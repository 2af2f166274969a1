import assert from 'node:assert/strict';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { decodeTaskList } from '../../../src/wire/apis/taskRecord/decodeTaskList.ts';
import { findRefusal, findReturnedRecord } from '../../../src/wire/apis/taskRecord/refusal.ts';

const tasks = [
  { id: 'a', status: 'running' },
  { id: 'b', status: 'failed' },
];

describe('a list of tasks', () => {
  const envelopes: readonly (readonly [name: string, envelope: object])[] = [
    ['a bare list', tasks],
    ...['data', 'items', 'tasks', 'results', 'videos', 'generations', 'list', 'records'].map(
      (key) => [key, { [key]: tasks }] as const,
    ),
    ...['tasks', 'items', 'list', 'records'].map(
      (key) => [`data.${key}`, { data: { [key]: tasks } }] as const,
    ),
    ['output.list', { output: { list: tasks } }],
  ];
  for (const [name, envelope] of envelopes) {
    it(`is found in ${name}`, () => {
      const page = decodeTaskList(envelope);
      assert.deepEqual(
        page?.tasks.map(({ id, status }) => [id, status]),
        [
          ['a', 'running'],
          ['b', 'failed'],
        ],
      );
      assert.equal(page?.next, undefined);
    });
  }

  it('may be empty or null, and invalid elements are skipped', () => {
    assert.deepEqual(decodeTaskList({ object: 'list', data: [] })?.tasks, []);
    assert.deepEqual(decodeTaskList({ data: null })?.tasks, []);
    assert.deepEqual(decodeTaskList({ data: [null, 7, 'x', [], tasks[0]] })?.tasks.length, 1);
  });

  it('may contain only ids, and is undefined if no entry can be read', () => {
    const ids = decodeTaskList({ data: ['task-1', 'task-2'] })?.tasks.map(({ id }) => id);
    assert.deepEqual(ids, ['task-1', 'task-2']);
    for (const data of [[7, 8], [['a']], ['No tasks for you']])
      assert.equal(decodeTaskList({ data }), undefined, JSON.stringify(data));
  });

  it('is undefined if the reply is not a list', () => {
    for (const reply of [null, undefined, 'x', {}, { data: {} }, { error: { message: 'No' } }, { id: 'a' }]) {
      assert.equal(decodeTaskList(reply), undefined, JSON.stringify(reply));
    }
  });

  const pages: readonly (readonly [envelope: object, next: object | undefined])[] = [
    [{ has_more: true, last_id: 'b' }, { after: 'b' }],
    [{ has_more: true }, { after: 'b' }],
    [{ has_more: false, last_id: 'b' }, undefined],
    [{ last_id: 'b' }, undefined],
    [{ has_more: true, next_cursor: 'c' }, { cursor: 'c' }],
    [{ cursor: 'c' }, { cursor: 'c' }],
    [{ nextPageToken: 'p' }, { pageToken: 'p' }],
    [{ next_page_token: 'p' }, { page_token: 'p' }],
    [{ nextPageToken: '' }, undefined],
    [{ next: 'https://elsewhere.example/v1/other?cursor=c&limit=5' }, { cursor: 'c', limit: '5' }],
    [{ next: '/v1/tasks?after=b' }, { after: 'b' }],
    [{ next: 'token' }, { cursor: 'token' }],
    [{ next: null, previous: null }, undefined],
    [{ links: { next: '?page=2' } }, { page: '2' }],
    [
      { page: 1, size: 2, total: 5 },
      { page: '2', size: '2' },
    ],
    [{ page: 3, size: 2, total: 5 }, undefined],
    [
      { page: '1', size: '2', total: '5' },
      { page: '2', size: '2' },
    ],
    [{ page: '3', size: '2', total: '5' }, undefined],
    [
      { page_no: '1', page_size: '2', total_page: '2' },
      { page_no: '2', page_size: '2' },
    ],
    [{ offset: '4', limit: '2', total: '9' }, { offset: '6' }],
    [{ offset: '0', has_more: 'true' }, { offset: '2' }],
    [{ has_more: 'false', last_id: 'b' }, undefined],
    [
      { page_no: 1, page_size: 2, total_page: 2 },
      { page_no: '2', page_size: '2' },
    ],
    [{ page_no: 2, page_size: 2, total_page: 2 }, undefined],
    [
      { page_num: 1, page_size: 2, total: 3 },
      { page_num: '2', page_size: '2' },
    ],
    [
      { page: 1, size: 0, total: 5 },
      { page: '2', size: '0' },
    ],
    [{ offset: 4, limit: 2, total: 9 }, { offset: '6' }],
    [{ offset: 4, limit: 2, total: 6 }, undefined],
    [{ offset: 0, limit: 2, has_more: true }, { offset: '2' }],
    [{ total: 9 }, undefined],
    [{ meta: { next_cursor: 'c' } }, { cursor: 'c' }],
    [{ meta: { next_cursor: null } }, undefined],
    [{ pagination: { next_cursor: 'c', has_more: true } }, { cursor: 'c' }],
    [{ pagination: { next_cursor: 'c', has_more: false } }, undefined],
    [{ paging: { next: 'https://gateway.example/v1/tasks?after=b&limit=2' } }, { after: 'b', limit: '2' }],
    [{ paging: { cursors: { after: 'b' } } }, { after: 'b' }],
    [{ page_info: { has_next_page: true, end_cursor: 'c' } }, { cursor: 'c' }],
    [{ pageInfo: { hasNextPage: false, endCursor: 'c' } }, undefined],
    [{ _links: { next: { href: '/v1/tasks?page=2' } } }, { page: '2' }],
    [{ metadata: { nextPageToken: 'p' } }, { pageToken: 'p' }],
    [{ nextToken: 'n' }, { nextToken: 'n' }],
    [{ next_page: 3 }, { page: '3' }],
    [{ meta: { current_page: 1, last_page: 3, per_page: 2, total: 5 } }, { page: '2', per_page: '2' }],
    [{ meta: { current_page: 3, last_page: 3, per_page: 2, total: 5 } }, undefined],
    [{ page: 1, total_pages: 2 }, { page: '2' }],
    [
      { page: 1, page_size: 2, has_more: true },
      { page: '2', page_size: '2' },
    ],
    [{ next_cursor: 'x'.repeat(5000) }, undefined],
    [{ next_cursor: 'null' }, undefined],
    [{ next_cursor: ' ' }, undefined],
    [{ cursor: '0' }, undefined],
    [
      {
        links: [
          { rel: 'self', href: '/x' },
          { rel: 'next', href: '/x?offset=2' },
        ],
      },
      { offset: '2' },
    ],
    [{ paging: { next: { after: '9', link: 'https://gateway.example/?after=9' } } }, { after: '9' }],
    [{ next: { page: 2, limit: 2 } }, { page: '2', limit: '2' }],
    [{ response_metadata: { next_cursor: 'c' } }, { cursor: 'c' }],
    [{ result_info: { page: 1, per_page: 2, total_count: 3 } }, { page: '2', per_page: '2' }],
    [{ number: 0, size: 2, totalPages: 2, last: false }, { page: '1' }],
    [{ number: 1, size: 2, totalPages: 2, last: true }, undefined],
    [{ skip: 0, limit: 2, total: 3 }, { skip: '2' }],
    [{ start: 0, count: 2, totalCount: 3 }, { start: '2' }],
    [{ page: 1, hasMore: true }, { page: '2' }],
    [{ page: 1, next: true }, { page: '2' }],
    [{ page: 1, is_end: false }, { page: '2' }],
    [{ page: 1, total_pages: 2, is_last_page: true }, undefined],
    [{ NextMarker: 'm' }, { marker: 'm' }],
    [{ nextLink: 'https://gateway.example/v1/tasks?$skipToken=s' }, { $skipToken: 's' }],
    [{ '@odata.nextLink': '/v1/tasks?$skiptoken=s' }, { $skiptoken: 's' }],
    [{ next_page_url: 'https://gateway.example/v1/tasks?page=2' }, { page: '2' }],
  ];
  for (const [envelope, next] of pages) {
    it(`continues with ${JSON.stringify(next)} after ${JSON.stringify(envelope).slice(0, 100)}`, () => {
      assert.deepEqual(decodeTaskList({ data: tasks, ...envelope })?.next, next);
      assert.deepEqual(decodeTaskList({ data: { tasks, ...envelope } })?.next, next);
    });
  }

  it('continues with the page of a header', () => {
    const links: readonly (readonly [string, string])[] = [
      ['link', '<https://gateway.example/v1/tasks?page=1>; rel="prev", </v1/tasks?page=3>; rel="next"'],
      ['link', '</v1/tasks?page=3>; title="a, b"; rel=next'],
      ['x-next-page', '3'],
    ];
    for (const [name, value] of links) {
      assert.deepEqual(decodeTaskList(tasks, {}, { [name]: value })?.next, { page: '3' }, value);
      assert.equal(decodeTaskList([], {}, { [name]: value })?.next, undefined);
    }
    assert.equal(decodeTaskList(tasks, {}, { 'x-next-page': '' })?.next, undefined);
  });

  it('continues after an empty page with a token, but not with a number', () => {
    assert.deepEqual(decodeTaskList({ data: [], next_cursor: 'c' })?.next, { cursor: 'c' });
    assert.equal(decodeTaskList({ data: [], has_more: true, last_id: 'b' })?.next, undefined);
    assert.equal(decodeTaskList({ data: [], page: 1, size: 2, total: 5 })?.next, undefined);
  });

  it('is found under other names, and as an object by ids', () => {
    const replies: readonly object[] = [
      { asyncInvokeSummaries: tasks },
      { value: tasks },
      { content: tasks, number: 0 },
      { list: { rows: tasks } },
      { running: [tasks[0]], ended: [tasks[1]] },
      { tasks: { a: { status: 'running' }, b: { status: 'failed' } } },
      {
        requests: [
          { request_id: 'a', status: 'IN_QUEUE' },
          { request_id: 'b', status: 'FAILED' },
        ],
      },
    ];
    for (const reply of replies) {
      const read = decodeTaskList(reply)?.tasks.map(({ id, status }) => `${id} ${status}`);
      assert.deepEqual(read, ['a running', 'b failed'], JSON.stringify(reply));
    }
    for (const reply of [{ errors: [{ code: 1, message: 'No' }] }, { links: [{ rel: 'self', href: '/x' }] }])
      assert.equal(decodeTaskList(reply), undefined);
  });
});

describe('the reply to a cancel or delete request', () => {
  const replies: readonly (readonly [reply: unknown, state: string | undefined])[] = [
    [{ id: 't', status: 'cancelled' }, 'failed'],
    [{ id: 't', status: 'cancelling' }, 'running'],
    [{ id: 't', status: 'completed' }, 'completed'],
    [{ id: 't', task_id: 't', status: 'failed', cancelled: true }, 'failed'],
    [undefined, undefined],
    [{}, undefined],
    [{ request_id: 'r' }, undefined],
    [{ status: 'cancelling' }, undefined],
    [{ success: true }, undefined],
    [{ id: 't', deleted: true, object: 'video.deleted' }, undefined],
    [{ code: 200, message: 'ok' }, undefined],
  ];
  for (const [reply, state] of replies) {
    it(`is ${state ? `a record (${state})` : 'only a confirmation'}: ${JSON.stringify(reply)}`, () => {
      const snapshot = decodeTask(reply);
      assert.equal(findRefusal(snapshot), undefined);
      assert.equal(findReturnedRecord(snapshot)?.status, state);
    });
  }

  const refusals: readonly unknown[] = [
    { success: false, message: 'Too late' },
    { error: { code: 'task_not_cancellable', message: 'Too late' } },
    { error: 'Too late' },
    { code: 'UnsupportedOperation', message: 'Too late', request_id: 'r' },
    { code: 404, message: 'Too late', data: null },
    { base_resp: { status_code: 1004, status_msg: 'Too late' } },
  ];
  for (const refusal of refusals) {
    it(`is a refusal under a good status: ${JSON.stringify(refusal)}`, () => {
      assert.equal(findRefusal(decodeTask(refusal))?.gatewayMessage, 'Too late');
    });
  }

  it('is not a refusal if it is a failed task', () => {
    assert.equal(findRefusal(decodeTask({ id: 't', error: { message: 'It broke' } })), undefined);
    assert.equal(findRefusal(decodeTask({ status: 'failed', error: { message: 'It broke' } })), undefined);
  });
});
