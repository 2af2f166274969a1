import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import { noParameters } from '../../src/conversations/conversation/chatParameters.ts';
import type { Services } from '../../src/host/app/services.ts';
import { AnswerChecks } from '../../src/host/chat/answerSchema/answerChecks.ts';
import { schemaScheme } from '../../src/host/chat/answerSchema/schemaFiles.ts';
import { openChat } from '../../src/host/chat/commands/openChat.ts';
import { handleCopy } from '../../src/host/chat/messages/copying.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import type { SchemaCheckView } from '../../src/protocol/schemaCheck.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { extensionServices, forgetClosedChats, until, useGateway } from '../support/extensionServices.ts';
import { type ScriptedGateway, startScriptedGateway, textChunk } from '../support/scriptedGateway.ts';

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
    services = await extensionServices();
    gateway = await startScriptedGateway(['played/model'], (response) => reply(response));
    await useGateway(services, 'schemas', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  beforeEach(async () => {
    chat = await services.chats.open({ model: 'played/model' });
    chat.session.target.parameters.choose(noParameters, 'other');
  });

  afterEach(closeEditors);

  after(async () => {
    await gateway.close();
  });

  function uriOf(id: string): vscode.Uri {
    return vscode.Uri.from({ scheme: schemaScheme, path: `/${id}/response.schema.json` });
  }

  async function openSchema(): Promise<vscode.TextEditor> {
    await vscode.commands.executeCommand('modelGateway.chat.editResponseSchema');
    const isShown = () => vscode.window.activeTextEditor?.document.uri.scheme === schemaScheme;
    await until(vscode.window.onDidChangeActiveTextEditor, isShown);
    const editor = vscode.window.activeTextEditor ?? assert.fail();
    return editor;
  }

  async function replaceAll(editor: vscode.TextEditor, text: string): Promise<void> {
    const { document } = editor;
    const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
    await editor.edit((edit) => edit.replace(all, text));
  }

  function says(text: string, end: string | null = 'stop'): (response: ServerResponse) => void {
    return (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${textChunk(text)}${textChunk('', end)}data: [DONE]\n\n`);
    };
  }

  /** What is found out about the reply to a question. */
  async function checked(): Promise<{
    readonly view: SchemaCheckView;
    readonly checks: AnswerChecks;
    readonly turnId: string;
  }> {
    const checks = new AnswerChecks(chat.session, services.answerChecker);
    await chat.session.ask('Which?');
    const turnId = chat.session.conversation.last?.id ?? '';
    await until(checks.onDidCheck, () => checks.view(turnId) !== undefined);
    return { view: checks.view(turnId) ?? assert.fail(), checks, turnId };
  }

  it('is edited as JSON with its own schema, used once it is saved, and goes with the next question', async () => {
    const editor = await openSchema();
    assert.equal(editor.document.languageId, 'json');
    assert.match(editor.document.uri.path, /\.schema\.json$/);
    const text = JSON.stringify(schema);
    await replaceAll(editor, text);
    assert.equal(chat.session.target.parameters.for('played/model').common.responseSchema, undefined);
    assert.ok(await editor.document.save());
    const { common } = chat.session.target.parameters.for('played/model');
    assert.deepEqual(common, { responseFormat: 'json_schema', responseSchema: schema });
    const body = (await chat.session.preview('Hi'))?.body;
    assert.deepEqual(body, {
      ...body,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    assert.equal((await openSchema()).document.getText(), text, 'as it was written');
  });

  it('is not used while it is wrong: saving fails, and the chat keeps the one it had', async () => {
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
      assert.deepEqual(chat.session.target.parameters.for('played/model').common.responseSchema, schema);
    }
    const uri = editor.document.uri;
    await assert.rejects(
      async () => services.schemaFiles.writeFile(uri, new TextEncoder().encode('{\n"type": "strng"}')),
      /Line 2: there is no type “strng”\./,
    );
  });

  it('is taken out by a command, with the response format that asks for it', async () => {
    const common = { responseFormat: 'json_schema', responseSchema: schema, temperature: 1 } as const;
    chat.session.target.parameters.choose({ ...noParameters, common }, 'other');
    await vscode.commands.executeCommand('modelGateway.chat.removeResponseSchema');
    assert.deepEqual(chat.session.target.parameters.for('played/model').common, { temperature: 1 });
  });

  it('that is too large for a chat to keep, or huge inside, is refused in words', async () => {
    const write = (text: string) =>
      services.schemaFiles.writeFile(uriOf(chat.session.id), new TextEncoder().encode(text));
    await assert.rejects(
      write(`{"title": "${'x'.repeat(5 * 1024 * 1024)}"}`),
      /at most 1,048,576 characters/,
    );
    const properties = Object.fromEntries(Array.from({ length: 8000 }, (_, at) => [`p${at}`, {}]));
    await assert.rejects(write(JSON.stringify({ properties })), /at most 5,000 schemas within it/);
    await assert.rejects(write('{"$ref": "#"}'), /Line 1: “#” refers to itself/);
    const remote = `{"$ref": "${gateway.baseUrl}/schema.json"}`;
    await assert.rejects(write(remote), /does not refer to a part of this schema/);
    assert.equal(chat.session.target.parameters.chosen?.common.responseSchema, undefined);
  });

  it('of a chat that is not open is read as it was kept, and saving it opens the chat', async () => {
    const common = { responseFormat: 'json_schema', responseSchema: schema } as const;
    chat.session.target.parameters.choose({ ...noParameters, common }, 'other');
    reply = says('{"items": []}');
    await chat.session.ask('Which?');
    const { id } = chat.session;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    forgetClosedChats(services);
    const read = async () => new TextDecoder().decode(await vscode.workspace.fs.readFile(uriOf(id)));
    assert.equal(await read(), `${JSON.stringify(schema, null, 2)}\n`);
    assert.ok((await vscode.workspace.fs.stat(uriOf(id))).size > 10);
    assert.ok(!services.chats.all.some(({ session }) => session.id === id), 'reading opens nothing');
    const editor = await vscode.window.showTextDocument(uriOf(id));
    await replaceAll(editor, '{"type": "object"}');
    assert.ok(await editor.document.save());
    const opened = services.chats.all.find(({ session }) => session.id === id) ?? assert.fail();
    const { responseSchema } = opened.session.target.parameters.for('played/model').common;
    assert.deepEqual(responseSchema, { type: 'object' });
    assert.equal(await read(), '{"type": "object"}', 'as it was written');
  });

  it('that is long comes back with its chat, with all that the chat is asked with', async () => {
    const responseSchema = { type: 'object', description: 'x'.repeat(300_000) };
    const parameters = {
      ...noParameters,
      systemPrompt: 'Be brief. '.repeat(30_000),
      common: { responseSchema },
    };
    chat.session.target.parameters.choose(parameters, 'other');
    reply = says('{}');
    await chat.session.ask('Which?');
    const { id } = chat.session;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    forgetClosedChats(services);
    const opened = (await openChat(services, id)) ?? assert.fail();
    assert.deepEqual(opened.session.target.parameters.for('played/model'), parameters);
  });

  it('of a chat that is gone is told to be no file', async () => {
    const { FileNotFound } = vscode.FileSystemError;
    for (const uri of [uriOf('gone'), uriOf(chat.session.id).with({ path: `/${chat.session.id}/other` })])
      await assert.rejects(async () => vscode.workspace.fs.readFile(uri), { code: FileNotFound().code });
  });

  describe('is held against the reply', () => {
    beforeEach(() => {
      const common = { responseFormat: 'json_schema', responseSchema: schema } as const;
      chat.session.target.parameters.choose({ ...noParameters, common }, 'other');
    });

    it('that matches', async () => {
      reply = says('{"items": [{"price": 1}]}');
      const { view } = await checked();
      assert.deepEqual(view, { kind: 'matches', title: 'Matches the schema.', faults: [] });
    });

    it('and the reply is copied as it came, with characters that nobody sees', async () => {
      const text = '{"items":  [], "joined": "a\u200db"}';
      reply = says(text);
      const { turnId } = await checked();
      await handleCopy({ type: 'copy-reply', turnId, choice: 0 }, chat.session.conversation);
      assert.equal(await vscode.env.clipboard.readText(), text);
    });

    it('that does not, with the failing path, which leads to its place', async () => {
      reply = says('{"items": [{"price": 1},\n {"price": "2"}]}');
      const { view, checks, turnId } = await checked();
      assert.deepEqual(view, {
        kind: 'differs',
        title: 'Does not match the schema:',
        faults: ['$.items[1].price must be number'],
      });
      await checks.open(turnId, 0);
      const { document, selection } = vscode.window.activeTextEditor ?? assert.fail();
      assert.deepEqual([document.languageId, document.getText(selection)], ['json', '"2"']);
      await checks.open(turnId, 7);
      checks.dispose();
    });

    it('that is no JSON', async () => {
      reply = says('Sure! Here it is.');
      const { view } = await checked();
      assert.equal(view.kind, 'differs');
      assert.match(view.title, /^Does not match the schema: the reply is not JSON\. /);
    });

    it('that was cut off, of which only that is said', async () => {
      reply = says('{"items": [', 'length');
      const { view } = await checked();
      assert.deepEqual(
        [view.kind, view.title],
        ['unchecked', 'Not checked against the schema: the reply was cut off before its end.'],
      );
    });

    it('in every API format, and not where none was asked for', async () => {
      const { target } = chat.session;
      for (const format of ['messages', 'responses', 'contentGeneration', 'interactions'] as const) {
        await target.chooseFormat(format);
        const body = JSON.stringify((await chat.session.preview('Hi'))?.body);
        assert.ok(body.includes(JSON.stringify(schema)), format);
      }
      await target.chooseFormat('chatCompletions');
      target.parameters.choose(noParameters, 'other');
      reply = says('Hello.');
      const checks = new AnswerChecks(chat.session, services.answerChecker);
      await chat.session.ask('Which?');
      assert.deepEqual(checks.views, {});
      checks.dispose();
    });
  });
});
