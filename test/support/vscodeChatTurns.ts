import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { streamText, streamToolCall } from './playedModel.ts';
import { type ProviderName, streamTurn, type VscodeChat } from './vscodeChat.ts';
import { poll } from './workbench.ts';

/** Half of the context size of an unknown model. */
const halfOfContext = 64_000;

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
