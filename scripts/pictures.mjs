// `npm run pictures`: takes the pictures of the README from the real workbench and the demo gateway, each in
// a dark and a light theme.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { step } from './progress.mjs';
import { root } from './root.mjs';
import { underPinnedNode } from './setup.mjs';

/** @typedef {import('../test/support/workbench.ts').Workbench} Workbench */

const question = 'Write a TypeScript example';

/**
 * What the pictures show, in this order in one window, so that a scene finds what the one before it left.
 *
 * @type {Record<string, (workbench: Workbench) => Promise<void>>}
 */
const scenes = {
  async start(workbench) {
    await workbench.activity('Model Gateway').click();
    await workbench.page.mouse.move(0, 0);
    await workbench.treeRows('Models').filter({ hasText: 'demo/chat' }).waitFor();
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    await chat.locator('body').evaluate(() => globalThis.document.fonts.ready);
  },

  async chat(workbench) {
    const chat = await workbench.webview('New Chat');
    await ask(chat, question);
    await chat.locator('.figures').waitFor({ timeout: 30_000 });
  },

  async failure(workbench) {
    const chat = await workbench.webview(question);
    await ask(chat, 'fail with 429');
    await chat.locator('.notice').waitFor();
  },

  async generate(workbench) {
    await make(workbench, 'A balloon over the sea. Take 1 second.');
    await workbench.treeRows('Tasks').filter({ hasText: 'saved' }).waitFor({ timeout: 30_000 });
    await make(workbench, 'A slow river at night. Take 60 seconds.');
    await workbench.treeRows('Tasks').filter({ hasText: 'running ·' }).waitFor({ timeout: 30_000 });
    await closeNotifications(workbench);
  },

  async task(workbench) {
    await workbench.treeRows('Tasks').filter({ hasText: 'saved' }).click();
    const page = await workbench.webview(/^A balloon/);
    await page.locator('video').evaluate(async (video) => {
      const known = new Promise((resolve) =>
        video.addEventListener('loadedmetadata', resolve, { once: true }),
      );
      if (video.readyState < video.HAVE_METADATA) await known;
      video.currentTime = video.duration / 2;
      await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
      const ready = new Promise((resolve) =>
        video.addEventListener('canplaythrough', resolve, { once: true }),
      );
      if (video.readyState < video.HAVE_ENOUGH_DATA) await ready;
    });
    await closeNotifications(workbench);
  },
};

/** Fills in the prompt on the Generate page and clicks. */
async function make(workbench, prompt) {
  await workbench.runCommand('Model Gateway: New Video');
  const page = await workbench.webview('Generate');
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(prompt);
  await page.getByRole('button', { name: 'Generate', exact: true }).click();
  await workbench
    .treeRows('Tasks')
    .filter({ hasText: prompt.slice(0, 12) })
    .waitFor();
}

async function closeNotifications(workbench) {
  await workbench.runCommand('Notifications: Clear All Notifications');
  await workbench.quickInput.closed();
}

/** @param {import('playwright-core').FrameLocator} chat */
async function ask(chat, text) {
  const box = chat.getByRole('textbox', { name: 'Message' });
  await box.fill(text);
  await box.press('Enter');
}

await underPinnedNode(import.meta.url, async () => {
  const { build } = await import('./build.mjs');
  const { startDemoGateway } = await import('./demoGateway.mjs');
  await step('Building', () => build());
  const gateway = await startDemoGateway();
  try {
    for (const theme of /** @type {const} */ (['dark', 'light'])) {
      await takeAll(theme, { MODEL_GATEWAY_DEV_GATEWAY: gateway.handshakeFile });
    }
  } finally {
    await gateway.stop();
  }
});

async function takeAll(theme, env) {
  const { Workbench } = await import('../test/support/workbench.ts');
  const folder = fileURLToPath(new URL('media/pictures/', root));
  await mkdir(folder, { recursive: true });
  const workbench = await Workbench.open({ name: 'pictures', theme, env });
  try {
    for (const [name, arrange] of Object.entries(scenes)) {
      await step(`${name}-${theme}.png`, async () => {
        await arrange(workbench);
        await workbench.page.screenshot({ path: `${folder}${name}-${theme}.png` });
      });
    }
  } finally {
    await workbench.close();
  }
}
