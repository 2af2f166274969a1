import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { streamText, streamToolCall } from './modelStreams.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from './scriptedGateway.ts';
import { type ProviderName, streamTurn, type VscodeChat } from './vscodeChat.ts';
import { poll } from './workbench.ts';

/** Half of the context size of an unknown model. */
const halfOfContext = 64_000;

/** Starts a gateway with the model `refusing-model`, which refuses each credential but `new-credential`. */
export function startRefusingGateway(): Promise<ScriptedGateway> {
  return startScriptedGateway(['refusing-model'], (response, { authorization }) => {
    if (authorization === 'Bearer new-credential')
      response
        .setHeader('content-type', 'text/event-stream')
        .end(`${createTextChunk('It works again.', 'stop')}data: [DONE]\n\n`);
    else
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"Expired"}}');
  });
}

/**
 * Asks a model of `startRefusingGateway`, which is open in VS Code's chat with an old credential, sets the new one and asks
 * again.
 */
export async function correctCredential(chat: VscodeChat): Promise<void> {
  await chat.sendQuestion('Are you there?', []);
  await chat.waitForReply('What you can do:');
  const advice = await chat.reply.innerText();
  assert.match(
    advice,
    /refused the credential[\s\S]*run “Model Gateway: Set Credential…” in the Command Palette/,
  );
  assert.doesNotMatch(advice, /sign in/i);
  await chat.setCredential('new-credential');
  await chat.sendQuestion('And now?', []);
  await chat.waitForReply('It works again.');
}

/** Lets VS Code's agent read and change a file of the workspace with the provider's model, which then replies. */
export async function runReadAndEdit(chat: VscodeChat, provider: ProviderName): Promise<void> {
  const filePath = join(chat.workbench.folder, `${provider}.txt`);
  await writeFile(filePath, 'Toast with marmalade\n');
  const read = { name: 'read_file', arguments: { filePath, startLine: 1, endLine: 2 } };
  const edit = {
    name: 'replace_string_in_file',
    arguments: { filePath, oldString: 'marmalade', newString: 'honey' },
  };
  const replyText = `It has honey now, says ${provider}.`;
  const turn = await chat.sendQuestion(`Change what is in ${provider}.txt.`, [
    streamTurn((format) => streamToolCall(format, read)),
    streamTurn((format) => streamToolCall(format, edit)),
    streamTurn((format) => streamText(format, replyText, halfOfContext)),
  ]);
  await chat.waitForReply(replyText);
  assert.equal(await readFile(filePath, 'utf8'), 'Toast with honey\n');
  const [, afterRead, afterEdit] = turn();
  assert.match(afterRead ?? '', /Toast with marmalade/);
  assert.ok((afterEdit ?? '').length > (afterRead ?? '').length);
  await poll(
    'half of the ring',
    async () => (await chat.contextUse.getAttribute('aria-label'))?.includes('50%') || undefined,
  );
}
