import type { FrameLocator, Locator, Page } from 'playwright-core';
import { poll } from './workbench.ts';

/**
 * Waits until typed keys reach an element of a page. VS Code passes the focus on to a page late, and the page
 * already has a focused element then.
 */
export async function waitForKeyFocus(element: Locator): Promise<void> {
  const hasFocus = () => element.evaluate((each) => each.matches(':focus') && document.hasFocus());
  await poll(`focus on ${element}`, async () => (await hasFocus()) || undefined);
}

/** Sends the typed question by keyboard and waits for the figures of its reply. */
export async function sendByEnter(page: Page, chat: FrameLocator, reply: Locator): Promise<void> {
  await page.keyboard.press('Enter');
  // Keys that follow a command faster than a user can type need a second Enter.
  const confirmation = chat.getByText('Press Enter again to send it.');
  await reply.or(confirmation).first().waitFor();
  if (await confirmation.isVisible()) await page.keyboard.press('Enter');
  await reply.waitFor();
}
