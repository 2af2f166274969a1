import assert from 'node:assert/strict';
import { isObject, type JsonObject, parseExactJson } from '../../src/base/json.ts';
import { type ReportedResult, readReportedState } from '../../src/localGateway/tasks/upstreamTask.ts';
import { decodeTask } from '../../src/wire/apis/taskRecord/decodeTask.ts';
import { decodeTaskList } from '../../src/wire/apis/taskRecord/decodeTaskList.ts';
import { readDurationAndCost } from '../../src/wire/apis/taskRecord/durationAndCost.ts';
import { findTaskObjects } from '../../src/wire/apis/taskRecord/recordObjects.ts';
import {
  findChangeFailure,
  findRefusal,
  findReturnedRecord,
  reportsMissingTask,
} from '../../src/wire/apis/taskRecord/refusal.ts';
import type { TaskSnapshot } from '../../src/wire/apis/taskRecord/snapshot.ts';
import { findIdProblem, findRecordIdProblem, readBareId } from '../../src/wire/apis/taskRecord/taskId.ts';
import { readTaskText } from '../../src/wire/apis/taskRecord/taskText.ts';
import { type TaskFormat, taskRecordFormats } from '../../src/wire/apis/taskRecordFormats.ts';
import { readErrorBody } from '../../src/wire/failures/errorBody.ts';
import { readFailureReplies } from '../support/failureReplies.ts';
import {
  assertFailure,
  assertPrototypesUnchanged,
  assertSame,
  readFixtureLines,
} from '../support/fuzzing.ts';

/** Recorded task records, and bodies of failures, which take their place. */
export function seeds(): readonly string[] {
  const records = readFixtureLines('taskRecords.jsonl').map(
    (line) => JSON.parse(line) as { record: unknown },
  );
  const failures = [...readFailureReplies()].map(({ body }) => body).filter(({ length }) => length < 4_096);
  return [...records.map(({ record }) => JSON.stringify(record)), ...failures];
}

const baseUrl = 'https://gateway.example/v1';

/** The readers of task records, of lists of them, and of errors in their place. */
export function fuzz(data: Buffer): void {
  const text = data.toString();
  checkError(text);
  const reply = parseExactJson(text);
  if (reply !== undefined) {
    const before = JSON.stringify(reply);
    checkTask(reply);
    checkList(reply);
    if (isObject(reply)) for (const format of formats) checkServed(format, reply);
    assert.equal(JSON.stringify(reply), before, 'the record was changed');
  }
  assertPrototypesUnchanged();
}

function checkError(text: string): void {
  const { message = '', words, retryDelayMs = 0 } = readErrorBody(text);
  assert.equal(typeof message, 'string');
  for (const word of words) assert.match(word, /^[\w.:-]{1,128}$/);
  assert.ok(Number.isFinite(retryDelayMs) && retryDelayMs >= 0);
  reportsMissingTask(text, 'task_1');
}

function checkTask(reply: unknown): void {
  const task = decodeTask(reply, { httpStatus: 200, baseUrl });
  checkSnapshot(task);
  assertSame(
    decodeTask(structuredClone(reply), { httpStatus: 200, baseUrl }),
    task,
    'depends on earlier reads',
  );
  for (const failure of [
    findRefusal(task, 'a'),
    findChangeFailure(task, 'cancel'),
    findChangeFailure(task, 'delete'),
  ])
    if (failure) assertFailure(failure);
  const bareId = readBareId(reply);
  if (bareId !== undefined) assert.equal(findIdProblem(bareId), undefined);
  findRecordIdProblem(findTaskObjects(reply));
  findReturnedRecord(task);
  assert.equal(typeof readTaskText(reply), 'string');
  for (const figure of Object.values(readDurationAndCost(reply)))
    assert.ok(Number.isFinite(figure) && figure >= 0);
}

function checkSnapshot(task: TaskSnapshot): void {
  const { id, status, failedAs, progress = 0, results, unsureResults = [], error = {} } = task;
  if (id !== undefined) assert.equal(findIdProblem(id), undefined, 'the id cannot be sent');
  assert.ok(['running', 'completed', 'failed'].includes(status));
  assert.ok(failedAs === undefined || status === 'failed');
  assert.ok(progress >= 0 && progress <= 100, `progress ${progress}`);
  assert.ok(status !== 'running' || results.length === 0);
  for (const { url, expiresAt } of [...results, ...unsureResults]) {
    assert.match(url, /^(?:https?:\/\/|gs:\/\/|data:)/i);
    assert.ok(!/^https?:/i.test(url) || URL.canParse(url), url);
    checkTime(expiresAt);
  }
  for (const time of [task.createdAt, task.updatedAt, task.finishedAt, task.expiresAt]) checkTime(time);
  for (const text of [error.message, error.code, task.rawStatus])
    assert.ok(text === undefined || typeof text === 'string');
}

function checkTime(time: Date | undefined): void {
  if (time) assert.ok(Number.isFinite(time.getTime()), 'an invalid date');
}

function checkList(reply: unknown): void {
  const headers = { link: '<https://gateway.example/v1/tasks?cursor=a>; rel="next"' };
  const page = decodeTaskList(reply, { httpStatus: 200, baseUrl }, headers);
  for (const task of page?.tasks ?? []) checkSnapshot(task);
  for (const value of Object.values(page?.next ?? {})) assert.equal(typeof value, 'string');
}

const formats = Object.keys(taskRecordFormats) as readonly TaskFormat[];

/** The local gateway's reading of a record of an upstream. */
function checkServed(format: TaskFormat, record: JsonObject): void {
  const { readId, replaceId, readPrompt } = taskRecordFormats[format];
  assert.ok(readPrompt(record).length <= 2_000);
  if (readId(record) !== undefined) assert.equal(readId(replaceId(record, 'task_own')), 'task_own');
  const before = { format, createdAt: 0, report: { progress: 0, results: [] } };
  const state = readReportedState(record, before, 1_000, ['https://upstream.example']);
  if (!state) return;
  assert.ok(state.report.progress >= 0 && state.report.progress <= 100);
  for (const result of state.report.results) checkResult(result);
}

function checkResult({ url, expiresAt }: ReportedResult): void {
  assert.ok(url === undefined || typeof url === 'string');
  assert.ok(expiresAt === undefined || Number.isFinite(expiresAt));
}
