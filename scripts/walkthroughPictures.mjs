// The pictures of the walkthrough: small ones, each of the part of the window that its step describes.
import { mkdir, writeFile } from 'node:fs/promises';
import { root } from './root.mjs';

/** @typedef {import('../test/support/workbench.ts').Workbench} Workbench */

/** Narrow, so that text is legible where VS Code shows the pictures at half their size. */
export const walkthroughViewport = { width: 860, height: 700 };

/** Without the window's title bar and status bar, and without the editor area if no editor is open. */
const clips = {
  connect: { x: 0, y: 36, width: 264, height: 470 },
  chat: { x: 0, y: 36, width: 860, height: 632 },
  video: { x: 0, y: 36, width: 860, height: 632 },
};

/**
 * The scenes of the pictures, in this order in one window that has no gateway at first.
 *
 * @type {Record<string, (workbench: Workbench) => Promise<void>>}
 */
export const walkthroughScenes = {
  async connect(workbench) {
    await workbench.activity('Model Gateway').click();
    // Then the Models view has room for all its rows.
    await workbench.page.getByRole('button', { name: /^Chats.* Section$/ }).click();
    await workbench.page.mouse.move(0, 0);
    await workbench.page.getByRole('button', { name: 'Try the Demo' }).waitFor();
    await workbench.statusBarItem('Model Gateway').waitFor();
    const busy = '.activitybar .badge, .part.sidebar .monaco-progress-container.active';
    await workbench.page.locator(busy).filter({ visible: true }).first().waitFor({ state: 'detached' });
  },

  async chat(workbench) {
    await workbench.tryDemo();
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: /^Compare streaming/ }).click();
    await chat.locator('.figures').waitFor({ timeout: 30_000 });
    await workbench.page.mouse.move(0, 0);
  },

  async video(workbench) {
    await workbench.runCommand('Model Gateway: New Video');
    const page = await workbench.webview('Generate');
    await page
      .getByRole('textbox', { name: 'Prompt', exact: true })
      .fill('A balloon over the sea. Take 1 second.');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    await page.locator('video').first().waitFor({ timeout: 30_000 });
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.quickInput.waitUntilClosed();
    await workbench.page.mouse.move(0, 0);
  },
};

/**
 * Saves the part of the window that the step describes as WebP, a third of a PNG's size: these pictures are
 * shipped.
 *
 * @param {import('playwright-core').Page} page
 */
export async function saveForWalkthrough(page, name, theme) {
  const png = await page.screenshot({ clip: clips[name] });
  const webp = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const { createImageBitmap, OffscreenCanvas } = /** @type {any} */ (globalThis);
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext('2d')?.drawImage(picture, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.75 });
    return Array.from(new Uint8Array(await blob.arrayBuffer()));
  }, png.toString('base64'));
  const folder = new URL('media/walkthrough/', root);
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${name}-${theme}.webp`, folder), Uint8Array.from(webp));
}
