import assert from 'node:assert/strict';
import type { RemoteTask, Task, TaskGroup } from '../../../src/tasks/record/task.ts';
import { groupTasks } from '../../../src/tasks/taskGroups.ts';

type ListOptions = Parameters<typeof groupTasks>[1];

const running: Task = {
  key: 'running',
  gateway: 'demo',
  gatewayName: 'Demo',
  prompt: 'a cat',
  model: 'film-2',
  status: 'running',
  watching: 'on',
  taskId: 'task-1',
  intendedAt: 0,
  results: [],
};
const unwatched: Task = { ...running, key: 'unwatched', watching: 'stopped' };
const intent: Task = { ...running, key: 'intent', status: 'intent', model: 'film-1' };
const completed: Task = { ...running, key: 'completed', status: 'completed', prompt: 'a Dog on a wall' };
const cancelled: Task = { ...running, key: 'cancelled', status: 'failed', failedAs: 'cancelled' };
const failed: Task = { ...running, key: 'failed', status: 'failed', rawStatus: 'EXPIRED' };

function remoteTask(id: string, change: Partial<RemoteTask> = {}): RemoteTask {
  return { id, status: 'running', results: [], raw: {}, ...change };
}

/** The tasks of each group by their keys and ids, in order. */
function listGroups(own: readonly Task[], remote: readonly RemoteTask[], change: Partial<ListOptions> = {}) {
  const options: ListOptions = {
    filter: '',
    order: 'newest',
    maxShown: () => 100,
    isInFlight: () => false,
    stateWords: () => '',
  };
  const groups = groupTasks({ own, remote }, { ...options, ...change });
  return groups.map((each): readonly [TaskGroup, number, readonly string[]] => [
    each.group,
    each.count,
    [...each.own.map(({ key }) => key), ...each.remote.map(({ id }) => id)],
  ]);
}

describe('the list of tasks', () => {
  it('has groups in a fixed order, without empty ones', () => {
    assert.deepEqual(listGroups([], []), []);
    assert.deepEqual(listGroups([cancelled, failed, completed, unwatched, intent, running], []), [
      ['running', 1, ['running']],
      ['attention', 1, ['intent']],
      ['completed', 1, ['completed']],
      ['failed', 1, ['failed']],
      ['cancelled', 1, ['cancelled']],
      ['unwatched', 1, ['unwatched']],
    ]);
  });

  it('counts a task whose request is being sent as running', () => {
    assert.deepEqual(listGroups([intent], [], { isInFlight: ({ key }) => key === 'intent' }), [
      ['running', 1, ['intent']],
    ]);
  });

  it('has tasks that only the gateway has after the own tasks of each group', () => {
    const remote = [
      remoteTask('there'),
      remoteTask('done', { status: 'completed' }),
      remoteTask('wrong', { status: 'failed' }),
      remoteTask('stopped', { status: 'failed', failedAs: 'cancelled' }),
      remoteTask('help', { status: 'failed', failedAs: 'needs-attention' }),
    ];
    assert.deepEqual(listGroups([completed, unwatched, running], remote), [
      ['running', 2, ['running', 'there']],
      ['attention', 1, ['help']],
      ['completed', 2, ['completed', 'done']],
      ['failed', 1, ['wrong']],
      ['cancelled', 1, ['stopped']],
      ['unwatched', 1, ['unwatched']],
    ]);
  });

  it('contains tasks that match every word of the filter, in any field and in any case', () => {
    const all = [running, completed, failed, cancelled];
    const listKeysBy = (filter: string) =>
      listGroups(all, [remoteTask('task-9')], { filter }).flatMap(([, , keys]) => keys);
    assert.deepEqual(listKeysBy(' DOG   wall '), ['completed']);
    assert.deepEqual(listKeysBy('dog cat'), []);
    assert.deepEqual(listKeysBy('expired'), ['failed']);
    assert.deepEqual(listKeysBy('failed'), ['failed']);
    assert.deepEqual(listKeysBy('cancelled'), ['cancelled']);
    assert.deepEqual(listKeysBy('demo film-2 running'), ['running']);
    assert.deepEqual(listKeysBy('task-9'), ['task-9']);
    assert.deepEqual(listKeysBy('task-').length, 5);
  });

  it('contains tasks whose displayed state matches the filter', () => {
    const queued: Task = { ...running, key: 'queued', rawStatus: 'PENDING' };
    const stateWords: ListOptions['stateWords'] = (task) =>
      task.rawStatus === 'PENDING' ? 'Running Queued' : 'No longer watched';
    const listGroupsBy = (filter: string) =>
      listGroups([running, queued], [remoteTask('there')], { filter, stateWords });
    assert.deepEqual(listGroupsBy('queued'), [['running', 1, ['queued']]]);
    assert.deepEqual(listGroupsBy('longer there'), [['running', 1, ['there']]]);
  });

  it('is sorted within each group, as the user chose', () => {
    const [first, second, third] = ['b', 'a', 'c'].map((model) => ({ ...running, key: model, model }));
    assert.ok(first && second && third);
    const listKeysIn = (order: ListOptions['order']) =>
      listGroups([first, second, third], [], { order })[0]?.[2];
    assert.deepEqual(listKeysIn('newest'), ['b', 'a', 'c']);
    assert.deepEqual(listKeysIn('oldest'), ['c', 'a', 'b']);
    assert.deepEqual(listKeysIn('model'), ['a', 'b', 'c']);
  });

  it('shows a limited number of tasks in a group, own tasks first, and counts all', () => {
    const own = ['1', '2', '3'].map((key) => ({ ...running, key }));
    const remote = ['4', '5'].map((id) => remoteTask(id));
    for (const [max, shown] of [
      [2, ['1', '2']],
      [4, ['1', '2', '3', '4']],
      [9, ['1', '2', '3', '4', '5']],
    ] as const) {
      assert.deepEqual(listGroups(own, remote, { maxShown: () => max }), [['running', 5, shown]]);
    }
  });
});
