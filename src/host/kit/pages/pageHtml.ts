import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { escapedHtml } from './escapedHtml.ts';
import { languageTag, pageWords } from './pageLanguage.ts';

/** The name of a page's custom element. */
export type PageElement = `mg-${string}`;

/**
 * Builds the document of a page. Its policy forbids requests, inline scripts and styles, and frames. Only the
 * extension's bundle runs, by a new nonce each time.
 *
 * @param channel a random word that the page puts on every message
 */
export function pageHtml(
  webview: vscode.Webview,
  dist: vscode.Uri,
  channel: string,
  element: PageElement,
): string {
  const nonce = randomBytes(16).toString('base64url');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.js'));
  const style = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.css'));
  const words = pageWords(dist.fsPath, vscode.env.language);
  return `<!DOCTYPE html>
<html lang="${languageTag(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(webview.cspSource, nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
</head>
<body data-channel="${channel}"${words === undefined ? '' : ` data-words="${escapedHtml(words)}"`}>
<${element}></${element}>
<script type="module" nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}

function contentSecurityPolicy(cspSource: string, nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} blob:`,
    `media-src ${cspSource} blob:`,
    // Regular expressions of the user run in a worker, which the page makes of its own source.
    'worker-src blob:',
    "connect-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
}
