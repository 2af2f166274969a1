import assert from 'node:assert/strict';
import fc from 'fast-check';
import { answeredRecord, refusalIn, refusedAct } from '../../../src/wire/apis/taskRecord/answer.ts';
import { decodeTask } from '../../../src/wire/apis/taskRecord/decode.ts';
import { decodeTaskList } from '../../../src/wire/apis/taskRecord/list.ts';
import { readBareId, unusableId } from '../../../src/wire/apis/taskRecord/names.ts';
import { objectsOf } from '../../../src/wire/apis/taskRecord/objects.ts';
import { taskText } from '../../../src/wire/apis/taskRecord/text.ts';

/** All that is read of a reply about tasks. */
function readAll(json: string): void {
  const value = JSON.parse(json);
  const task = decodeTask(value);
  refusalIn(task, 'a');
  refusedAct(task, 'cancel');
  refusedAct(task, 'delete');
  answeredRecord(task);
  readBareId(value);
  unusableId(objectsOf(value));
  taskText(value);
  decodeTaskList(value);
}

describe('F39 a reply about tasks, whatever it holds', () => {
  it('is read where a value has no text of its own', () => {
    for (const strange of ['{"toString":1}', '[{"toString":null,"valueOf":null}]']) {
      readAll(`{"id":"a","status":"completed","results":[{"type":${strange},"data":"aGk="}]}`);
      readAll(`{"deleted":${strange},"cancelled":${strange}}`);
      readAll(`{"status":"running","error":{"code":${strange},"message":"No."}}`);
      readAll(`{"done":true,"response":{"generateVideoResponse":{"raiMediaFilteredCount":${strange}}}}`);
    }
  });

  it('is read however deeply it is nested', () => {
    const depth = 50_000;
    for (const member of ['error', 'errors', 'data', 'results', 'outputs', 'status', 'message']) {
      readAll(`{"${member}":${'['.repeat(depth)}1${']'.repeat(depth)}}`);
      readAll(`${`{"${member}":`.repeat(depth)}1${'}'.repeat(depth)}`);
    }
  });

  it('is read where its id ends in half a character', () => {
    readAll('{"id":"\\ud800","url":"https://files.example/a.mp4"}');
  });

  it('is read without an error', () => {
    const member = fc.constantFrom(
      ...['id', 'task_id', 'status', 'task_status', 'done', 'error', 'errors', 'code', 'message', 'type'],
      ...[
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
      ],
      ...[
        'cancelled',
        'success',
        'base_resp',
        'response',
        'expires_at',
        'created_at',
        'tasks',
        'next_cursor',
      ],
    );
    const scalar = fc.constantFrom(
      ...[
        '{"toString":1}',
        '{"__proto__":{"polluted":1}}',
        '"constructor"',
        '"\\ud800"',
        '1e400',
        '-1',
        '401',
      ],
      ...['null', 'true', '""', '"failed"', '"completed"', '"aGk="', '"https://files.example/a.mp4"'],
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
    fc.assert(fc.property(value, readAll), { numRuns: 2000 });
    assert.equal('polluted' in {}, false);
  });
});
