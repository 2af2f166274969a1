import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname } from 'node:path';
import { build } from 'esbuild';
import { pageBundles } from '../../../../scripts/bundles.mjs';
import { root } from '../../../../scripts/root.mjs';
import { escapeHtml } from '../../../../src/host/kit/pages/pageDocument.ts';

/** The random token in the page's HTML that every message of the page carries. */
export const channel = 'test-channel';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

/** The main element of each page, by path. */
const elements: Readonly<Record<string, string>> = {
  '/': 'mg-chat',
  '/generate': 'mg-generate',
  '/task': 'mg-task',
};

/** A file that a page may show, by its path on the server. */
export interface ServedFile {
  readonly path: string;
  readonly mimeType: string;
  readonly body: Buffer;
}

/** Serves the pages as the extension host does: only the bundle, under its policy. */
export class PageServer {
  /** Requested paths that do not exist. */
  readonly unknownPaths: string[] = [];
  /** The files of a test, by path. */
  testFiles: ReadonlyMap<string, ServedFile> = new Map();
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #server: Server;

  static async start(): Promise<PageServer> {
    const server = new PageServer(await loadFiles());
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  private constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.#files = files;
    this.#server = createServer((request, response) => {
      const { pathname: path, search } = new URL(request.url ?? '', this.origin);
      const file = this.#files.get(path);
      const element = elements[path];
      const testFile = this.testFiles.get(path);
      if (element) {
        response.setHeader('content-type', 'text/html').end(this.#html(element, search === '?zh-CN'));
      } else if (file) {
        // Chromium compiles a cached script only once.
        response
          .setHeader('content-type', types[extname(path)] ?? 'text/plain')
          .setHeader('cache-control', 'max-age=86400, immutable')
          .end(file);
      } else if (testFile) {
        response.setHeader('content-type', testFile.mimeType).end(testFile.body);
      } else {
        // The browser requests an icon of every site, regardless of the page.
        if (path !== '/favicon.ico') this.unknownPaths.push(path);
        response.writeHead(404).end();
      }
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #html(element: string, isChinese: boolean): string {
    const nonce = randomBytes(16).toString('base64url');
    return `<!DOCTYPE html>
<html lang="${isChinese ? 'zh-CN' : 'en'}">
<head>
<title>Model Gateway</title>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${createPolicy(this.origin, nonce)}">
<link rel="stylesheet" href="${this.origin}/webview.css">
</head>
<body data-channel="${channel}"${isChinese ? ` data-words="${readChineseMessages()}"` : ''}>
<${element}></${element}>
<script type="module" nonce="${nonce}" src="${this.origin}/webview.js"></script>
</body>
</html>`;
  }
}

/** The messages in Chinese, as the extension host writes them into the document. */
function readChineseMessages(): string {
  const words = readFileSync(new URL('media/l10n/pages.l10n.zh-cn.json', root), 'utf8');
  return escapeHtml(words);
}

/** The policy of the page, where `source` is VS Code's `webview.cspSource`. */
function createPolicy(source: string, nonce: string): string {
  return (
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}; font-src ${source}; ` +
    `img-src ${source} blob:; media-src ${source} blob:; worker-src blob:; connect-src 'none'; frame-src 'none'; ` +
    "object-src 'none'; form-action 'none'; base-uri 'none'"
  );
}

let bundled: Promise<ReadonlyMap<string, Uint8Array>> | undefined;

/** The page's files, bundled once for all tests of this process. */
function loadFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  bundled ??= bundlePage();
  return bundled;
}

async function bundlePage(): Promise<ReadonlyMap<string, Uint8Array>> {
  const built = await Promise.all(
    pageBundles.map((bundle) => build({ ...bundle, sourcemap: false, write: false })),
  );
  return new Map(
    built
      .flatMap(({ outputFiles }) => outputFiles)
      .map(({ path, contents }) => [`/${basename(path)}`, contents]),
  );
}
