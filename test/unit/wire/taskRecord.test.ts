import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseExactJson } from '../../../src/base/json.ts';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';

const url = 'https://files.example/v.mp4';

describe('the fields of a task record', () => {
  it('F60 include an id beyond 2^53 with all digits', () => {
    for (const id of ['1935639178641408000', '9007199254740993']) {
      for (const json of [`{"task_id":${id}}`, `{"data":{"task_id":${id},"status":"x"}}`, `{"id":"${id}"}`]) {
        assert.equal(decodeTask(parseExactJson(json)).id, id, json);
      }
    }
    assert.equal(decodeTask(parseExactJson('{"task_id":42}')).id, '42');
  });

  it('include a text id before a number, and the task id before the row id', () => {
    assert.equal(decodeTask({ id: 7, task_id: 't' }).id, 't');
    assert.equal(decodeTask({ data: { id: 7, task_id: 't', status: 'x' } }).id, 't');
    assert.equal(decodeTask({ id: 't', data: { task_id: 'upstream' } }).id, 't');
    assert.equal(decodeTask({ name: 'My video', task_id: 't' }).id, 't');
    assert.equal(decodeTask({ name: 'My video' }).id, undefined);
  });

  it('do not include the id of the call as the task id', () => {
    assert.equal(decodeTask({ request_id: 'r', output: { task_status: 'PENDING' } }).id, undefined);
    assert.equal(decodeTask({ request_id: 'r', code: 'Throttling', message: 'Slow' }).id, undefined);
  });

  it('do not include an invalid id', () => {
    for (const id of ['', null, {}, [], true, 'x'.repeat(2000), 1.5, Number.NaN]) {
      assert.equal(decodeTask({ task_id: id }).id, undefined);
    }
  });

  const progresses: readonly (readonly [reported: unknown, percent: number | undefined])[] = [
    [0, 0],
    [45, 45],
    [0.45, 45],
    [1, 1],
    [100, 100],
    [150, 100],
    [-1, undefined],
    ['45%', 45],
    [' 45 % ', 45],
    ['0.45', 45],
    ['0.5%', 0.5],
    ['', undefined],
    ['half', undefined],
    [null, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ];
  for (const [reported, percent] of progresses) {
    it(`F78 include a progress of ${JSON.stringify(reported)} as ${percent ?? 'unknown'}`, () => {
      assert.equal(decodeTask({ id: 't', progress: reported }).progress, percent);
      assert.equal(decodeTask({ data: { task_id: 't', percentage: reported } }).progress, percent);
      assert.equal(decodeTask({ id: 't', metadata: { progressPercent: reported } }).progress, percent);
    });
  }

  const moment = '2025-09-25T03:07:28.000Z';
  const times: readonly (readonly [reported: unknown, iso: string | undefined])[] = [
    [1_758_769_648, moment],
    [1_758_769_648_000, moment],
    ['1758769648', moment],
    ['2025-09-25T03:07:28Z', moment],
    ['2025-09-25T05:07:28+02:00', moment],
    ['2025-09-25 11:07:28.000', moment],
    ['2025-09-25 11:07:28', moment],
    ['2025-09-25T03:07:28', moment],
    [0, undefined],
    ['', undefined],
    [null, undefined],
    [-5, undefined],
    [1e300, undefined],
    ['soon', undefined],
    ['2025-99-99 99:99:99', undefined],
  ];
  for (const [reported, iso] of times) {
    it(`include a time of ${JSON.stringify(reported)} as ${iso ?? 'unknown'}`, () => {
      assert.equal(decodeTask({ id: 't', created_at: reported }).createdAt?.toISOString(), iso);
      assert.equal(
        decodeTask({ output: { task_id: 't', submit_time: reported } }).createdAt?.toISOString(),
        iso,
      );
      assert.equal(decodeTask({ id: 't', updateTime: reported }).updatedAt?.toISOString(), iso);
      assert.equal(
        decodeTask({ id: 't', status: 'done', end_time: reported }).finishedAt?.toISOString(),
        iso,
      );
      assert.equal(decodeTask({ id: 't', expires_at: reported }).expiresAt?.toISOString(), iso);
    });
  }

  it('do not include a finishing time for a running task', () => {
    assert.equal(
      decodeTask({ id: 't', status: 'running', completed_at: 1_758_769_648 }).finishedAt,
      undefined,
    );
  });

  it('include the first expiry time of the results, from their address or the record', () => {
    const signed = 'https://files.example/v?X-Amz-Date=20250925T030728Z&X-Amz-Expires=3600';
    const expiry = (record: object) =>
      decodeTask({ id: 't', status: 'done', ...record }).expiresAt?.toISOString();
    assert.equal(expiry({ video_url: signed }), '2025-09-25T04:07:28.000Z');
    assert.equal(expiry({ video_url: `${url}?Expires=1758769648&Signature=x` }), moment);
    assert.equal(expiry({ video_url: signed, expires_at: 1_758_769_648 }), moment);
    assert.equal(expiry({ output: [{ url, expireAt: 1_758_769_648 }] }), moment);
    assert.equal(expiry({ video_url: url }), undefined);
    assert.equal(expiry({ video_url: `${url}?Expires=never` }), undefined);
  });

  const addresses: readonly (readonly [reported: string, result: string | undefined])[] = [
    [url, url],
    ['http://files.example/v', 'http://files.example/v'],
    ['gs://bucket/v.mp4', 'gs://bucket/v.mp4'],
    ['data:video/mp4;base64,dmlk', 'data:video/mp4;base64,dmlk'],
    ['/v1/videos/1/content', 'https://gateway.example/v1/videos/1/content'],
    ['//evil.example/v', undefined],
    ['/\\evil.example/v', undefined],
    ['javascript:alert(1)', undefined],
    ['file:///etc/passwd', undefined],
    ['data:text/html,x', undefined],
    ['command:x', undefined],
    ['https://', undefined],
    ['v.mp4', undefined],
    ['', undefined],
  ];
  for (const [reported, result] of addresses) {
    it(`F79 ${result ? 'include' : 'do not include'} the address ${JSON.stringify(reported)} as a result`, () => {
      const { results } = decodeTask(
        { id: 't', status: 'completed', video_url: reported },
        { baseUrl: 'https://gateway.example/below' },
      );
      assert.deepEqual(
        results.map((each) => each.url),
        result === undefined ? [] : [result],
      );
    });
  }

  it('F79 do not include a relative address without a gateway', () => {
    assert.deepEqual(decodeTask({ id: 't', status: 'done', video_url: '/v1/content' }).results, []);
  });

  it('include a result under any of its names, but not the address of the record', () => {
    const self = 'https://gateway.example/v1/tasks/t';
    const records = [
      { generations: [{ url }] },
      { artifacts: [{ uri: url }] },
      { media: [{ url }] },
      { output_url: url },
      { download_url: url },
      { video: { downloadUrl: url } },
      { video_urls: [url] },
      { urls: [url] },
      { result: { sample: url } },
      { result: { mp4_url: url } },
      { url: self, urls: { get: self, cancel: `${self}/cancel` }, file_url: url },
      { url: `${self}#x`, media: [{ url }] },
    ];
    for (const record of records) {
      const { results } = decodeTask(
        { id: 't', status: 'completed', ...record },
        { baseUrl: 'https://gateway.example' },
      );
      assert.deepEqual(
        results.map((result) => result.url),
        [url],
        JSON.stringify(record),
      );
    }
  });

  it('do not include covers, first frames and inputs as results', () => {
    const other = 'https://files.example/other';
    const record = {
      id: 't',
      status: 'completed',
      input: { image_url: other },
      request: { video_url: other },
      output: {
        cover_url: other,
        thumbnail: other,
        poster: other,
        first_frame_url: other,
        last_frame_url: other,
      },
    };
    assert.deepEqual(decodeTask(record).results, []);
    assert.deepEqual(decodeTask({ ...record, video_url: url }).results, [{ url }]);
  });

  const own = 'https://gateway.example/v1/tasks/t';
  const ignoredFields: Readonly<Record<string, object>> = {
    'the address of the record': { url: own },
    'a relative address of the record': { url: '/v1/videos/t?full=1' },
    'the address of the record at the provider': { url: 'https://api.provider.example/v2/predictions/t' },
    'the addresses for reading, cancelling and watching the task': {
      polling_url: own,
      status_url: `${own}/status`,
      cancel_url: `${own}/cancel`,
      self: own,
      urls: { get: own, cancel: `${own}/cancel`, stream: `${own}/stream` },
      links: { self: own },
      url: `${own}/cancel`,
    },
    'the user’s metadata': { metadata: { url: 'https://user.example/mine' } },
    'callback addresses': { webhook_url: 'https://user.example/hook', callback: 'https://user.example/hook' },
    'preview pictures': {
      cover_url: 'https://files.example/c.png',
      thumbnail_url: 'https://files.example/t.png',
      images: [{ url: 'https://files.example/p.png', type: 'preview' }],
      image_url: 'https://files.example/still.png',
    },
    'the inputs': {
      input: { video_url: 'https://user.example/mine' },
      first_frame_url: 'https://user.example/f',
      content: [
        { type: 'text', text: 'a cat' },
        { type: 'input_image', image_url: 'https://user.example/mine' },
        { type: 'image', role: 'first_frame', url: 'https://user.example/mine' },
        { role: 'user', content: [{ type: 'video', url: 'https://user.example/mine' }] },
      ],
    },
  };
  const resultFields: Readonly<Record<string, object>> = {
    'output.video_url': { output: { video_url: url } },
    'output as an address': { output: url },
    'output as a list': { output: [url] },
    'outputs by kind': {
      outputs: [
        { type: 'thumbnail', url: 'https://files.example/t.png' },
        { type: 'video', url },
      ],
    },
    'result.videos': { result: { videos: [{ url: [url], cover_url: 'https://files.example/c.png' }] } },
    video_url: { video_url: url },
    unsigned_urls: { unsigned_urls: [url] },
    'files[].file_url': { files: [{ file_url: url }] },
    'steps[].content[].uri': {
      steps: [{ type: 'model_output', content: [{ type: 'video', uri: url }] }],
    },
  };
  for (const [name, otherFields] of Object.entries(ignoredFields)) {
    it(`include the created result, but not ${name}`, () => {
      for (const [name, fields] of Object.entries(resultFields)) {
        const record = { ...otherFields, ...fields, id: 't', status: 'completed' };
        for (const reply of [record, { code: 200, data: record }, { ...otherFields, task: record }]) {
          const { results } = decodeTask(reply, { baseUrl: 'https://gateway.example/' });
          assert.deepEqual(results, [{ url }], name);
        }
      }
    });
  }

  it('include an address that only resembles that of the record', () => {
    const context = { baseUrl: 'https://gateway.example/' };
    for (const link of [
      'https://gateway.example/v1/videos/t/content',
      'https://gateway.example/files/t.mp4',
      'https://cdn.example/outputs/t',
      'https://gateway.example/v1/files/other',
    ]) {
      const { results } = decodeTask({ id: 't', status: 'completed', url: link }, context);
      assert.deepEqual(results, [{ url: link }]);
    }
    assert.deepEqual(decodeTask({ id: 't', status: 'completed', url: own }, context).results, []);
  });

  it('T24 F60 are read from any JSON without a crash or a changed prototype', () => {
    const members = fc.constantFrom(
      'id',
      'task_id',
      'status',
      'data',
      'output',
      'result',
      'results',
      'video',
      'error',
      'progress',
      'created_at',
      'steps',
      'done',
      '__proto__',
      'constructor',
      'toString',
    );
    const { record } = fc.letrec<{ record: unknown; value: unknown }>((tie) => ({
      record: fc.dictionary(members, tie('value'), { maxKeys: 6 }),
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('failed', url, '45%', '{"a":', '[[', null, true, 1e308, -1, 7, ''),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('record'),
      ),
    }));
    fc.assert(
      fc.property(record, (value) => {
        const { status } = decodeTask(JSON.parse(JSON.stringify(value)), {
          baseUrl: 'https://gateway.example',
        });
        assert.ok(['running', 'completed', 'failed'].includes(status));
      }),
      { numRuns: 500 },
    );
    const deep = `${'{"output":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const nestedText = Array.from({ length: 20 }).reduce<string>((text) => JSON.stringify([text]), url);
    decodeTask(parseExactJson(deep));
    decodeTask(
      parseExactJson(`{"task_id":12345678901234567890,"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
    );
    decodeTask({ id: 't', output: nestedText });
    decodeTask(JSON.parse('{"__proto__":{"status":"failed"},"id":"t"}'));
    assert.equal('status' in {}, false);
  });
});
