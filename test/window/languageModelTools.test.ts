import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { cancelTaskTool } from '../../src/host/agents/languageModelTools/cancelTask.ts';
import type { Services } from '../../src/host/app/services.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { type FaultServer, startFaultServer } from '../support/faultServer.ts';
import { approveAllTools, callFailingTool, callTool } from '../support/toolCalls.ts';

const hostile = 'No [x](command:y) \u202e$(zap) here';

describe('the tools for agents, with all tools approved in VS Code', () => {
  let services: Services;
  let server: FaultServer;
  const hanging = Promise.withResolvers<{ readonly closed: Promise<unknown> }>();

  before(async () => {
    services = await getServices();
    server = await startFaultServer(async (connection, { method, body }) => {
      if (method === 'GET')
        await connection.respond(
          200,
          {},
          '{"data":[{"id":"slow"},{"id":"bad"},{"id":"odd [x](command:y)"}]}',
        );
      else if (body.includes('"slow"')) {
        await connection.beginStream();
        hanging.resolve(connection);
      } else await connection.respond(401, {}, JSON.stringify({ error: { message: hostile } }));
    });
    await useGateway(services, 'agents', server.baseUrl, 'test-credential');
    await services.localGateway.start();
    await services.gateways.setCurrent(localEntry.name);
    await set('tasks.interval', 1);
    await approveAllTools(true);
    assert.equal(vscode.workspace.getConfiguration('chat.tools.global').get('autoApprove'), true);
  });

  after(async () => {
    await approveAllTools(false);
    await set('tasks.interval', undefined);
    await set('tasks.dailyLimit', undefined);
    await services.gateways.remove('agents');
    await services.gateways.setCurrent(localEntry.name);
    await server.close();
  });

  afterEach(() => services.gateways.setCurrent(localEntry.name));

  function set(key: string, value: unknown) {
    return vscode.workspace
      .getConfiguration('modelGateway')
      .update(key, value, vscode.ConfigurationTarget.Global);
  }

  /** This window's requests that may cost money. */
  function countPaidRequests(): number {
    return services.requests.recent.filter(({ method, route }) => method === 'POST' && route !== 'cancelTask')
      .length;
  }

  /** The id of the only task in a text. */
  function findTaskId(text: string): string {
    return /Task ([\w-]+):/.exec(text)?.[1] ?? assert.fail(text);
  }

  async function startVideo(prompt: string): Promise<string> {
    const { text } = await callTool('startVideo', { prompt, model: 'demo/video' }, 'Send 1 Request');
    return findTaskId(text);
  }

  it('are known to VS Code with their descriptions and schemas', () => {
    const extension = vscode.extensions.getExtension('model-gateway.model-gateway');
    const { languageModelTools } = extension?.packageJSON.contributes ?? {};
    const known = vscode.lm.tools.filter(({ name }) => name.startsWith('gateway'));
    assert.deepEqual(
      known.map(({ name, description }) => [name, description]).toSorted(),
      languageModelTools
        .map((tool: { name: string; modelDescription: string }) => [tool.name, tool.modelDescription])
        .toSorted(),
    );
  });

  it('list the models with their uses, and filter the list', async () => {
    const { text, dialogs } = await callTool('listModels', {});
    assert.match(text, /^Local gateway has \d+ models\.$/m);
    assert.match(text, /^- demo\/chat/m);
    assert.deepEqual(dialogs, []);
    const videos = (await callTool('listModels', { use: 'video' })).text;
    assert.match(videos, /^- demo\/video .*video/m);
    assert.doesNotMatch(videos, /demo\/chat/);
    assert.match(
      (await callTool('listModels', { search: 'nothing like it' })).text,
      /has 0 models that match, of \d+/,
    );
  });

  it('T16 report the invalid field of bad input, and do not send a request', async () => {
    const before = countPaidRequests();
    const cases: Readonly<Record<string, readonly [input: object, message: RegExp]>> = {
      listModels: [{ use: 'films' }, /- use: must be one of chat, video/],
      askModel: [{ prompt: 'x', maxOutputTokens: -1 }, /- maxOutputTokens: Too small/],
      startVideo: [{ prompt: 'x', count: 1000 }, /- count: Too big/],
      readTask: [{ task: 7 }, /- task: Invalid input: expected string/],
      waitForTask: [{}, /- task: Invalid input: expected string/],
      cancelTask: [{ task: 'x', path: '/etc' }, /- input: unknown field “path”/],
      explainFailure: [{ requestId: [] }, /- requestId: Invalid input/],
    };
    for (const [id, [input, message]] of Object.entries(cases)) {
      const failure = await callFailingTool(id, input);
      assert.match(failure, message);
      assert.match(failure, /Correct these fields and call the tool again/);
    }
    assert.match(
      await callFailingTool('askModel', { prompt: 'x', model: 'gpt-none' }),
      /does not list the model “gpt-none”.*gatewayListModels/s,
    );
    assert.match(
      await callFailingTool('askModel', { prompt: 'x', model: 'demo/video' }),
      /is a video model.*gatewayStartVideo/s,
    );
    assert.match(await callFailingTool('startVideo', { prompt: 'x', model: 'demo/chat' }), /is a chat model/);
    assert.match(
      await callFailingTool('startVideo', { prompt: 'x', route: 'videoSynthesis', resolution: '4k' }),
      /resolution: the route videoSynthesis .* does not support 4k/,
    );
    assert.match(
      await callFailingTool('readTask', { task: '../../x' }),
      /no task “\.\.\/\.\.\/x” is known here/,
    );
    assert.equal(countPaidRequests(), before);
  });

  it('T18 send a request to a model only after the user agreed to its cost, and only once', async () => {
    const before = countPaidRequests();
    const input = { prompt: 'Say hello', model: 'demo/chat', maxOutputTokens: 50 };
    const declined = await callTool('askModel', input);
    assert.match(declined.text, /^The user did not agree\. Nothing was sent\./);
    assert.equal(countPaidRequests(), before);
    const [question, ...others] = declined.dialogs;
    assert.deepEqual([question?.message, others], ['Ask demo/chat?', []]);
    assert.match(question?.detail ?? '', /demo is free.*About \d+ tokens of input.*“Say hello”/s);
    const { text, dialogs } = await callTool('askModel', input, 'Send Request');
    assert.match(text, /^demo\/chat replied \(\d+ tokens in, \d+ out, request ID [\w-]+\)\..*\n\n.*\w/);
    assert.equal(dialogs.length, 1);
    assert.equal(countPaidRequests(), before + 1);
    await services.gateways.setCurrent('agents');
    const [dialog] = (await callTool('askModel', { prompt: 'x', model: 'slow' })).dialogs;
    assert.match(
      dialog?.detail ?? '',
      /uses tokens of your account at agents, in addition to the tokens of the chat.*price is unknown/s,
    );
  });

  it('F62 end a request to a model when the agent is stopped', async () => {
    await services.gateways.setCurrent('agents');
    const source = new vscode.CancellationTokenSource();
    const options = { input: { prompt: 'x', model: 'slow' }, toolInvocationToken: undefined };
    await answerDialogs('Send Request', async () => {
      const call = Promise.resolve(vscode.lm.invokeTool('gatewayAskModel', options, source.token));
      const stopped = assert.rejects(call, /Cancel/);
      const { closed } = await hanging.promise;
      source.cancel();
      await Promise.all([closed, stopped]);
    });
  });

  it('T18 start a video only after the user agreed to its model, route, parameters and number', async () => {
    const before = services.tasks.all.length;
    const input = { prompt: 'A kite. Take 1 second.', aspectRatio: '9:16', seconds: 5, count: 2 };
    const declined = await callTool('startVideo', input);
    assert.match(declined.text, /^The user did not agree\. Nothing was sent\./);
    assert.equal(services.tasks.all.length, before);
    const [question, ...others] = declined.dialogs;
    assert.deepEqual(
      [question?.message, others],
      ['An agent wants to generate 2 videos at Local gateway. Send the request?', []],
    );
    for (const fact of [
      'demo/video',
      'A kite',
      'Route: Interactions',
      'Aspect ratio: 9:16',
      'Duration: 5 s',
      'Result: Video',
      'Kind of task: Text to video',
      'demo is free',
    ])
      assert.ok(question?.detail.includes(fact), `${fact} in ${question?.detail}`);
    assert.doesNotMatch(question?.detail ?? '', /\w_\w|\w\.\w+:/, 'the request does not contain its name');
    const { text, dialogs } = await callTool('startVideo', input, 'Send 2 Requests');
    assert.equal(dialogs.length, 1);
    assert.equal(services.tasks.all.length, before + 2);
    const [newest] = services.tasks.all;
    assert.ok(newest && text.includes(newest.key) && text.includes('gatewayWaitForTask'), text);
  });

  it('T18 do not start a video beyond the daily limit', async () => {
    const before = services.tasks.all.length;
    await set('tasks.dailyLimit', 1);
    const message = await callFailingTool('startVideo', { prompt: 'A kite' });
    await set('tasks.dailyLimit', undefined);
    assert.match(message, /^Nothing was sent: this would exceed your daily limit/);
    assert.equal(services.tasks.all.length, before);
  });

  it('wait for a task until its result is saved, and return it afterwards', async () => {
    const task = await startVideo('A red kite. Take 1 second.');
    const { text } = await callTool('waitForTask', { task });
    assert.match(text, new RegExp(`^Task ${task}: Completed\\.`));
    assert.match(text, /^Result 1 \(video\/mp4\): saved at \/.*\.mp4, /m);
    assert.equal((await callTool('readTask', { task })).text, text);
    const { taskId = '' } = services.tasks.get(task) ?? {};
    assert.equal((await callTool('readTask', { task: taskId })).text, text);
    assert.match(
      (await callTool('readTask', {})).text,
      new RegExp(`newest first:\n- ${task}: Completed, “A red kite`),
    );
  });

  it('wait no longer than requested, and cancel a running task only after the user agreed', async () => {
    const task = await startVideo('A slow kite. Take 60 seconds.');
    const waited = (await callTool('waitForTask', { task, seconds: 1 })).text;
    assert.match(waited, /^The task did not end within 1 s\.\n.*Call gatewayWaitForTask again/s);
    const declined = await callTool('cancelTask', { task });
    assert.match(declined.text, /^The user did not agree\. The task was not cancelled/);
    assert.equal(services.tasks.get(task)?.status, 'running');
    assert.deepEqual(declined.dialogs[0]?.message, 'Cancel “A slow kite. Take 60 seconds.”?');
    assert.match(declined.dialogs[0]?.detail ?? '', /may be billed/);
    const { text, dialogs } = await callTool('cancelTask', { task }, 'Cancel Task');
    assert.match(text, /^The task was cancelled\.\n/);
    assert.equal(dialogs.length, 1);
    assert.equal(services.tasks.get(task)?.failedAs, 'cancelled');
    assert.match(await callFailingTool('cancelTask', { task }), /only a running task can be cancelled/);
  });

  it('report that a task ended before the user agreed to cancel it', async () => {
    const task = await startVideo('A short kite. Take 2 seconds.');
    const { showWarningMessage } = vscode.window;
    Object.assign(vscode.window, {
      showWarningMessage: async () => {
        await waitForEvent(
          services.tasks.onDidChange,
          () => services.tasks.get(task)?.status === 'completed',
        );
        return 'Cancel Task';
      },
    });
    try {
      const text = await cancelTaskTool.run({ task }, services, new AbortController().signal);
      assert.match(text, /^Nothing was sent, because the task ended before the user agreed\.\nTask /);
    } finally {
      Object.assign(vscode.window, { showWarningMessage });
    }
  });

  it('report that a refused request did not create a video, and explain the refusal', async () => {
    const task = await startVideo('A kite. Fail with 422.');
    assert.equal(services.tasks.get(task)?.status, 'refused');
    const read = (await callTool('readTask', { task })).text;
    assert.match(read, /Nothing was created.*Nothing was billed.*gatewayExplainFailure with this task/s);
    assert.match(
      (await callTool('explainFailure', { task })).text,
      /^The gateway refused the request\. .*\nRequest: .*422/s,
    );
  });

  it('T11 explain a failed request, with the gateway’s message as plain text', async () => {
    await services.gateways.setCurrent('agents');
    const failed = await callFailingTool('askModel', { prompt: 'x', model: 'bad' }, 'Send Request');
    assert.match(failed, /^The gateway refused the credential\./);
    assert.match(failed, /Actions for the user in Model Gateway: Set Credential…, Check Connection\./);
    const requestId = /Request ID: ([\w-]+)/.exec(failed)?.[1];
    const { text } = await callTool('explainFailure', { requestId });
    assert.equal((await callTool('explainFailure', {})).text, text);
    assert.match(text, /^The gateway refused the credential\./);
    assert.match(text, /Message from the gateway: “No \[x\] \(command:y\) \$ \(zap\) here”/);
    assert.match((await callTool('listModels', {})).text, /^- odd \[x\] \(command:y\)/m);
    assert.match(
      await callFailingTool('explainFailure', { requestId: 'none' }),
      /The request “none” is not stored here/,
    );
  });

  it('use another gateway than the window’s if an agent names it', async () => {
    const { text } = await callTool('listModels', {});
    assert.match(text, /^Other gateways of the user, for the field gateway: .*\bagents\b/m);
    const others = (await callTool('listModels', { gateway: 'agents' })).text;
    assert.match(others, /^agents has 3 models\.$/m);
    assert.match(others, /for the field gateway: .*Local gateway/);
    const [dialog] = (await callTool('askModel', { prompt: 'x', model: 'slow', gateway: 'agents' })).dialogs;
    assert.match(dialog?.detail ?? '', /of your account at agents/);
    await services.gateways.setCurrent('agents');
    const input = { prompt: 'Say hello', model: 'demo/chat', gateway: 'Local gateway' };
    assert.match((await callTool('askModel', input, 'Send Request')).text, /^demo\/chat replied/);
    const video = { prompt: 'A kite. Take 1 second.', gateway: 'Local gateway' };
    const [question] = (await callTool('startVideo', video)).dialogs;
    assert.equal(question?.message, 'An agent wants to generate 1 video at Local gateway. Send the request?');
    assert.match(
      await callFailingTool('listModels', { gateway: 'nobody [x](command:y)' }),
      /^Nothing was sent: there is no gateway “nobody \[x\] \(command:y\)”\. Use one of .*“agents”/,
    );
  });

  it('report the user’s options if there is no gateway, and do not start one themselves', async () => {
    await services.gateways.setCurrent('none');
    for (const id of ['listModels', 'askModel', 'startVideo'])
      assert.match(
        await callFailingTool(id, id === 'listModels' ? {} : { prompt: 'x' }),
        /^Nothing was sent: no gateway is connected\. Ask the user to run “Connect to a Gateway…” or “Try the Demo”/,
      );
  });
});
