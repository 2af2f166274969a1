import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { gatewayRows } from '../../src/host/models/localGatewayRows.ts';
import { answerDialogs, answerDialogsInTurn, typeIntoInputs } from '../support/dialogs.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';
import { readRunningFile } from '../support/gatewayControl.ts';
import { answerSteps, goBack } from '../support/inputSteps.ts';
import { type ScriptedUpstream, startUpstreamWithKey } from '../support/scriptedUpstream.ts';

const key = 'canary-upstream-key';
const run = (id: string, ...args: unknown[]) =>
  vscode.commands.executeCommand(`modelGateway.localGateway.${id}`, ...args);

describe('the local gateway in VS Code', function () {
  this.timeout(60_000);
  let services: Services;
  let upstream: ScriptedUpstream;
  let initialConfig: string;

  before(async () => {
    services = await getServices();
    upstream = await startUpstreamWithKey(key);
    await services.gateways.setCurrent(localEntry.name);
    await services.localGateway.start();
    initialConfig = readConfig();
  });

  after(async () => {
    writeFileSync(services.localGateway.configFile, initialConfig);
    const { onDidChangeGateways } = services.connection;
    const isAlias = () => services.connection.get(localEntry).state.models.some(({ id }) => id === 'main');
    await waitForEvent(onDidChangeGateways, () => !isAlias());
    await upstream.close();
  });

  const readConfig = () => readFileSync(services.localGateway.configFile, 'utf8');

  /** The rows of the view, each with its description. */
  function listRows() {
    const { localGatewayView: view } = services;
    return view.getChildren().map((node) => {
      const { label, description } = view.getTreeItem(node);
      return [String(label), String(description)];
    });
  }

  async function readState(name: string) {
    await services.localUpstreams.refresh();
    return services.localUpstreams.state.status?.upstreams.find((each) => each.name === name);
  }

  /** The argument that a failure passes to its repair command. */
  async function sendRefusedRequest(model: string): Promise<{ readonly requestId: string }> {
    const client = await services.connection.get(localEntry).getClient();
    const { outcome, requestId } = await client.chatCompletions({ model, messages: [] }, () => {});
    const { reason } = outcome.kind === 'failed' ? outcome.error : assert.fail(outcome.kind);
    assert.equal(reason, 'own-upstream-credential');
    return { requestId };
  }

  it('shows its address and its upstreams', async () => {
    await services.localUpstreams.refresh();
    const [gateway, demo] = listRows();
    assert.deepEqual(gateway, ['Running', services.localGateway.address?.baseUrl]);
    assert.equal(demo?.[0], 'demo');
    assert.match(demo?.[1] ?? '', /^\d+ models$/);
  });

  it('is the only gateway whose reports of unbilled requests are trusted', async () => {
    const { connection } = services;
    const { baseUrl, isLocalGateway } = await connection.createOptions(localEntry);
    assert.equal(isLocalGateway, true);
    const configured = await connection.createOptions({ kind: 'gateway', name: 'copy', baseUrl });
    assert.equal(configured.isLocalGateway, undefined);
  });

  it('shows the most pressing problem of an upstream, with the command that fixes it', () => {
    const own = { name: 'own', kind: 'messages', origin: 'https://own.example', models: 2 } as const;
    const [problem, failingUntil] = ['It answered 401.', Date.now() + 60_000];
    const refused = { problem, problemCode: 'upstream_credential' };
    for (const [upstream, words, icon, command] of [
      [{ ...own, key: 'window' }, /^2 models$/, 'pass', undefined],
      [{ ...own, models: 0, key: 'window' }, /^0 models$/, 'circle-large-outline', undefined],
      [{ ...own, key: 'window', failingUntil }, /^failing, not used until /, 'warning', undefined],
      [
        { ...own, key: 'none', problem, problemCode: 'upstream_unreachable' },
        /^not reachable$/,
        'warning',
        undefined,
      ],
      [{ ...own, key: 'none', problem }, /^does not list its models$/, 'warning', undefined],
      [{ ...own, key: 'none', ...refused }, /^key missing$/, 'key', 'setKey'],
      [{ ...own, key: 'window', ...refused, failingUntil }, /^key refused$/, 'key', 'setKey'],
      [{ ...own, key: 'command', ...refused }, /^key refused$/, 'key', 'editConfiguration'],
      [{ ...own, name: 'forgotten', key: 'missing' }, /^key lost$/, 'key', 'setKey'],
    ] as const) {
      const status = {
        kinds: [],
        upstreams: [upstream],
        windows: 1,
        exitsAfterWindows: true,
        openRequests: 0,
        listing: '',
      };
      const shown = {
        isRunning: true,
        isStarting: false,
        isConfigured: true,
        lostKeys: ['forgotten'],
        status,
      };
      const item = gatewayRows(shown).at(-1)?.item();
      assert.match(String(item?.description), words);
      assert.equal((item?.iconPath as vscode.ThemeIcon | undefined)?.id, icon);
      const help = command === 'setKey' ? /\nClick to set its key\.$/ : /^(?!.*set its key)/s;
      assert.match(String(item?.tooltip), help);
      assert.equal(item?.command?.command, command && `modelGateway.localGateway.${command}`);
    }
  });

  it('shows which models of an upstream are paused, and until when', () => {
    const until = Date.now() + 60_000;
    const failing = [
      { id: 'big\none', until },
      { id: 'small', until: Date.now() - 1 },
    ];
    const own = { name: 'own', kind: 'messages', key: 'none', models: 5, failingModels: failing } as const;
    const status = {
      kinds: [],
      upstreams: [own],
      windows: 1,
      exitsAfterWindows: true,
      openRequests: 0,
      listing: '',
    };
    const shown = { isRunning: true, isStarting: false, isConfigured: true, lostKeys: [], status };
    const item = gatewayRows(shown).at(-1)?.item();
    assert.equal(item?.description, '5 models, 1 failing');
    assert.equal((item?.iconPath as vscode.ThemeIcon | undefined)?.id, 'warning');
    const time = new Date(until).toLocaleTimeString(vscode.env.language);
    const line = `big one: failing, not used until ${time}`;
    assert.deepEqual(String(item?.tooltip).split('\n').slice(-2), ['', line]);
    assert.equal(item?.accessibilityInformation?.label, `own, 5 models, 1 failing, ${line}`);
  });

  it('shows a changed port that needs a restart, and when an exited gateway starts again', () => {
    const status = {
      kinds: [],
      upstreams: [],
      windows: 1,
      exitsAfterWindows: true,
      openRequests: 0,
      listing: '',
    };
    const running = { isRunning: true, isStarting: false, isConfigured: true, lostKeys: [] };
    for (const [waitingPort, words] of [
      [21_000, 'for port 21000'],
      [null, 'for its own port'],
    ] as const) {
      const item = gatewayRows({ ...running, status: { ...status, waitingPort } })[1]?.item();
      assert.deepEqual([item?.label, item?.description], ['Restart needed', words]);
      assert.equal(item?.command?.command, 'modelGateway.localGateway.restart');
    }
    const startsAgainAt = Date.now() + 8_000;
    const [row] = gatewayRows({ ...running, isRunning: false, isConfigured: false, startsAgainAt });
    const time = new Date(startsAgainAt).toLocaleTimeString(vscode.env.language);
    const item = row?.item();
    assert.deepEqual([item?.label, item?.description], ['Exited', `starts again at ${time}`]);
    assert.equal(item?.command?.command, 'modelGateway.localGateway.start');
  });

  it('adds an upstream in steps, tries it, and stores its key only in the secret storage', async () => {
    writeFileSync(services.localGateway.configFile, '{\n  // mine\n  "upstreams": [] // here\n}\n');
    let steps: Awaited<ReturnType<typeof answerSteps>> = [];
    const dialogs = await answerDialogs(undefined, async () => {
      steps = await answerSteps(
        ['OpenAI-Compatible', upstream.baseUrl, goBack, upstream.baseUrl, key, 'acme'],
        () => run('addUpstream'),
      );
    });
    assert.deepEqual(
      steps.map(({ title, step, total, password }) => [title, step, total, password]),
      [1, 2, 3, 2, 3, 4].map((step) => ['Add Upstream', step, 4, step === 3]),
    );
    assert.equal(steps[3]?.value, upstream.baseUrl, 'inputs before Back are preserved');
    assert.equal(dialogs.at(-1)?.message, 'acme was added: 2 models.');
    assert.deepEqual(dialogs.at(-1)?.buttons, ['New Chat', 'Copy Settings For…']);
    assert.match(readConfig(), /\/\/ mine[\s\S]*"name": "acme"[\s\S]*\/\/ here/);
    assert.doesNotMatch(readConfig(), /canary/);
    const { key: place, models, problem } = (await readState('acme')) ?? {};
    assert.deepEqual([place, models, problem], ['window', 2, undefined]);
    assert.deepEqual(listRows().at(-1), ['acme', '2 models']);
  });

  it('T3 shows upstreams that need consent, and uses them only after a dialog with all details', async () => {
    const before = readConfig();
    const [path, command] = [services.localGateway.configFile, 'print-key --of "canary"'];
    const added = [
      { name: 'edited', kind: 'openai-compatible', baseUrl: upstream.baseUrl, keyEnv: 'NOT_SET_ANYWHERE' },
      {
        name: 'printed',
        kind: 'openai-compatible',
        baseUrl: upstream.baseUrl,
        keyCommand: command,
        headers: { 'x-target-url': 'https://other.example' },
      },
    ];
    writeFileSync(path, JSON.stringify({ upstreams: added }));
    await services.localGateway.control?.reload();
    await services.localUpstreams.refresh();
    assert.deepEqual(listRows().slice(-2), [
      ['edited', 'waiting for your consent'],
      ['printed', 'waiting for your consent'],
    ]);
    const requestCount = upstream.requests.length;
    const [closed] = await answerDialogs(undefined, () => run('allowUpstream', { name: 'printed' }));
    assert.equal(closed?.message, 'Allow the upstream printed?');
    for (const words of [upstream.baseUrl, command, 'x-target-url: https://other.example'])
      assert.ok(closed?.detail.includes(words));
    assert.ok((await readState('printed'))?.waitsFor);
    const [allowed] = await answerDialogs('Allow', () => run('allowUpstream', { name: 'edited' }));
    assert.match(allowed?.detail ?? '', /the environment variable NOT_SET_ANYWHERE/);
    assert.equal((await readState('edited'))?.waitsFor, undefined);
    assert.deepEqual(listRows().slice(-2), [
      ['edited', 'key missing'],
      ['printed', 'waiting for your consent'],
    ]);
    assert.equal(upstream.requests.length, requestCount);
    writeFileSync(path, before);
    await services.localGateway.control?.reload();
  });

  it('reports once a problem of a new upstream, and offers to change it or to add it anyway', async () => {
    const before = readConfig();
    const dialogs = await answerDialogs(undefined, () =>
      answerSteps(['OpenAI-Compatible', upstream.baseUrl, 'canary-other-key', 'other'], () =>
        run('addUpstream'),
      ),
    );
    assert.equal(dialogs.length, 1);
    assert.match(dialogs[0]?.message ?? '', /^other does not list its models\. /);
    assert.doesNotMatch(dialogs[0]?.message ?? '', /canary/);
    assert.deepEqual(dialogs[0]?.buttons, ['Change…', 'Add Anyway']);
    assert.equal(readConfig(), before);
  });

  it('starts a change after the kind, and clears the key for another origin', async () => {
    const before = readConfig();
    const again = upstream.baseUrl.replace('127.0.0.1', 'localhost');
    let steps: Awaited<ReturnType<typeof answerSteps>> = [];
    await answerDialogs('Change…', async () => {
      steps = await answerSteps(
        ['OpenAI-Compatible', upstream.baseUrl, 'canary-other-key', 'other', again],
        () => run('addUpstream'),
      );
    });
    const [address, keyBox] = steps.slice(4);
    assert.deepEqual([address?.step, address?.total], [2, 4]);
    assert.deepEqual([keyBox?.step, keyBox?.value], [3, '']);
    assert.equal(readConfig(), before);
  });

  it('does not add an upstream after its trial was cancelled', async () => {
    const before = readConfig();
    const { withProgress } = vscode.window;
    const cancelled: typeof withProgress = (options, work) => {
      const source = new vscode.CancellationTokenSource();
      const done = options.cancellable ? work({ report() {} }, source.token) : withProgress(options, work);
      source.cancel();
      return done;
    };
    Object.assign(vscode.window, { withProgress: cancelled });
    const dialogs = await answerDialogs(undefined, () =>
      answerSteps(['OpenAI-Compatible', upstream.baseUrl, key, 'other'], () => run('addUpstream')),
    ).finally(() => Object.assign(vscode.window, { withProgress }));
    assert.deepEqual(dialogs, []);
    assert.equal(readConfig(), before);
  });

  it('tries another key, and reports the upstream’s reply', async () => {
    const row = { kind: 'upstream', name: 'acme' };
    const [dialog] = await answerDialogs(undefined, () =>
      typeIntoInputs(['canary-other-key'], () => run('setKey', row)),
    );
    assert.match(dialog?.message ?? '', /^acme does not list its models\. /);
    assert.doesNotMatch(dialog?.message ?? '', /canary/);
    assert.deepEqual(dialog?.buttons, ['Set Key…']);
    await services.localUpstreams.refresh();
    assert.deepEqual(listRows().at(-1), ['acme', 'key refused']);
    const dialogs = await answerDialogs(undefined, async () => {
      const failed = await sendRefusedRequest('acme/one');
      await typeIntoInputs([key], () => run('setKey', failed));
    });
    assert.deepEqual(dialogs, []);
    assert.equal(await services.upstreamKeys.read({ name: 'acme', baseUrl: upstream.baseUrl }), key);
  });

  it('copies settings without the credential, and with it only after a second choice', async () => {
    const { credential = '' } = services.localGateway.address ?? {};
    const { models } = await services.connection.get(localEntry).refresh();
    const model = models[0]?.id ?? '';
    await answerDialogsInTurn(['Codex', model], () => run('copySettings'));
    const without = await vscode.env.clipboard.readText();
    assert.match(without, /wire_api = "responses"/);
    assert.ok(!without.includes(credential));
    await answerDialogsInTurn(['curl', model, 'Copy with Credential'], () => run('copySettings'));
    assert.ok((await vscode.env.clipboard.readText()).includes(credential));
  });

  it('replaces the credential only after confirmation, and continues with the new one', async () => {
    const before = services.localGateway.address?.credential;
    await answerDialogs(undefined, () => run('newCredential'));
    assert.equal(services.localGateway.address?.credential, before);
    const changed = waitForEvent(services.localGateway.onDidChange, () => {
      const now = services.localGateway.address?.credential;
      return now !== undefined && now !== before;
    });
    await answerDialogs('Replace', () => run('newCredential'));
    await changed;
    const state = await services.connection.get(localEntry).refresh();
    assert.equal(state.phase, 'ready');
  });

  it('runs a command that the user just entered without a question, and no other one, even after a restart', async () => {
    const address = new URL(upstream.baseUrl).origin;
    const dialogs = await answerDialogs(undefined, async () => {
      await answerSteps(['Google Cloud', address, 'my-project', 'global', 'echo canary-token', 'cloud'], () =>
        run('addUpstream'),
      );
    });
    const known = await readState('cloud');
    assert.deepEqual([known?.key, known?.waitsFor], ['command', undefined]);
    assert.equal(dialogs.length, 1, JSON.stringify(dialogs));
    assert.match(dialogs[0]?.message ?? '', /^cloud was added/);

    const changed = readConfig().replace('echo canary-token', 'echo other-token');
    writeFileSync(services.localGateway.configFile, changed);
    await services.localGateway.control?.reload();
    assert.equal((await readState('cloud'))?.waitsFor?.keyCommand, 'echo other-token');
    const before = readRunningFile(dirname(services.localGateway.configFile));
    assert.deepEqual(await answerDialogs(undefined, () => run('restart')), []);
    const after = readRunningFile(dirname(services.localGateway.configFile));
    assert.notEqual(after.pid, before.pid);
    assert.equal(after.baseUrl, before.baseUrl);
    assert.equal((await readState('cloud'))?.waitsFor?.keyCommand, 'echo other-token');
    await answerDialogs('Remove', () => run('removeUpstream', { kind: 'upstream', name: 'cloud' }));
  });

  it('removes an upstream after confirmation, and preserves the comments', async () => {
    const row = { kind: 'upstream', name: 'acme' };
    const aliases = [
      { name: 'main', models: ['acme/one', 'demo/quick'] },
      { name: 'only', models: ['acme/two'] },
    ];
    const written = readConfig().replace('"upstreams"', `"aliases": ${JSON.stringify(aliases)}, "upstreams"`);
    writeFileSync(services.localGateway.configFile, written);
    const [dialog] = await answerDialogs(undefined, () => run('removeUpstream', row));
    assert.match(
      dialog?.detail ?? '',
      /\nThe alias main no longer includes acme\/one\.\n.*alias only is also removed/,
    );
    assert.match(readConfig(), /"acme"/);
    await answerDialogs('Remove', () => run('removeUpstream', row));
    assert.match(readConfig(), /\/\/ mine[\s\S]*\/\/ here/);
    assert.doesNotMatch(readConfig(), /acme/);
    assert.match(readConfig(), /\["demo\/quick"\]/);
    assert.equal(await readState('acme'), undefined);
    assert.equal(await services.upstreamKeys.read({ name: 'acme', baseUrl: upstream.baseUrl }), undefined);
  });

  it('starts again at the same address after it was killed', async () => {
    const { pid, baseUrl } = readRunningFile(dirname(services.localGateway.configFile));
    const dialogs = await answerDialogs(undefined, async () => {
      const ended = waitForEvent(services.localGateway.onDidStop, () => !services.localGateway.isRunning);
      process.kill(pid, 'SIGKILL');
      await ended;
      assert.match(listRows().join(), /^Exited,starts again at /);
      await waitForEvent(
        services.localGateway.onDidChange,
        () => services.localGateway.address !== undefined,
      );
    });
    assert.equal(services.localGateway.address?.baseUrl, baseUrl, 'at the same address');
    // Tasks that run there may also report it.
    const exitNotices = dialogs.filter(({ message }) => /exited unexpectedly/.test(message));
    assert.ok(exitNotices.every(({ message }) => /was started again/.test(message)));
  });
});
