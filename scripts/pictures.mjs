// `npm run pictures`: takes the pictures of the README and of the walkthrough from the real workbench and the demo
// gateway, each in a dark and a light theme. `npm run pictures walkthrough` takes only those of the walkthrough,
// `npm run pictures readme` the others.
import { fileURLToPath } from 'node:url';
import { step } from './progress.mjs';
import { root } from './root.mjs';
import { underPinnedNode } from './setup.mjs';
import { saveForWalkthrough, walkthroughScenes, walkthroughViewport } from './walkthroughPictures.mjs';

/** @typedef {import('../test/support/workbench.ts').Workbench} Workbench */

const themes = /** @type {const} */ (['dark', 'light']);

const question = 'Write a TypeScript function that retries a request with backoff';

/** The chats of the previous days. */
const storedChats = [
  { question: 'How do I read a file line by line in Rust?', daysAgo: 40, isPinned: true },
  { question: 'Compare three ways to store a tree in a relational database', daysAgo: 4 },
  { question: 'Why does my query ignore the index?', daysAgo: 1, title: 'Slow query' },
  { question: 'Explain this regular expression to me', daysAgo: 1 },
];

/**
 * The scenes of the pictures, in this order in one window: a scene continues from the state of the previous one.
 *
 * @type {Record<string, (workbench: Workbench) => Promise<void>>}
 */
const scenes = {
  async start(workbench) {
    const { storeChats } = await import('../test/support/seededChats.ts');
    storeChats(workbench.storage, storedChats);
    await workbench.activity('Model Gateway').click();
    await workbench.page.mouse.move(0, 0);
    await workbench.treeRows('Models').filter({ hasText: 'demo/chat' }).waitFor();
    await workbench.treeRows('Chats').filter({ hasText: 'Slow query' }).waitFor();
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: 'Model: demo/chat' }).waitFor();
    await chat.locator('body').evaluate(() => globalThis.document.fonts.ready);
  },

  async chat(workbench) {
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: question }).click();
    await chat.locator('.figures').waitFor({ timeout: 30_000 });
  },

  async failure(workbench) {
    const chat = await workbench.webview(/^Write a TypeScript/);
    await sendMessage(chat, 'fail with 429');
    await chat.locator('.notice').waitFor();
  },

  async generate(workbench) {
    await generateVideo(workbench, 'A balloon over the sea. Take 1 second.');
    await workbench.treeRows('Tasks').filter({ hasText: 'saved' }).waitFor({ timeout: 30_000 });
    await generateVideo(workbench, 'A slow river at night. Take 60 seconds.');
    await workbench
      .treeRows('Tasks')
      .and(workbench.page.getByRole('treeitem', { name: /^Running, / }))
      .waitFor({ timeout: 30_000 });
    await closeNotifications(workbench);
  },

  async task(workbench) {
    await workbench.treeRows('Tasks').filter({ hasText: 'saved' }).click();
    await workbench.page.mouse.move(0, 0);
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
async function generateVideo(workbench, prompt) {
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
  await workbench.quickInput.waitUntilClosed();
}

/** @param {import('playwright-core').FrameLocator} chat */
async function sendMessage(chat, text) {
  const box = chat.getByRole('textbox', { name: 'Message' });
  await box.fill(text);
  await box.press('Enter');
}

await underPinnedNode(import.meta.url, async () => {
  const { build } = await import('./build.mjs');
  const { startLocalGateway } = await import('./localGateway.mjs');
  await step('Building', () => build());
  for (const theme of process.argv[2] === 'readme' ? [] : themes) {
    await takeAll(walkthroughScenes, { theme, viewport: walkthroughViewport }, (workbench, name) =>
      saveForWalkthrough(workbench.page, name, theme),
    );
  }
  if (process.argv[2] === 'walkthrough') return;
  const gateway = await startLocalGateway();
  try {
    const env = { MODEL_GATEWAY_DEV_GATEWAY: gateway.handshakeFile };
    for (const theme of themes) {
      await takeAll(scenes, { theme, env }, async (workbench, name) => {
        const path = fileURLToPath(new URL(`media/pictures/${name}-${theme}.png`, root));
        await workbench.page.screenshot({ path });
      });
    }
  } finally {
    await gateway.stop();
  }
});

async function takeAll(scenesInOrder, options, save) {
  const { Workbench } = await import('../test/support/workbench.ts');
  const workbench = await Workbench.open({ name: 'pictures', isFull: true, ...options });
  try {
    for (const [name, arrange] of Object.entries(scenesInOrder)) {
      await step(`${name}, ${options.theme}`, async () => {
        await arrange(workbench);
        await save(workbench, name);
      });
    }
  } finally {
    await workbench.close();
  }
}
