import type * as vscode from 'vscode';
import { localEntry } from '../connection/gateways.ts';
import { disposeWithExtension } from '../kit/kitServices.ts';
import type { TaskServices } from '../tasks/taskServices.ts';
import { CrashRestart } from './crashRestart.ts';
import { LocalGatewayView } from './localGatewayView.ts';

export interface GatewayServices extends TaskServices {
  readonly localGatewayView: LocalGatewayView;
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
  };
}
