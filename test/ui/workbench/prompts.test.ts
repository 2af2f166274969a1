import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { appears, poll, Workbench } from '../../support/workbench.ts';
import { sendByEnter, waitForKeyFocus } from '../../support/workbenchChat.ts';
import { waitForValue } from '../page/support/waits.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of prompt files look like this

/** As long as a user needs to react, in milliseconds. */
const reactionMs = 400;

describe('in a chat, by keyboard only,', () => {
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
    // VS Code passes the focus on late, and that would close the list of the first command.
    await waitForKeyFocus(box());
  });

  after(() => workbench.close());

  const box = () => chat.getByRole('textbox', { name: 'Message' });
  const form = () => chat.getByRole('form', { name: 'Prompt letter' });

  /** Overwrites the current line. VS Code's key for selecting all takes effect only after the next typed text. */
  async function overwrite(text: string): Promise<void> {
    const { keyboard } = workbench.page;
    await keyboard.press('End');
    await keyboard.press('Shift+Home');
    await keyboard.type(text);
  }

  async function fill(who: string): Promise<void> {
    await waitForKeyFocus(form().getByRole('textbox', { name: 'who' }));
    await overwrite(who);
    await workbench.screenshot('prompts/form');
    await workbench.tabTo(form().getByRole('button', { name: 'Insert into Message Box' }));
    await workbench.page.keyboard.press('Enter');
    await form().waitFor({ state: 'detached' });
    await waitForKeyFocus(box());
    // Keys that follow a returned focus faster than a user reacts are removed if the page loses the focus again.
    await workbench.page.waitForTimeout(reactionMs);
  }

  async function sendQuestion(question: string): Promise<void> {
    await waitForKeyFocus(box());
    await overwrite(question);
    await sendByEnter(workbench.page, chat, chat.locator('.figures', { hasText: 'complete' }));
  }

  const waitForMessage = (text: string) => waitForValue(() => box().inputValue(), text);

  it('a prompt is run from the palette: its form fills the message box, and the message is not sent', async () => {
    await workbench.typeCommand('Model Gateway: Run Prompt…');
    await workbench.quickInput.option('letter').waitFor();
    await workbench.page.keyboard.type('letter');
    await workbench.quickInput.choose('letter');
    await fill('Ada');
    await waitForMessage('Write to Ada, friendly.');
    assert.equal(await chat.locator('.question-text').count(), 0);
  });

  it('a prompt is run by / in the message box, and its form has the last value', async () => {
    await overwrite('/let');
    await chat.getByRole('option', { name: /letter/, selected: true }).waitFor();
    await workbench.page.keyboard.press('Enter');
    await form().waitFor();
    assert.equal(await form().getByRole('textbox', { name: 'who' }).inputValue(), 'Ada');
    await fill('Bo');
    await waitForMessage('Write to Bo, friendly.');
  });

  it('a preset is saved, and used in another chat', async () => {
    const { page, quickInput } = workbench;
    await workbench.typeCommand('Model Gateway: Edit System Prompt');
    await waitForKeyFocus(chat.getByRole('textbox', { name: 'System prompt' }));
    await page.keyboard.type('Be brief.');
    await page.keyboard.press('Escape');
    await chat.getByRole('button', { name: 'Parameters: 1 set' }).waitFor();
    // The sheet returns the focus a little after it closed, which closes a list that opened in between.
    await poll('the box for its name', async () => {
      await workbench.typeCommand('Model Gateway: Choose Parameter Preset…');
      await quickInput.choose('Save as Preset…', 2000).catch(() => {});
      return appears(quickInput.widget.getByText('Preset name'));
    });
    await page.keyboard.type('Brief');
    await page.keyboard.press('Enter');
    await workbench.statusBarItem('Saved the preset Brief').waitFor();
    await sendQuestion('Hello');
    await page.keyboard.press('Control+Alt+g');
    chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Parameters', exact: true }).waitFor();
    await workbench.typeCommand('Model Gateway: Choose Parameter Preset…');
    await quickInput.choose('Brief');
    await chat.getByRole('button', { name: 'Parameters: 1 set' }).waitFor();
  });

  it('the usage lists the model that was used', async () => {
    await workbench.typeCommand('Model Gateway: Show Usage');
    await workbench.tab('Usage.md').waitFor();
    await poll('the model in the usage', async () => {
      const frames = workbench.page.frames();
      const texts = frames.map((frame) => frame.locator('table').first().innerText({ timeout: 1000 }));
      const tables = await Promise.allSettled(texts);
      return (
        tables.some((each) => each.status === 'fulfilled' && each.value.includes('demo/chat')) || undefined
      );
    });
    await workbench.screenshot('prompts/usage');
  });
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the end of these
