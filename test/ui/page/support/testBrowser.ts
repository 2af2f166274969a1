import { PageBrowser } from './pageBrowser.ts';

let launched: Promise<PageBrowser> | undefined;

/** The browser of all tests of pages, launched by the first test. */
export function getTestBrowser(): Promise<PageBrowser> {
  launched ??= PageBrowser.launch({ reusesTabs: true });
  return launched;
}

// Outside of all suites, so it runs after the last file.
after(async () => (await launched)?.close());
