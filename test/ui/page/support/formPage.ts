import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import * as z from 'zod';
import { bundles } from '../../../../scripts/bundles.mjs';
import { chromiumFlags, findChromium } from '../../../../scripts/chromium.mjs';
import type { JsonObject } from '../../../../src/base/json.ts';
import type { JsonSchema } from '../../../../src/base/jsonSchema.ts';
import type { ParametersElement } from '../../../../src/webview/form/parametersElement.ts';

declare global {
  interface Window {
    /** The fired events of the sheet: the name and the detail of each. */
    fired: [string, unknown][];
    violations: string[];
    open(form: Partial<FormProperties>): void;
  }
}

/** The properties that a page passes to the sheet. */
export interface FormProperties {
  readonly schema: JsonSchema;
  readonly values: JsonObject;
  readonly requestJson: string;
  readonly omitted: readonly string[];
}

const entry = `
import '@vscode/codicons/dist/codicon.css';
import './styles/page.css';
import './styles/chat.css';
import './styles/field.css';
import './styles/parametersSheet.css';
import './form/parametersElement.ts';
`;

/** A page with only a button, and the parameters sheet that the button opens. */
export class FormBrowser {
  /** The errors of the page. */
  readonly errors: string[] = [];
  readonly #browser: Browser;
  readonly #server: Server;
  readonly #page: Page;

  static async launch(): Promise<FormBrowser> {
    const server = await serve(await bundle());
    const browser = await chromium.launch({ executablePath: await findChromium(), args: chromiumFlags });
    const page = await browser.newPage();
    await page.addInitScript(recordEvents);
    return new FormBrowser(browser, server, page);
  }

  private constructor(browser: Browser, server: Server, page: Page) {
    this.#browser = browser;
    this.#server = server;
    this.#page = page;
    page.on('pageerror', ({ stack, message }) => this.errors.push(stack ?? message));
  }

  /** Reloads the page; its button opens the sheet with these properties. */
  async page(form: Partial<FormProperties>, width = 900, height = 700): Promise<Page> {
    const page = this.#page;
    await page.setViewportSize({ width, height });
    await page.mouse.move(-1, -1);
    await page.goto(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
    await page.evaluate((properties) => {
      document.querySelector('button')?.addEventListener('click', () => window.open(properties));
    }, form);
    return page;
  }

  /** Reloads the page and opens the sheet. */
  async open(form: Partial<FormProperties>, width?: number, height?: number): Promise<Page> {
    const page = await this.page(form, width, height);
    await page.getByRole('button', { name: 'Set parameters' }).click();
    await page.getByRole('dialog').waitFor();
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Runs in the page before its script: the part of the chat page that handles the sheet. */
function recordEvents(): void {
  window.fired = [];
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
  });
  document.addEventListener('keydown', ({ key }) => window.fired.push(['keydown', key]));
  Object.assign(window, {
    open: (form: object) => {
      const sheet: ParametersElement = document.createElement('mg-parameters');
      for (const name of ['change', 'preview', 'copy-request', 'close']) {
        sheet.addEventListener(name, (event) => {
          window.fired.push([name, event instanceof CustomEvent ? event.detail : 'not of the sheet']);
        });
      }
      sheet.addEventListener('close', () => sheet.remove());
      document.body.append(Object.assign(sheet, form));
    },
  });
}

async function serve(files: ReadonlyMap<string, Uint8Array>): Promise<Server> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    const file = files.get(path);
    const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
    if (path === '/') response.setHeader('content-type', 'text/html').end(createHtml());
    else if (file) response.setHeader('content-type', type).end(file);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The policy is that of the chat page. */
function createHtml(): string {
  const nonce = randomBytes(16).toString('base64url');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    "connect-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ];
  return `<!DOCTYPE html>
<html lang="en">
<head>
<title>Parameters</title>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<link rel="stylesheet" href="/form.css">
</head>
<body>
<main><button type="button">Set parameters</button></main>
<script type="module" nonce="${nonce}" src="/form.js"></script>
</body>
</html>`;
}

async function bundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const chat = bundles.find(({ outfile }) => outfile === 'dist/webview.js');
  const { outputFiles } = await build({
    ...chat,
    entryPoints: [],
    stdin: { contents: entry, resolveDir: 'src/webview', sourcefile: 'form.ts', loader: 'ts' },
    outfile: 'dist/form.js',
    sourcemap: false,
    write: false,
  });
  return new Map(outputFiles.map(({ path, contents }) => [path.slice(path.lastIndexOf('/')), contents]));
}

/** The JSON schema that the page receives for a request schema. */
export function toJsonSchema(request: z.ZodType): JsonSchema {
  return z.toJSONSchema(request, { io: 'input' }) as JsonSchema;
}
