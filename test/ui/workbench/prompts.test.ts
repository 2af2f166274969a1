import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { poll, Workbench } from '../../support/workbench.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of prompt files look like this

describe('a prompt file', () => {
  let workbench: Workbench;
  let chat: FrameLocator;

  before(async () => {
    workbench = await Workbench.open({ name: 'prompts', theme: 'light' });
    const folder = join(workbench.folder, '.github', 'prompts');
    await mkdir(folder, { recursive: true });
    const text = '---\ndescription: Writes a letter\n---\nWrite to ${input:who}, ${input:tone:friendly}.';
    await writeFile(join(folder, 'letter.prompt.md'), text);
    await workbench.activity('Model Gateway').click();
    await workbench.tryDemo();
    chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
  });

  after(() => workbench.close());

  const box = () => chat.getByRole('textbox', { name: 'Message' });
  const form = () => chat.getByRole('form', { name: 'Prompt letter' });

  async function fill(who: string): Promise<void> {
    await form().getByRole('textbox', { name: 'who' }).fill(who);
    await workbench.screenshot('prompts/form');
    await form().getByRole('button', { name: 'Put into Message Box' }).click();
    await form().waitFor({ state: 'detached' });
  }

  const written = (text: string) =>
    poll(text, async () => ((await box().inputValue()) === text ? true : undefined));

  it('is run from the palette: its form fills the message box, and nothing is sent', async () => {
    await workbench.runCommand('Model Gateway: Run Prompt…');
    await workbench.quickInput.pick('letter');
    await fill('Ada');
    await written('Write to Ada, friendly.');
    assert.equal(await chat.locator('.question-text').count(), 0);
  });

  it('is run by / in the message box, and remembers what was written', async () => {
    await box().fill('');
    await box().pressSequentially('/let');
    await chat.getByRole('option', { name: /letter/ }).click();
    await form().waitFor();
    assert.equal(await form().getByRole('textbox', { name: 'who' }).inputValue(), 'Ada');
    await fill('Bo');
    await written('Write to Bo, friendly.');
  });
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the end of these
