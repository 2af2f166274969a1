import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { followups, handleRequest } from '../../src/host/agents/participant/participant.ts';
import { commands } from '../../src/host/agents/participant/participantCommands.ts';
import type { Services } from '../../src/host/app/services.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { createFolderInWorkspace, getServices, useGateway } from '../support/extensionServices.ts';
import { createRecordedStream, type RecordedStream } from '../support/recordedStream.ts';
import { type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

const hostile = '[x](command:modelGateway.connect) <img src=x> https://evil.test # **b**';

/** A model of VS Code's picker that replies with these pieces. */
function createModel(
  respond: (messages: readonly vscode.LanguageModelChatMessage[]) => AsyncIterable<string>,
) {
  const sendRequest = async (messages: vscode.LanguageModelChatMessage[]) => ({ text: respond(messages) });
  return { name: 'Picked model', sendRequest } as unknown as vscode.LanguageModelChat;
}

describe('@gateway in VS Code’s chat', () => {
  let services: Services;
  let gateway: ScriptedGateway;

  before(async () => {
    services = await getServices();
    // Another test may have stopped it.
    await vscode.commands.executeCommand('modelGateway.localGateway.start');
    gateway = await startScriptedGateway(['good', hostile], (response) => {
      response.statusCode = 401;
      response.end(JSON.stringify({ error: { message: hostile } }));
    });
    await useGateway(services, 'chatty', gateway.baseUrl, 'test-credential');
  });

  afterEach(() => services.gateways.setCurrent(localEntry.name));

  after(async () => {
    await services.gateways.remove('chatty');
    await gateway.close();
  });

  interface CommandReply extends RecordedStream {
    readonly result: vscode.ChatResult;
  }

  async function send(
    command: string | undefined,
    prompt: string,
    facts: Partial<vscode.ChatRequest> & {
      readonly history?: vscode.ChatContext['history'];
      readonly token?: vscode.CancellationToken;
    } = {},
  ): Promise<CommandReply> {
    const recorded = createRecordedStream();
    const { history = [], token = new vscode.CancellationTokenSource().token, ...others } = facts;
    const request = {
      command,
      prompt,
      references: [],
      toolReferences: [],
      ...others,
    } as unknown as vscode.ChatRequest;
    const { stream } = recorded;
    const result = await handleRequest(services, { request, history, stream, token });
    const { markdown, progress, buttons, references } = recorded;
    return { stream, markdown, progress, buttons, references, result };
  }

  const titles = ({ buttons }: CommandReply) => buttons.map(({ title }) => title);

  it('has the commands of its manifest, and buttons only for existing commands', async () => {
    const extension = vscode.extensions.getExtension('model-gateway.model-gateway');
    const [participant] = extension?.packageJSON.contributes.chatParticipants ?? [];
    assert.deepEqual(
      participant.commands.map(({ name }: { readonly name: string }) => name),
      Object.keys(commands),
    );
    const known = await vscode.commands.getCommands(true);
    await services.gateways.setCurrent('none');
    const shown = [
      ...(await send(undefined, '')).buttons,
      ...(await send('models', '')).buttons,
      ...(await send('video', '')).buttons,
    ];
    assert.ok(shown.length >= 5);
    for (const { command } of shown) assert.ok(known.includes(command), command);
  });

  it('reports the next steps without a gateway, with buttons for them', async () => {
    await services.gateways.setCurrent('none');
    for (const command of ['models', 'video']) {
      const reply = await send(command, 'x');
      assert.match(reply.markdown, /^No gateway is connected\n/);
      assert.deepEqual(titles(reply), ['Connect to a Gateway…', 'Try the Demo']);
    }
  });

  it('/models lists the models, filtered by words, with buttons for a short list', async () => {
    const all = await send('models', '');
    assert.match(all.markdown, /^Local gateway has \d+ models\\\.\n\n- \*\*demo/);
    const videos = await send('models', 'demo video');
    assert.match(videos.markdown, /has 1 model for “demo video”/);
    assert.deepEqual(titles(videos), ['New Video with demo/video', 'Find Model…', 'Refresh Models']);
    assert.deepEqual(videos.buttons[0]?.arguments, [{ id: 'demo/video' }]);
    assert.ok(followups(all.result).every(({ command }) => command !== undefined && command in commands));
  });

  it('T11 shows text of a gateway as plain text, without its links, pictures and headings', async () => {
    await services.gateways.setCurrent('chatty');
    const { markdown } = await send('models', '');
    assert.ok(markdown.includes('\\[x\\]'), markdown);
    assert.doesNotMatch(markdown, /[^\\][[<]|https:\/\//);
    await (await services.connection.getClient()).listTasks(1).catch(() => undefined);
    const explained = await send('explain', '');
    assert.match(explained.markdown, /^The gateway refused the credential\n\n/);
    assert.doesNotMatch(explained.markdown, /[^\\][[<]|https:\/\//);
    assert.deepEqual(titles(explained), ['Set Credential…', 'Check Connection', 'Open the Request']);
    const requestId = explained.buttons.at(-1)?.arguments?.[0].requestId;
    assert.equal((await send('explain', requestId)).markdown, explained.markdown);
    assert.match((await send('explain', 'none')).markdown, /^The request “none” is not stored/);
  });

  it('T18 /video does not send a request before the user agrees, and then follows its task', async () => {
    const before = services.tasks.all.length;
    let reply: CommandReply | undefined;
    const declined = await answerDialogs(undefined, async () => {
      reply = await send('video', 'A kite. Take 1 second.');
    });
    const question = declined.find(({ detail }) => detail !== '');
    assert.equal(question?.message, 'Generate this video at Local gateway?');
    assert.match(question?.detail ?? '', /demo\/video.*“A kite.*Route: Interactions/s);
    assert.match(reply?.markdown ?? '', /^Nothing was sent/);
    assert.equal(services.tasks.all.length, before);
    await answerDialogs('Send 1 Request', async () => {
      reply = await send('video', 'A kite. Take 1 second.');
    });
    assert.equal(services.tasks.all.length, before + 1);
    assert.match(reply?.markdown ?? '', /\*\*A kite.*Completed/);
    assert.match(reply?.references.join() ?? '', /\.mp4,anchor .*\.mp4$/);
    assert.ok((reply?.progress.length ?? 0) > 0);
    const [task] = services.tasks.all;
    const tasks = await send('tasks', task?.key ?? '');
    assert.match(tasks.markdown, /\*\*A kite.*Completed/);
    assert.deepEqual(tasks.buttons[0]?.arguments, [{ kind: 'task', key: task?.key }]);
    assert.match((await send('tasks', 'nothing like it')).markdown, /^Found 0 tasks for “nothing like it”/);
  });

  it('sends a request without a command to the picked model, with the gateway and the attached files', async () => {
    const folder = createFolderInWorkspace('participant-');
    const file = join(folder, 'a.txt');
    await writeFile(file, 'text of the file');
    let sent: readonly vscode.LanguageModelChatMessage[] = [];
    const model = createModel(async function* (messages) {
      sent = messages;
      yield 'Two ';
      yield '*words*';
    });
    const reply = await send(undefined, 'And now?', {
      model,
      references: [{ id: 'file', value: vscode.Uri.file(file) }],
    }).finally(() => rm(folder, { recursive: true }));
    assert.equal(reply.markdown, 'Two *words*');
    const texts = sent.map(({ content }) =>
      content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join(''),
    );
    assert.match(texts[0] ?? '', /Connected gateway: Local gateway\. Models \(\d+\): .*demo\/chat/);
    assert.match(texts.at(-1) ?? '', /a\.txt.*text of the file.*And now\?$/s);
    assert.ok(reply.references.some((path) => path.endsWith('a.txt')));
  });

  it('lists its commands if no model can be used, and ends quietly when it is stopped', async () => {
    const failing = createModel(() => {
      throw vscode.LanguageModelError.NoPermissions(`No, ${hostile}`);
    });
    const { markdown } = await send(undefined, 'Hello', { model: failing });
    assert.match(markdown, /^Picked model could not reply\\: No\\, \\\[x\\\]/);
    assert.match(markdown, /\*\*\\\/models\*\*/);
    const source = new vscode.CancellationTokenSource();
    const stopped = createModel(async function* () {
      yield 'A';
      source.cancel();
      throw new vscode.CancellationError();
    });
    assert.equal((await send(undefined, 'Hello', { model: stopped, token: source.token })).markdown, 'A');
  });
});
