import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import { noParameters } from '../../src/conversations/conversation/chatParameters.ts';
import type { Services } from '../../src/host/app/services.ts';
import { handleCopyMessage } from '../../src/host/chat/pageMessages/chatPageMessages.ts';
import { ReplyChecks } from '../../src/host/chat/responseSchema/replyChecks.ts';
import { schemaScheme } from '../../src/host/chat/responseSchema/schemaFiles.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import type { SchemaCheckView } from '../../src/protocol/chatTurn.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, unloadClosedChats, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

const schema = {
  type: 'object',
  properties: {
    items: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
  },
  required: ['items'],
};

describe('the response schema of a chat', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let chat: ChatPanel;
  let reply: (response: ServerResponse) => void;

  before(async () => {
    services = await getServices();
    gateway = await startScriptedGateway(['provider/model'], (response) => reply(response));
    await useGateway(services, 'schemas', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  beforeEach(async () => {
    chat = await services.chats.open({ model: 'provider/model' });
    chat.session.target.parameters.choose(noParameters, 'other');
  });

  afterEach(closeEditors);

  after(async () => {
    await gateway.close();
  });

  function createUri(id: string): vscode.Uri {
    return vscode.Uri.from({ scheme: schemaScheme, path: `/${id}/response.schema.json` });
  }

  async function openSchema(): Promise<vscode.TextEditor> {
    await vscode.commands.executeCommand('modelGateway.chat.editResponseSchema');
    // The page of a chat that has just opened may take the focus back.
    const shown = () =>
      vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === schemaScheme);
    await waitForEvent(vscode.window.onDidChangeVisibleTextEditors, () => shown() !== undefined);
    const editor = shown() ?? assert.fail();
    return editor;
  }

  async function replaceAll(editor: vscode.TextEditor, text: string): Promise<void> {
    const { document } = editor;
    const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
    await editor.edit((edit) => edit.replace(all, text));
  }

  function createTextReply(text: string, end: string | null = 'stop'): (response: ServerResponse) => void {
    return (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${createTextChunk(text)}${createTextChunk('', end)}data: [DONE]\n\n`);
    };
  }

  /** The result of the schema check of a reply. */
  async function sendAndCheck(): Promise<{
    readonly view: SchemaCheckView;
    readonly checks: ReplyChecks;
    readonly turnId: string;
  }> {
    const checks = new ReplyChecks(chat.session, services.replyChecker);
    await chat.session.send('Which?');
    const turnId = chat.session.conversation.lastTurn?.id ?? '';
    await waitForEvent(checks.onDidCheck, () => checks.views[turnId] !== undefined);
    return { view: checks.views[turnId] ?? assert.fail(), checks, turnId };
  }

  it('is edited as JSON with its own schema, used once it is saved, and sent with the next question', async () => {
    const editor = await openSchema();
    assert.equal(editor.document.languageId, 'json');
    assert.match(editor.document.uri.path, /\.schema\.json$/);
    const text = JSON.stringify(schema);
    await replaceAll(editor, text);
    assert.equal(
      chat.session.target.parameters.getForModel('provider/model').common.responseSchema,
      undefined,
    );
    assert.ok(await editor.document.save());
    const { common } = chat.session.target.parameters.getForModel('provider/model');
    assert.deepEqual(common, { responseFormat: 'json_schema', responseSchema: schema });
    const body = (await chat.session.previewRequest('Hi'))?.body;
    assert.deepEqual(body, {
      ...body,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    assert.equal((await openSchema()).document.getText(), text, 'as it was written');
  });

  it('cannot be saved while it is invalid, and the chat keeps the earlier one', async () => {
    chat.session.target.parameters.choose({ ...noParameters, common: { responseSchema: schema } }, 'other');
    const editor = await openSchema();
    for (const wrong of ['{"type": ', '[]', '{"properties": {"a": {"type": "strng"}}}']) {
      await replaceAll(editor, wrong);
      const { document } = editor;
      await answerDialogs(undefined, () =>
        document.save().then(
          (saved) => assert.equal(saved, false),
          () => undefined,
        ),
      );
      assert.ok(document.isDirty);
      assert.deepEqual(
        chat.session.target.parameters.getForModel('provider/model').common.responseSchema,
        schema,
      );
    }
    const uri = editor.document.uri;
    await assert.rejects(
      async () => services.schemaFiles.writeFile(uri, new TextEncoder().encode('{\n"type": "strng"}')),
      /Line 2: unknown type “strng”\./,
    );
  });

  it('is removed by saving an empty file, together with the response format that needs it', async () => {
    const common = { responseFormat: 'json_schema', responseSchema: schema, temperature: 1 } as const;
    chat.session.target.parameters.choose({ ...noParameters, common }, 'other');
    const editor = await openSchema();
    await replaceAll(editor, ' \n');
    assert.ok(await editor.document.save());
    assert.deepEqual(chat.session.target.parameters.getForModel('provider/model').common, { temperature: 1 });
    assert.equal(editor.document.getText(), ' \n', 'as it was written');
    assert.match(
      (await openSchema()).document.getText(),
      /"answer"/,
      'the example of a chat without a schema',
    );
  });

  it('is refused with a message if it is too large, has too many parts or has invalid references', async () => {
    const write = (text: string) =>
      services.schemaFiles.writeFile(createUri(chat.session.id), new TextEncoder().encode(text));
    await assert.rejects(
      write(`{"title": "${'x'.repeat(5 * 1024 * 1024)}"}`),
      /at most 1,048,576 characters/,
    );
    const properties = Object.fromEntries(Array.from({ length: 8000 }, (_, at) => [`p${at}`, {}]));
    await assert.rejects(write(JSON.stringify({ properties })), /at most 5,000 nested schemas/);
    await assert.rejects(write('{"$ref": "#"}'), /Line 1: “#” refers to itself/);
    const remote = `{"$ref": "${gateway.baseUrl}/schema.json"}`;
    await assert.rejects(write(remote), /does not refer to a part of this schema/);
    assert.equal(chat.session.target.parameters.own?.common.responseSchema, undefined);
  });

  it('is read as it was stored if its chat is not open, and saving it opens the chat', async () => {
    const common = { responseFormat: 'json_schema', responseSchema: schema } as const;
    chat.session.target.parameters.choose({ ...noParameters, common }, 'other');
    reply = createTextReply('{"items": []}');
    await chat.session.send('Which?');
    const { id } = chat.session;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    const read = async () => new TextDecoder().decode(await vscode.workspace.fs.readFile(createUri(id)));
    assert.equal(await read(), `${JSON.stringify(schema, null, 2)}\n`);
    assert.ok((await vscode.workspace.fs.stat(createUri(id))).size > 10);
    assert.ok(!services.chats.all.some(({ session }) => session.id === id), 'reading does not open a chat');
    const editor = await vscode.window.showTextDocument(createUri(id));
    await replaceAll(editor, '{"type": "object"}');
    assert.ok(await editor.document.save());
    const opened = services.chats.all.find(({ session }) => session.id === id) ?? assert.fail();
    const { responseSchema } = opened.session.target.parameters.getForModel('provider/model').common;
    assert.deepEqual(responseSchema, { type: 'object' });
    assert.equal(await read(), '{"type": "object"}', 'as it was written');
  });

  it('is restored with its chat and the other parameters, even if it is long', async () => {
    const responseSchema = { type: 'object', description: 'x'.repeat(300_000) };
    const parameters = {
      ...noParameters,
      systemPrompt: 'Be brief. '.repeat(30_000),
      common: { responseSchema },
    };
    chat.session.target.parameters.choose(parameters, 'other');
    reply = createTextReply('{}');
    await chat.session.send('Which?');
    const { id } = chat.session;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    const opened = (await openChat(services, id)) ?? assert.fail();
    assert.deepEqual(opened.session.target.parameters.getForModel('provider/model'), parameters);
  });

  it('is a missing file if its chat was deleted', async () => {
    const { FileNotFound } = vscode.FileSystemError;
    for (const uri of [
      createUri('gone'),
      createUri(chat.session.id).with({ path: `/${chat.session.id}/other` }),
    ])
      await assert.rejects(async () => vscode.workspace.fs.readFile(uri), { code: FileNotFound().code });
  });

  describe('is checked against a reply', () => {
    beforeEach(() => {
      const common = { responseFormat: 'json_schema', responseSchema: schema } as const;
      chat.session.target.parameters.choose({ ...noParameters, common }, 'other');
    });

    it('that matches', async () => {
      reply = createTextReply('{"items": [{"price": 1}]}');
      const { view } = await sendAndCheck();
      assert.deepEqual(view, { kind: 'matches', title: 'Matches the schema.', faults: [] });
    });

    it('with invisible characters, which are copied unchanged', async () => {
      const text = '{"items":  [], "joined": "a\u200db"}';
      reply = createTextReply(text);
      const { turnId } = await sendAndCheck();
      await handleCopyMessage({ type: 'copy-reply', turnId, choice: 0 }, chat.session.conversation);
      assert.equal(await vscode.env.clipboard.readText(), text);
    });

    it('that does not match, with the failing path, which leads to its position', async () => {
      reply = createTextReply('{"items": [{"price": 1},\n {"price": "2"}]}');
      const { view, checks, turnId } = await sendAndCheck();
      assert.deepEqual(view, {
        kind: 'differs',
        title: 'Does not match the schema:',
        faults: ['$.items[1].price must be number'],
      });
      await checks.openFault(turnId, 0);
      const { document, selection } = vscode.window.activeTextEditor ?? assert.fail();
      assert.deepEqual([document.languageId, document.getText(selection)], ['json', '"2"']);
      await checks.openFault(turnId, 7);
      checks.dispose();
    });

    it('that does not match alternatives, or a long list of values', async () => {
      const alternatives = [{ type: 'string' }, { type: 'null' }];
      const responseSchema = {
        properties: {
          any: { anyOf: alternatives },
          one: { oneOf: alternatives },
          long: { enum: ['a'.repeat(300)] },
        },
      };
      const common = { responseFormat: 'json_schema', responseSchema } as const;
      chat.session.target.parameters.choose({ ...noParameters, common }, 'other');
      reply = createTextReply('{"any": 1, "one": 1, "long": "b"}');
      const { view } = await sendAndCheck();
      assert.deepEqual(view.faults, [
        '$.any matches none of the alternatives',
        '$.one matches none or more than one of the alternatives',
        '$.long does not satisfy “enum”',
      ]);
    });

    it('that is not JSON', async () => {
      reply = createTextReply('Sure! Here it is.');
      const { view } = await sendAndCheck();
      assert.equal(view.kind, 'differs');
      assert.match(view.title, /^Does not match the schema: the reply is not JSON\. /);
    });

    it('that was cut off, and only this is reported', async () => {
      reply = createTextReply('{"items": [', 'length');
      const { view } = await sendAndCheck();
      assert.deepEqual(
        [view.kind, view.title],
        ['unchecked', 'Not checked against the schema: the reply was cut off.'],
      );
    });

    it('only if the chat has one, and is sent in every API format', async () => {
      const { target } = chat.session;
      for (const format of ['messages', 'responses', 'contentGeneration', 'interactions'] as const) {
        await target.chooseFormat(format);
        const body = JSON.stringify((await chat.session.previewRequest('Hi'))?.body);
        assert.ok(body.includes(JSON.stringify(schema)), format);
      }
      await target.chooseFormat('chatCompletions');
      target.parameters.choose(noParameters, 'other');
      reply = createTextReply('Hello.');
      const checks = new ReplyChecks(chat.session, services.replyChecker);
      await chat.session.send('Which?');
      assert.deepEqual(checks.views, {});
      checks.dispose();
    });
  });
});
