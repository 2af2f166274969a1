import * as vscode from 'vscode';
import { localEntry } from '../connection/gateways.ts';
import { showDocument } from '../kit/display/editors.ts';
import { disposeWithExtension } from '../kit/kitServices.ts';
import type { TaskServices } from '../tasks/taskServices.ts';
import { CrashRestart } from './crashRestart.ts';
import { LocalGatewayView } from './localGatewayView.ts';

export interface GatewayServices extends TaskServices {
  readonly localGatewayView: LocalGatewayView;
  /** The reports of connection checks. */
  readonly connectionReports: ConnectionReports;
}

export function createGatewayServices(
  context: vscode.ExtensionContext,
  below: TaskServices,
): GatewayServices {
  const { localGateway, localUpstreams, connection, log } = below;
  const onRestart = () => void connection.get(localEntry).refresh();
  const crashRestart = disposeWithExtension(context, new CrashRestart(localGateway, log, onRestart));
  return {
    ...below,
    localGatewayView: disposeWithExtension(
      context,
      new LocalGatewayView(localGateway, localUpstreams, crashRestart),
    ),
    connectionReports: disposeWithExtension(context, new ConnectionReports()),
  };
}

const scheme = 'model-gateway-check';

/** The reports of this window's connection checks, as read-only documents. */
class ConnectionReports implements vscode.TextDocumentContentProvider {
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? vscode.l10n.t('This check is no longer stored.');
  }

  /** Shows a report in a preview tab, like a file that is clicked once. */
  async show(text: string): Promise<void> {
    const query = String(this.#texts.size + 1);
    this.#texts.set(query, text);
    const uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t('Connection')}`, query });
    await showDocument(uri, { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
