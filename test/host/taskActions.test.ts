import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandName } from '../../src/host/kit/manifest/contributions.ts';
import { findCommand, listActions, rankActions } from '../../src/host/tasks/task/taskActions.ts';
import type { Task } from '../../src/tasks/record/task.ts';

interface MenuItem {
  readonly command: string;
  readonly when: string;
}

const task: Task = {
  key: 'k',
  gateway: 'demo',
  gatewayName: 'Demo',
  route: 'videoSynthesis',
  prompt: '',
  watching: 'on',
  status: 'running',
  taskId: 'task-1',
  requestId: 'r',
  intendedAt: 0,
  results: [],
};

describe('the actions of tasks', () => {
  it('have the same ids and commands as the manifest’s menus', () => {
    const extension = vscode.extensions.getExtension('model-gateway.model-gateway');
    const items: readonly MenuItem[] = extension?.packageJSON.contributes.menus['view/item/context'];
    const ofTasks = items.filter(({ when }) => when.startsWith('view == modelGateway.tasks'));
    const shown = ofTasks.flatMap(({ command, when }) => {
      const [, action] = /viewItem =~ \/\(\^\| \)([\w-]+)\( \|\$\)\//.exec(when) ?? [];
      return action === undefined || action === 'task' ? [] : [[action, command]];
    });
    assert.ok(shown.length > 10);
    for (const [action = '', command] of shown) {
      const known = findCommand(action);
      const expected = known && commandName(known);
      assert.equal(
        expected,
        command,
        `package.json shows ${command} by the action ${action}, which runs ${expected}`,
      );
    }
  });

  it('T13 have no command for an unknown id', () => {
    assert.equal(findCommand('cancel'), 'tasks.cancel');
    for (const word of ['toString', '__proto__', 'tasks.cancel', ''])
      assert.equal(findCommand(word), undefined);
  });

  it('start with the likeliest one', () => {
    const getMainActions = (change: Partial<Task>) => rankActions({ ...task, ...change }, false).main;
    assert.deepEqual(getMainActions({}), ['cancel', 'watch-now']);
    assert.deepEqual(getMainActions({ watching: 'timed-out' }), ['resume', 'watch-now']);
    assert.deepEqual(getMainActions({ status: 'intent' }), ['send', 'discard']);
    assert.deepEqual(getMainActions({ status: 'unknown' }), ['find']);
    assert.deepEqual(getMainActions({ status: 'failed' }), ['run-again']);
    const results = [{ index: 0, state: 'saved', url: '' }] as const;
    assert.deepEqual(getMainActions({ status: 'completed', results }), ['save', 'run-again']);
  });

  it('do not change a request that is being sent', () => {
    assert.deepEqual(listActions({ ...task, status: 'submitting' }, true), [
      'copy-request-id',
      'copy-request',
    ]);
    assert.deepEqual(rankActions({ ...task, status: 'submitting' }, true).main, []);
  });
});
