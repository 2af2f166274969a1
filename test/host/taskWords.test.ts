import assert from 'node:assert/strict';
import { failureMessage } from '../../src/host/connection/failureMessage.ts';
import { createTaskView } from '../../src/host/tasks/task/taskView.ts';
import type { Task, TaskHistory } from '../../src/tasks/record/task.ts';
import { toProblem } from '../../src/tasks/record/taskProblem.ts';
import { explain } from '../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../src/wire/failures/gatewayError.ts';

const task: Task = {
  key: 'k',
  gateway: 'demo',
  gatewayName: 'Demo',
  route: 'interactions',
  prompt: 'A cat',
  watching: 'on',
  status: 'completed',
  taskId: 'task-1',
  intendedAt: 0,
  rawStatus: 'SUCCEEDED',
  results: [],
};

const history: TaskHistory = {
  request: {
    model: 'film',
    input: 'A cat',
    background: true,
    service_tier: 'flex',
    response_format: { type: 'video', aspect_ratio: '16:9' },
    generation_config: { video_config: { task: 'text_to_video' } },
  },
  statusChanges: [
    { at: 0, status: 'intent' },
    { at: 1, status: 'submitting' },
    { at: 2, status: 'running', rawStatus: 'PENDING' },
    { at: 3, status: 'running', rawStatus: 'in_progress' },
    { at: 4, status: 'running', rawStatus: 'running' },
    { at: 5, status: 'completed', rawStatus: 'SUCCEEDED' },
  ],
  failedPolls: [],
};

function view(change: Partial<Task> = {}, { statusChanges } = history) {
  const context = {
    isInFlight: false,
    progress: undefined,
    media: () => undefined,
    received: () => undefined,
  };
  return createTaskView({ ...task, ...change }, { ...history, statusChanges }, context);
}

describe('the text of the task page', () => {
  it('names the fields as the Generate form does, next to the values as they were sent', () => {
    const { recipe } = view();
    const entry = (name: string) => recipe.find((each) => each.name === name);
    assert.equal(entry('response_format.aspect_ratio')?.label, 'Aspect ratio');
    const kind = entry('generation_config.video_config.task');
    assert.deepEqual([kind?.value, kind?.sent], ['Text to video', 'text_to_video']);
    assert.deepEqual([entry('background')?.value, entry('background')?.sent], ['Yes', 'true']);
    assert.equal(entry('service_tier')?.label, 'Service tier');
    for (const name of ['model', 'input', 'response_format.type']) assert.equal(entry(name), undefined, name);
  });

  it('has one entry per state in our own words, and no tick without a result', () => {
    const { timeline, tile } = view();
    assert.deepEqual(
      timeline.map(({ label, appearance, reportedStatuses }) => [label, appearance, reportedStatuses]),
      [
        ['Submitted', 'running', undefined],
        ['Queued', 'queued', 'Reported by the gateway: “PENDING”'],
        ['Running', 'running', 'Reported by the gateway: “in_progress”, “running”'],
        ['Completed', 'empty', 'Reported by the gateway: “SUCCEEDED”'],
      ],
    );
    assert.deepEqual(
      [tile.appearance, tile.reportedStatus],
      ['empty', 'Reported by the gateway: “SUCCEEDED”'],
    );
    const saved = view({ results: [{ index: 0, state: 'saved', url: '' }] });
    assert.equal(saved.tile.appearance, 'completed');
    assert.equal(view({ results: [{ index: 0, state: 'failed', url: '' }] }).tile.appearance, 'attention');
  });

  it('never shows Running before Queued for interactions, whose first reply is always in progress', () => {
    const statusChanges: TaskHistory['statusChanges'] = [
      { at: 1, status: 'submitting' },
      { at: 2, status: 'running', rawStatus: 'in_progress' },
      { at: 3, status: 'running', rawStatus: 'queued' },
      { at: 4, status: 'running', rawStatus: 'running' },
    ];
    const shown = (change: Partial<Task>) =>
      view({ status: 'running', ...change }, { ...history, statusChanges }).timeline.map(
        ({ label, at }) => `${label} ${at}`,
      );
    assert.deepEqual(shown({}), ['Submitted 1', 'Queued 2', 'Running 4']);
    const again = shown({ route: 'videoSynthesis' });
    assert.deepEqual(again, ['Submitted 1', 'Running 2', 'Queued 3', 'Running 4'], 'others queue it again');
  });

  it('ends the task at the time the gateway reported, not at the time of the poll', () => {
    const { timeline, durationMs } = view({ submittedAt: 1, endedAt: 4 });
    assert.equal(timeline.at(-1)?.at, 4);
    assert.equal(durationMs, 3);
  });

  it('shows a refused request as the chat does, with remedies and a button for the request', () => {
    const error = new GatewayError({
      kind: 'invalid-parameters',
      explanation: explain('request-refused', { httpStatus: 400 }),
      requestedAt: new Date(0),
      requestId: 'r',
      gatewayMessage: 'Too wide.',
      field: 'parameters.size',
      status: 400,
    });
    const { notice } = view({ status: 'refused', problem: toProblem(error) });
    const { sentence, quote } = failureMessage(error);
    assert.equal(notice?.detail, `${sentence} ${quote} Nothing was billed.`);
    assert.deepEqual(
      notice?.buttons.map(({ action }) => action),
      ['show-field', 'open-request'],
    );
    const denied = new GatewayError({
      kind: 'authentication',
      explanation: explain('credential-refused', { httpStatus: 401 }),
      requestedAt: new Date(0),
      requestId: 'r',
      status: 401,
    });
    assert.deepEqual(
      view({ status: 'refused', problem: toProblem(denied) }).notice?.buttons.map(({ action }) => action),
      ['set-credential', 'check-connection', 'open-request'],
    );
  });

  it('does not repeat itself in the reason of a failed task', () => {
    const detail = (message: string, code?: string) =>
      view({ status: 'failed', problem: { message, ...(code && { code }) } }).notice?.detail;
    assert.equal(
      detail('Held back: content policy violation', 'content_policy_violation'),
      'Held back: content policy violation.',
    );
    assert.equal(detail('Held back.', 'policy'), 'Held back (policy).');
    assert.match(detail('Task failed') ?? '', /did not give a reason/);
  });
});
