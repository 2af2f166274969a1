import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { errorText } from '../display/errorText.ts';
import { escapedHtml } from './escapedHtml.ts';
import { languageTag } from './pageLanguage.ts';

interface FailedPageOptions {
  readonly panel: vscode.WebviewPanel;
  /** The folder of the pages' bundle. */
  readonly dist: vscode.Uri;
  readonly error: unknown;
  /** Called when the user wants to try again, once for each time that the page is shown. */
  readonly retry: () => void;
}

/** Shows in a tab of an earlier session why its content cannot be shown, with a button to try again. */
export function showFailedPage({ panel, dist, error, retry }: FailedPageOptions): void {
  const { webview } = panel;
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  const received = webview.onDidReceiveMessage(() => {
    received.dispose();
    retry();
  });
  webview.html = failedHtml(webview, dist, {
    title: vscode.l10n.t('{0} could not be opened', panel.title),
    detail: errorText(error),
    help: vscode.l10n.t('Nothing was changed. Try again after fixing the cause; see the log for details.'),
    button: vscode.l10n.t('Try Again'),
  });
}

type Words = Readonly<Record<'title' | 'detail' | 'help' | 'button', string>>;

function failedHtml(webview: vscode.Webview, dist: vscode.Uri, words: Words): string {
  const nonce = randomBytes(16).toString('base64url');
  const style = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.css'));
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${webview.cspSource}`;
  return `<!DOCTYPE html>
<html lang="${languageTag(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${style}">
</head>
<body>
<main class="welcome" role="alert">
<h1>${escapedHtml(words.title)}</h1>
<p>${escapedHtml(words.detail)}</p>
<p>${escapedHtml(words.help)}</p>
<button type="button" class="button">${escapedHtml(words.button)}</button>
</main>
<script nonce="${nonce}">
const host = acquireVsCodeApi();
document.querySelector('button').addEventListener('click', () => host.postMessage({ type: 'retry' }), { once: true });
</script>
</body>
</html>`;
}
