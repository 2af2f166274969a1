import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decodeTask.ts';
import { decodeTaskList } from '../../../src/wire/apis/taskRecord/decodeTaskList.ts';
import { findTaskObjects } from '../../../src/wire/apis/taskRecord/recordObjects.ts';
import {
  findChangeFailure,
  findRefusal,
  findReturnedRecord,
  reportsMissingTask,
} from '../../../src/wire/apis/taskRecord/refusal.ts';
import { findRecordIdProblem, readBareId } from '../../../src/wire/apis/taskRecord/taskId.ts';
import { readTaskText } from '../../../src/wire/apis/taskRecord/taskText.ts';
import { assertLinear } from '../../support/linearCost.ts';

/** Everything that is read from a reply about tasks. */
function readAll(json: string, link = ''): void {
  readValue(JSON.parse(json), json, link);
}

function readValue(value: unknown, json: string, link = ''): void {
  const task = decodeTask(value);
  findRefusal(task, 'a');
  findChangeFailure(task, 'cancel');
  findChangeFailure(task, 'delete');
  findReturnedRecord(task);
  readBareId(value);
  findRecordIdProblem(findTaskObjects(value));
  readTaskText(value);
  decodeTaskList(value, {}, { link });
  reportsMissingTask(json, 'a');
}

/** Every kind of member that is read, each with the same text. */
const members = [
  'id',
  'task_id',
  'request_id',
  'name',
  'status',
  'state',
  'task_status',
  'progress',
  'percent',
  'created',
  'updated_at',
  'finished_at',
  'expires_at',
  'error',
  'fail_reason',
  'message',
  'msg',
  'code',
  'data',
  'result',
  'results',
  'output',
  'url',
  'video_url',
  'content',
  'resultJson',
  'deleted',
  'next',
  'cursor',
  'type',
  'mime_type',
  'task',
  'text',
  'output_text',
  'total',
  'page',
  'base_resp',
  'error_message',
];
const texts: Record<string, (n: number) => string> = {
  'inner white space': (n) => `5${' '.repeat(n)}x`,
  'leading white space': (n) => `${' '.repeat(n)}x`,
  'inner line ends': (n) => `5${'\n'.repeat(n)}%x`,
  digits: (n) => '7'.repeat(n),
  'state words': (n) => 'TaskState_'.repeat(n),
  'capital letters': (n) => 'aB'.repeat(n),
  addresses: (n) => `https://${'a/'.repeat(n)}`,
  'repeated addresses': (n) => 'https://a '.repeat(n),
  'data in base64': (n) => `${'a='.repeat(n)}!`,
  'data addresses': (n) => `data:video/mp4;base64,${', '.repeat(n)}x`,
  'words of missing tasks': (n) => 'task not been 已经'.repeat(n),
  dates: (n) => `2026-01-01 00:00${'+'.repeat(n)}`,
  brackets: (n) => '[{"a":'.repeat(n),
};

describe('F39 a hostile reply about tasks', function () {
  this.timeout(60_000);

  it('is read if a value has no text form', () => {
    for (const strange of ['{"toString":1}', '[{"toString":null,"valueOf":null}]']) {
      readAll(`{"id":"a","status":"completed","results":[{"type":${strange},"data":"aGk="}]}`);
      readAll(`{"deleted":${strange},"cancelled":${strange}}`);
      readAll(`{"status":"running","error":{"code":${strange},"message":"No."}}`);
      readAll(`{"done":true,"response":{"generateVideoResponse":{"raiMediaFilteredCount":${strange}}}}`);
    }
  });

  it('has no time if its seconds are neither a number nor text, and no fraction if its nanoseconds are not', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const createdAt = (time: string) => decodeTask(JSON.parse(`{"id":"a","created_at":${time}}`)).createdAt;
    for (const strange of ['{"toString":1}', deep]) {
      assert.equal(createdAt(`{"seconds":${strange}}`), undefined);
      assert.equal(createdAt(`{"_seconds":${strange},"nanos":1}`), undefined);
      const time = createdAt(`{"seconds":"1700000000","nanos":${strange}}`);
      assert.equal(time?.toISOString(), '2023-11-14T22:13:20.000Z');
    }
  });

  it('is read at any depth', () => {
    const depth = 50_000;
    for (const member of ['error', 'errors', 'data', 'results', 'outputs', 'status', 'message']) {
      readAll(`{"${member}":${'['.repeat(depth)}1${']'.repeat(depth)}}`);
      readAll(`${`{"${member}":`.repeat(depth)}1${'}'.repeat(depth)}`);
    }
  });

  for (const [name, text] of Object.entries(texts)) {
    it(`P9 is read in linear time with ${name}`, () => {
      const record = (n: number) => Object.fromEntries(members.map((name) => [name, text(n)]));
      const task = (n: number) => ({ id: 'a', status: 'failed', ...record(n), output: record(n) });
      const few = (n: number) => ({ id: 'a', status: 'x', progress: text(n) });
      for (const [make, size] of [
        [task, 1_000],
        [few, 10_000],
      ] as const)
        assertLinear(
          (n) => ({ value: make(n), text: text(n) }),
          (input) => readValue(input.value, input.text),
          size,
        );
    });
  }

  it('P9 is read in linear time with a long Link header', () => {
    for (const part of ['<', '<a>; ', '<a>; rel', '<a>;rel="next'])
      assertLinear(
        (n) => part.repeat(n),
        (link) => readAll('[]', link),
      );
  });

  it('is read if its id ends in half a surrogate pair', () => {
    readAll('{"id":"\\ud800","url":"https://files.example/a.mp4"}');
  });

  it('is read without an error', () => {
    const member = fc.constantFrom(
      'id',
      'task_id',
      'status',
      'task_status',
      'done',
      'error',
      'errors',
      'code',
      'message',
      'type',
      'data',
      'result',
      'results',
      'output',
      'outputs',
      'video',
      'url',
      'mime_type',
      'progress',
      'deleted',
      'cancelled',
      'success',
      'base_resp',
      'response',
      'expires_at',
      'created_at',
      'tasks',
      'next_cursor',
    );
    const scalar = fc.constantFrom(
      '{"toString":1}',
      '{"__proto__":{"polluted":1}}',
      '"constructor"',
      '"\\ud800"',
      '1e400',
      '-1',
      '401',
      'null',
      'true',
      '""',
      '"failed"',
      '"completed"',
      '"aGk="',
      '"https://files.example/a.mp4"',
    );
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join()}]`),
        fc
          .array(fc.tuple(member, tie('value')), { maxLength: 6 })
          .map((members) => `{${members.map(([name, inner]) => `"${name}":${inner}`).join()}}`),
      ),
    }));
    fc.assert(
      fc.property(value, (json) => readAll(json)),
      { numRuns: 2000 },
    );
    assert.equal('polluted' in {}, false);
  });
});
