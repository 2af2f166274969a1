import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import type { Connection } from '../../src/host/connection/connection.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { RemoteTasks } from '../../src/host/tasks/remoteTasks.ts';
import { listActions } from '../../src/host/tasks/task/taskActions.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import { createRemoteItem } from '../../src/host/tasks/task/taskTreeItems.ts';
import { createTaskView } from '../../src/host/tasks/task/taskView.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { Ledger } from '../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations } from '../../src/tasks/ledger/ledgerSchema.ts';
import type { Task } from '../../src/tasks/record/task.ts';
import type { TaskRequest } from '../../src/tasks/taskService.ts';
import { answerDialogs, answerDialogsInTurn } from '../support/dialogs.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';

describe('tasks', () => {
  let services: Services;

  before(async () => {
    services = await getServices();
    await services.gateways.setCurrent(localEntry.name);
    await services.connection.refresh();
    await getSettings().update('tasks.interval', 1, vscode.ConfigurationTarget.Global);
  });

  after(async () => {
    await getSettings().update('tasks.interval', undefined, vscode.ConfigurationTarget.Global);
  });

  it('that make a video with the demo are saved and shown as completed', async () => {
    const task = await createTask(services, 'A red kite. Take 1 second.');
    await waitUntilSettled(services, task.key);
    const { status, results, requestId, taskId } = getTask(services, task.key);
    assert.equal(status, 'completed');
    assert.ok(requestId && taskId);
    const [result] = results;
    assert.equal(result?.state, 'saved');
    const bytes = await readFile(result?.path ?? '');
    assert.equal(bytes.toString('latin1', 4, 8), 'ftyp');
    const recipe = JSON.parse(await readFile(`${result?.path}.json`, 'utf8'));
    assert.equal(recipe.model, 'demo/video');
    assert.equal(recipe.taskId, taskId);
    assert.ok(
      listRows(services).some((row) => /^Completed: A red kite.* · saved · demo\/video$/.test(row)),
      listRows(services).join('\n'),
    );
  });

  it('that are interactions without background are saved too', async () => {
    const request = {
      model: 'demo/video',
      input: 'A harbour. Take 1 second.',
      response_format: { type: 'video', aspect_ratio: '9:16' },
      background: false,
    };
    const task = await createTask(services, 'A harbour', { route: 'interactions', request });
    await waitUntilSettled(services, task.key);
    const { status, results } = getTask(services, task.key);
    assert.equal(status, 'completed');
    assert.deepEqual(
      results.map(({ state, url }) => [state, url]),
      [['saved', 'inline']],
    );
  });

  it('save their results into the folder the user chose', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'results-'));
    await getSettings().update('tasks.resultsFolder', folder, vscode.ConfigurationTarget.Global);
    try {
      const task = await createTask(services, 'A blue hour. Take 1 second.');
      await waitUntilSettled(services, task.key);
      assert.equal(dirname(getTask(services, task.key).results[0]?.path ?? ''), folder);
    } finally {
      await getSettings().update('tasks.resultsFolder', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('F70 are created once per submission token', async () => {
    const submissionToken = randomUUID();
    const order = createOrder('Twice? Take 1 second.');
    const first = await services.tasks.create(order, submissionToken, 1);
    const second = await services.tasks.create(order, submissionToken, 1);
    assert.deepEqual([first.length, second.length], [1, 0]);
    await waitUntilSettled(services, first[0]?.key ?? '');
  });

  it('that the gateway refuses store the reason', async () => {
    const task = await createTask(services, 'Fail with 429');
    await waitForStatus(services, task.key, 'refused');
    assert.ok(getTask(services, task.key).problem?.message);
  });

  it('that fail store the reason', async () => {
    const task = await createTask(services, 'Fail with content filter. Take 1 second.');
    await waitForStatus(services, task.key, 'failed');
    assert.ok(getTask(services, task.key).problem?.message);
  });

  it('are cancelled at the gateway while they run, and read again', async () => {
    const task = await createTask(services, 'Take 60 seconds');
    await waitForStatus(services, task.key, 'running');
    await vscode.commands.executeCommand('modelGateway.tasks.cancel', { kind: 'task', key: task.key });
    const { status, failedAs } = getTask(services, task.key);
    assert.deepEqual([status, failedAs], ['failed', 'cancelled']);
    const history = services.tasks.readHistory(task.key);
    assert.ok(history);
    const view = createTaskView(getTask(services, task.key), history, {
      isInFlight: false,
      progress: undefined,
      media: () => undefined,
      received: () => undefined,
    });
    assert.equal(view.timeline.at(-1)?.appearance, 'cancelled');
  });

  it('need confirmation to run again if the form has unsent values', async () => {
    const task = await createTask(services, 'A red kite. Take 1 second.');
    await waitUntilSettled(services, task.key);
    const { session } = await services.generatePages.open({});
    const promptIn = () => JSON.stringify(session.values);
    const runAgain = (answer: string | undefined) =>
      answerDialogs(answer, () =>
        vscode.commands.executeCommand('modelGateway.tasks.runAgain', { kind: 'task', key: task.key }),
      );
    session.chooseModel('demo/video');
    session.setValues({ input: 'Typed, not sent' });
    const [dialog] = await runAgain(undefined);
    assert.equal(dialog?.message, 'Replace the content of the Generate form?');
    assert.match(promptIn(), /Typed, not sent/);
    await runAgain('Replace');
    assert.match(promptIn(), /A red kite/);
    assert.deepEqual(await runAgain(undefined), [], 'nothing unsent is replaced');
    session.setFrame('first', { type: 'image', mimeType: 'image/png', data: 'AAAA' });
    assert.equal((await runAgain(undefined)).length, 1);
    assert.ok(session.frames.first);
    session.setFrame('first', undefined);
  });

  it('that were deleted at the gateway are marked, and cannot be deleted again', async () => {
    const { key } = await createTask(services, 'A green field. Take 1 second.');
    await waitUntilSettled(services, key);
    const row = { kind: 'task', key };
    const failed = () => services.requests.recent.filter(({ failure }) => failure !== undefined).length;
    const before = failed();
    await answerDialogs('Delete at the Gateway', () =>
      vscode.commands.executeCommand('modelGateway.tasks.delete', row),
    );
    const task = getTask(services, key);
    assert.equal(task.status, 'completed');
    assert.equal(failed(), before, 'a missing task is not a failed read');
    assert.ok(listRows(services).some((each) => /^Completed: A green.*deleted at the gateway/.test(each)));
    assert.ok(!listActions(task, false).includes('delete'));
    const history = services.tasks.readHistory(key);
    assert.ok(history);
    const view = createTaskView(task, history, {
      isInFlight: false,
      progress: undefined,
      media: () => undefined,
      received: () => undefined,
    });
    assert.deepEqual(
      [view.notice?.title, view.timeline.at(-1)?.label],
      ['Deleted at the gateway', 'Deleted at the gateway'],
    );
  });

  it('are removed after a notice that they continue at the gateway', async () => {
    const { key } = await createTask(services, 'Take 60 seconds');
    await waitForStatus(services, key, 'running');
    const row = { kind: 'task', key };
    const removal = () => vscode.commands.executeCommand('modelGateway.tasks.remove', row);
    const [whileRunning] = await answerDialogs(undefined, removal);
    assert.match(
      whileRunning?.detail ?? '',
      /Running tasks are not cancelled at the gateway and may still be billed/,
    );
    await vscode.commands.executeCommand('modelGateway.tasks.cancel', row);
    const [afterwards] = await answerDialogs(undefined, removal);
    assert.equal(afterwards?.detail, 'Nothing is deleted at the gateway.');
  });

  it('can be unwatched and resumed without failing', async () => {
    const task = await createTask(services, 'Take 60 seconds');
    const row = { kind: 'task', key: task.key };
    await waitForStatus(services, task.key, 'running');
    await vscode.commands.executeCommand('modelGateway.tasks.stopWatching', row);
    assert.deepEqual(
      [getTask(services, task.key).status, getTask(services, task.key).watching],
      ['running', 'stopped'],
    );
    assert.ok(listRows(services).some((each) => each.startsWith('No longer watched: ')));
    await vscode.commands.executeCommand('modelGateway.tasks.resume', row);
    assert.equal(getTask(services, task.key).watching, 'on');
    await vscode.commands.executeCommand('modelGateway.tasks.cancel', row);
  });

  describe('left behind by a window that died', () => {
    let deadWindow: Ledger;

    beforeEach(() => {
      const folder = dirname(services.tasks.resultsFolder);
      const database = openDatabase({ path: join(folder, 'tasks.sqlite'), migrations: ledgerMigrations });
      deadWindow = new Ledger(database, { window: randomUUID() });
    });

    afterEach(() => deadWindow.close());

    function createIntent(prompt: string): string {
      const key = randomUUID();
      deadWindow.create({ ...createOrder(prompt), key });
      return key;
    }

    it('F65 are offered to be sent or discarded if they were never sent, and are not sent automatically', async () => {
      const key = createIntent('Left over');
      await waitForEvent(services.tasks.onDidChange, () =>
        services.tasks.all.some((task) => task.key === key),
      );
      assert.ok(listRows(services).some((row) => /^Needs attention: .*never sent/.test(row)));
      assert.equal(getTask(services, key).status, 'intent');
      await vscode.commands.executeCommand('modelGateway.tasks.discard', { kind: 'task', key });
      assert.equal(services.tasks.get(key), undefined);
    });

    it('F66 have an unknown outcome, with the request id, if they may have been sent', async () => {
      const key = createIntent('Half sent');
      deadWindow.claimSubmission(key, 'request-of-a-dead-window');
      await waitForEvent(services.tasks.onDidChange, () => services.tasks.get(key)?.status === 'unknown');
      assert.equal(getTask(services, key).requestId, 'request-of-a-dead-window');
      assert.ok(listRows(services).some((row) => /^Needs attention: .*unknown outcome/.test(row)));
      services.tasks.remove(key);
    });
  });

  it('F69 with a lost reply are found automatically or in the list, and complete', async () => {
    const task = await createTask(services, 'Lose the answer. Take 1 second.');
    await waitForEvent(services.tasks.onDidChange, () => {
      const { status } = getTask(services, task.key);
      return status === 'unknown' || status === 'running' || status === 'completed';
    });
    if (getTask(services, task.key).status === 'unknown') {
      await vscode.commands.executeCommand('modelGateway.tasks.find', { kind: 'task', key: task.key });
    }
    await waitUntilSettled(services, task.key);
    assert.equal(getTask(services, task.key).status, 'completed');
  });

  it('created elsewhere are shown, and can be stored here with their results', async () => {
    const client = await services.connection.getClient();
    const { id } = await client.videoSynthesis({
      model: 'demo/video',
      input: { prompt: 'Made elsewhere. Take 1 second.' },
    });
    await services.remoteTasks.refresh();
    assert.ok(
      listRows(services).some((row) =>
        /^(?:Running|Completed): Made elsewhere.* created elsewhere/.test(row),
      ),
    );
    const listed = services.remoteTasks.find(id);
    assert.ok(listed);
    const item = createRemoteItem({ ...listed, status: 'completed' });
    const { accessibilityInformation, description, label } = item;
    assert.equal(accessibilityInformation?.label, `Completed, ${label}, ${description}`);
    assert.match(String(description), /^\d\d:\d\d · created elsewhere/);
    const queued = createRemoteItem({ ...listed, status: 'running', rawStatus: 'queued' });
    assert.match(String(queued.description), /^\d\d:\d\d · queued · created elsewhere/);
    assert.match(String(queued.accessibilityInformation?.label), /^Running, /);
    await vscode.commands.executeCommand('modelGateway.tasks.adopt', {
      kind: 'remote',
      task: services.remoteTasks.find(id),
    });
    const adopted = services.tasks.find('demo', id);
    assert.ok(adopted);
    await waitUntilSettled(services, adopted.key);
    assert.equal(getTask(services, adopted.key).results[0]?.state, 'saved');
  });

  it('are listed by their prompts for selection, including tasks created elsewhere', async () => {
    const task = await createTask(services, 'A paper boat. Take 1 second.');
    await waitUntilSettled(services, task.key);
    // A command without an argument is for the active page, if there is one.
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await answerDialogsInTurn(['$(pass) A paper boat. Take 1 second.', 'Copy Request ID'], () =>
      vscode.commands.executeCommand('modelGateway.tasks.copy'),
    );
    assert.equal(await vscode.env.clipboard.readText(), getTask(services, task.key).requestId);
    const client = await services.connection.getClient();
    const input = { prompt: 'Another made elsewhere. Take 1 second.' };
    const { id } = await client.videoSynthesis({ model: 'demo/video', input });
    await services.remoteTasks.refresh();
    await answerDialogs(input.prompt, () => vscode.commands.executeCommand('modelGateway.tasks.adopt'));
    assert.ok(services.tasks.find('demo', id));
  });

  it('created elsewhere keep their next page when the first is read again', async () => {
    const { gateway } = services.connection.state;
    const first = { tasks: [{ id: 'one', status: 'running' }], next: { after: 'one' } };
    const client = { listTaskPage: async () => first };
    const listed = new RemoteTasks(
      { state: { gateway }, onDidChange: () => ({}), getClient: async () => client } as unknown as Connection,
      services.tasks,
    );
    for (let round = 0; round < 3; round += 1) {
      await listed.refresh();
      assert.deepEqual([listed.tasks.length, listed.hasMore], [1, true]);
    }
    await listed.loadMore();
    assert.deepEqual(
      [listed.tasks.length, listed.hasMore],
      [1, false],
      'a page without new tasks is the last',
    );
  });

  it('T16 are not sent or deleted by commands with hostile arguments', async () => {
    const before = services.tasks.all.length;
    const hostile = [{ kind: 'task', key: '../../x' }, { kind: 'task', key: { toString: 1 } }, 7, 'x', null];
    for (const argument of hostile) {
      await vscode.commands.executeCommand('modelGateway.tasks.discard', argument);
      await vscode.commands.executeCommand('modelGateway.tasks.send', argument);
    }
    assert.equal(services.tasks.all.length, before);
  });
});

function getSettings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('modelGateway');
}

function createOrder(prompt: string, other: Partial<TaskRequest> = {}): TaskRequest {
  return {
    ...toTaskGateway(localEntry),
    route: 'videoSynthesis',
    model: 'demo/video',
    prompt,
    request: { model: 'demo/video', input: { prompt }, parameters: { size: '1280*720', duration: 5 } },
    ...other,
  };
}

async function createTask(
  services: Services,
  prompt: string,
  other: Partial<TaskRequest> = {},
): Promise<Task> {
  const [task] = await services.tasks.create(createOrder(prompt, other), randomUUID(), 1);
  assert.ok(task);
  return task;
}

function getTask(services: Services, key: string): Task {
  const task = services.tasks.get(key);
  assert.ok(task, `the ledger knows ${key}`);
  return task;
}

function waitForStatus(services: Services, key: string, status: Task['status']): Promise<void> {
  return waitForEvent(services.tasks.onDidChange, () => getTask(services, key).status === status);
}

/** Resolves when a task has ended and all its results have been fetched. */
function waitUntilSettled(services: Services, key: string): Promise<void> {
  return waitForEvent(services.tasks.onDidChange, () => {
    const { status, results } = getTask(services, key);
    const ended = status === 'completed' || status === 'failed' || status === 'refused';
    return ended && results.every(({ state }) => state !== 'waiting' && state !== 'downloading');
  });
}

function listRows({ tasksView }: Services): readonly string[] {
  return tasksView.getChildren().flatMap((root) => {
    const heading = tasksView.getTreeItem(root);
    return tasksView.getChildren(root).map((row) => {
      const { label, description } = tasksView.getTreeItem(row);
      return `${heading.label}: ${label} ${description}`;
    });
  });
}
