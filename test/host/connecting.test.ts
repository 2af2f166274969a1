import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { answerDialogs, answerDialogsInTurn, typeIntoInputs } from '../support/dialogs.ts';
import { getServices } from '../support/extensionServices.ts';
import { answerSteps, pressButton } from '../support/inputSteps.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

describe('connecting to a gateway', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let others: readonly string[];

  before(async () => {
    services = await getServices();
    others = services.gateways.all.map(({ name }) => name);
    gateway = await startScriptedGateway(['m-1'], (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${createTextChunk('Hello', 'stop')}data: [DONE]\n\n`);
    });
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const { name } of services.gateways.all)
      if (!others.includes(name)) await services.gateways.remove(name);
    await gateway.close();
  });

  function connectWith(credential: string) {
    return answerDialogs(undefined, () =>
      typeIntoInputs([gateway.baseUrl, credential], () =>
        vscode.commands.executeCommand('modelGateway.connect'),
      ),
    );
  }

  it('does not need or send a credential if the gateway does not need one', async () => {
    assert.deepEqual(await connectWith(''), [], 'there is no error');
    assert.equal(services.connection.state.phase, 'ready');
    const { gateway: now } = services.connection.state;
    assert.equal(now?.kind === 'gateway' && now.baseUrl, gateway.baseUrl);
    const { session } = await services.chats.open({});
    await session.send('Who are you?');
    assert.equal(session.conversation.lastTurn?.result?.outcome.kind, 'complete');
    assert.deepEqual(
      new Set(gateway.requests.map(({ authorization }) => authorization)),
      new Set([undefined]),
    );
  });

  it('sends the credential that was entered', async () => {
    await connectWith('canary-credential');
    assert.equal(gateway.requests.at(-1)?.authorization, 'Bearer canary-credential');
  });

  it('can get the credential from a command, which is shown in full and runs only after consent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'credential-command-'));
    const program = join(folder, 'program.mjs');
    const runs = join(folder, 'runs');
    const print = (credential: string) =>
      writeFileSync(
        program,
        `import { appendFileSync } from 'node:fs';
        appendFileSync(${JSON.stringify(runs)}, 'x');
        console.log(JSON.stringify({ access_token: '${credential}', expires_in: 3600 }));`,
      );
    const runCount = () => (existsSync(runs) ? readFileSync(runs).length : 0);
    const command = `"${process.execPath}" "${program}"`;
    print('canary-printed-1');
    const connect = (answer: string | undefined) =>
      answerDialogs(answer, () =>
        answerSteps([gateway.baseUrl, pressButton, command], () =>
          vscode.commands.executeCommand('modelGateway.connect'),
        ),
      );
    try {
      await services.gateways.remove(services.gateways.findOrCreateGateway(gateway.baseUrl).name);
      const [dialog] = await connect(undefined);
      assert.equal(dialog?.message, 'Use this command to get the credential?');
      assert.ok(dialog?.detail.startsWith(`${command}\n\n`));
      assert.ok(dialog?.detail.includes(new URL(gateway.baseUrl).origin));
      assert.equal(runCount(), 0);
      await connect('Run Command');
      assert.equal(gateway.requests.at(-1)?.authorization, 'Bearer canary-printed-1');
      assert.equal(services.connection.state.phase, 'ready');
      assert.equal(runCount(), 1);
      const saved = services.gateways.findOrCreateGateway(gateway.baseUrl);
      assert.deepEqual([saved.credentialCommand, services.credentials.wasStored(saved)], [command, false]);

      // A changed command, for example by settings from another machine, does not run.
      const changed = `${command} --changed`;
      await services.gateways.save({ ...saved, credentialCommand: changed });
      const { error } = await services.connection.refresh();
      assert.match(
        error?.message ?? '',
        /command that prints the credential was not confirmed on this machine/,
      );
      assert.equal(runCount(), 1);
      print('canary-printed-2');
      const dialogs = await answerDialogs('Run Command', () =>
        answerSteps(['$(terminal) Use the Command'], () =>
          vscode.commands.executeCommand('modelGateway.setCredential', saved.name),
        ),
      );
      assert.ok(dialogs[0]?.detail.startsWith(`${changed}\n`));
      assert.equal(gateway.requests.at(-1)?.authorization, 'Bearer canary-printed-2');

      // A credential that is entered replaces the command.
      await answerSteps(['$(key) Enter a Credential…', 'canary-credential'], () =>
        vscode.commands.executeCommand('modelGateway.setCredential', saved.name),
      );
      assert.equal(services.gateways.findOrCreateGateway(gateway.baseUrl).credentialCommand, undefined);
      assert.equal(gateway.requests.at(-1)?.authorization, 'Bearer canary-credential');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reports a command that fails, with its cause and without its output', async () => {
    const saved = services.gateways.findOrCreateGateway(gateway.baseUrl);
    const commands: readonly (readonly [command: string, says: RegExp])[] = [
      [
        `"${process.execPath}" -e "console.log('canary'); process.exit(3)"`,
        /failed \(3\), so nothing was sent/,
      ],
      [
        `"${process.execPath}" -e "console.log('canary'); console.log('more')"`,
        /did not print a usable credential/,
      ],
      [
        `"${process.execPath}" -e "console.log(JSON.stringify({ token: 'canary', expiry: '2020-01-01T00:00:00Z' }))"`,
        /printed has already expired: sign in again/,
      ],
    ];
    for (const [command, message] of commands) {
      const requestCount = gateway.requests.length;
      const dialogs = await answerDialogsInTurn(['Run Command'], () =>
        answerSteps([pressButton, command], () =>
          vscode.commands.executeCommand('modelGateway.setCredential', saved.name),
        ),
      );
      const [, failure] = dialogs;
      assert.match(failure?.message ?? '', message);
      assert.doesNotMatch(failure?.message ?? '', /canary/);
      assert.equal(gateway.requests.length, requestCount);
    }
    const hiddenPart = await answerSteps([pressButton, 'print-key # as usual\u202e'], () =>
      vscode.commands.executeCommand('modelGateway.setCredential', saved.name),
    );
    assert.match(hiddenPart.at(-1)?.problem ?? '', /one line without hidden characters/);
  });

  it('adds, changes and removes further headers, and stores secret values in secret storage only', async () => {
    const { name } = services.gateways.findOrCreateGateway(gateway.baseUrl);
    const manage = (answers: readonly string[], texts: readonly string[]) =>
      answerDialogsInTurn(answers, () =>
        typeIntoInputs(texts, () => vscode.commands.executeCommand('modelGateway.manageGateway', name)),
      );
    await manage(
      ['$(list-unordered) Headers…', '$(add) Add Header…', '$(lock) Secret'],
      ['X-Proxy-Token', ' canary-header-value '],
    );
    await manage(
      ['$(list-unordered) Headers…', '$(add) Add Header…', '$(tag) Not Secret'],
      ['X-Organization', 'blue'],
    );
    const saved = services.gateways.findOrCreateGateway(gateway.baseUrl);
    assert.deepEqual(saved.extraHeaders, { 'X-Proxy-Token': null, 'X-Organization': 'blue' });
    assert.doesNotMatch(
      JSON.stringify(vscode.workspace.getConfiguration('modelGateway').get('gateways')),
      /canary/,
    );
    await services.connection.refresh();
    const { headers } = gateway.requests.at(-1) ?? assert.fail();
    assert.deepEqual([headers['x-proxy-token'], headers['x-organization']], ['canary-header-value', 'blue']);

    // Another origin does not get them, and has no value for the secret one.
    const elsewhere = { ...saved, baseUrl: 'https://elsewhere.example' };
    await assert.rejects(services.gatewayHeaders.read(elsewhere), /X-Proxy-Token is not stored/);

    for (const [text, says] of [
      ['Host', /HTTP or the extension sets this header/],
      ['Authorization', /contains the credential of the gateway/],
      ['x-organization', /already has this header/],
    ] as const) {
      const [box] = await typeIntoInputs([text], () =>
        answerDialogsInTurn(['$(list-unordered) Headers…', '$(add) Add Header…'], () =>
          vscode.commands.executeCommand('modelGateway.manageGateway', name),
        ),
      );
      assert.match(box?.problem ?? '', says);
    }
    const [, broken] = await typeIntoInputs(['X-Other', 'a\r\nx-injected: 1'], () =>
      answerDialogsInTurn(['$(list-unordered) Headers…', '$(add) Add Header…', '$(lock) Secret'], () =>
        vscode.commands.executeCommand('modelGateway.manageGateway', name),
      ),
    );
    assert.match(broken?.problem ?? '', /one line/);
    await manage(['$(list-unordered) Headers…', '$(lock) X-Proxy-Token', '$(trash) Remove'], []);
    await manage(['$(list-unordered) Headers…', '$(tag) X-Organization', '$(trash) Remove'], []);
    assert.equal(services.gateways.findOrCreateGateway(gateway.baseUrl).extraHeaders, undefined);
    await services.connection.refresh();
    assert.equal(gateway.requests.at(-1)?.headers['x-proxy-token'], undefined);
  });

  it('opens its input again if it loses the focus at once, and does not show a message', async () => {
    const { createInputBox } = vscode.window;
    const reopened = Promise.withResolvers<void>();
    let opened = 0;
    const losingFocus = () => {
      const box = createInputBox.call(vscode.window);
      const show = box.show.bind(box);
      box.show = () => {
        show();
        opened += 1;
        if (opened === 1) box.hide();
        else reopened.resolve();
      };
      return box;
    };
    Object.assign(vscode.window, { createInputBox: losingFocus });
    try {
      const dialogs = await answerDialogs(undefined, async () => {
        const end = vscode.commands.executeCommand('modelGateway.connect');
        await reopened.promise;
        await vscode.commands.executeCommand('modelGateway.closeInput');
        await end;
      });
      assert.deepEqual(dialogs, []);
    } finally {
      Object.assign(vscode.window, { createInputBox });
    }
  });
});
