import type { Locator, Page } from 'playwright-core';

/** How long VS Code may take to pass the focus on to a page, in milliseconds. */
const focusMs = 2000;

/** Waits while VS Code passes the focus on to a page: it would close an input that opens in the meantime. */
export async function waitForFocus(page: Page): Promise<void> {
  const outer = page.locator('iframe.webview:focus');
  const inner = outer.contentFrame().locator('iframe#active-frame').contentFrame().locator('body');
  const deadline = Date.now() + focusMs;
  while ((await outer.count()) > 0 && Date.now() < deadline) {
    const hasFocus = inner.evaluate((body) => body.ownerDocument.hasFocus(), undefined, { timeout: focusMs });
    if (await hasFocus.catch(() => false)) return;
  }
}

/** The input at the top of the window: command palette, quick picks and input boxes. */
export class WorkbenchQuickInput {
  /** The whole widget: title, text box, message, list. */
  readonly widget: Locator;
  /** The text box. */
  readonly input: Locator;
  /** The message of the widget about the input, such as a validation error. */
  readonly message: Locator;
  /** The rows of the list that are on the screen. */
  readonly options: Locator;

  constructor(page: Page) {
    this.widget = page.locator('.quick-input-widget').filter({ visible: true });
    this.input = this.widget.locator('.quick-input-box input');
    this.message = this.widget.locator('.quick-input-message');
    this.options = this.widget.getByRole('option');
  }

  /** @param timeout how long to wait for the text box, in milliseconds */
  async fill(text: string, timeout?: number): Promise<void> {
    await this.input.fill(text, timeout === undefined ? {} : { timeout });
  }

  /** Waits until the text box has a text of this form. */
  async waitForText(pattern: RegExp): Promise<void> {
    while (!pattern.test(await this.input.inputValue())) await this.input.page().waitForTimeout(50);
  }

  /** Waits until the widget has disappeared, including its animation. */
  async waitUntilClosed(): Promise<void> {
    const page = this.input.page();
    const hidden = page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await hidden.catch(async (cause: unknown) => {
      throw new Error(`The input is still open: ${await this.widget.innerText()}`, { cause });
    });
  }

  /** Presses Enter: accepts the text, or the highlighted row. */
  async accept(): Promise<void> {
    await this.input.press('Enter');
  }

  /**
   * Clicks the row whose label is `label`, at any position of the list.
   *
   * @param timeout how long to wait for the row, in milliseconds
   */
  async pick(label: string, timeout?: number): Promise<void> {
    await this.option(label).click(timeout === undefined ? {} : { timeout });
  }

  /**
   * Waits until the row whose label is `label` is highlighted, as after typing, and accepts it with Enter.
   *
   * @param timeout how long to wait for the row, in milliseconds
   */
  async choose(label: string, timeout?: number): Promise<void> {
    const page = this.input.page();
    await this.option(label)
      .and(page.locator('.focused'))
      .waitFor(timeout === undefined ? {} : { timeout });
    await page.keyboard.press('Enter');
  }

  option(label: string): Locator {
    // VS Code highlights typed text in labels, so that a part of a longer label may equal this text.
    const labelPattern = new RegExp(`^\\s*${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
    return this.options.filter({
      has: this.widget.page().locator('.label-name').filter({ hasText: labelPattern }),
    });
  }

  async cancel(): Promise<void> {
    await this.input.press('Escape');
  }
}
