import type * as vscode from 'vscode';
import { localEntry } from '../connection/gateways.ts';
import { own } from '../kit/kitServices.ts';
import type { TaskServices } from '../tasks/taskServices.ts';
import { ConnectionReports } from './connectionReports.ts';
import { CrashRestart } from './crashRestart.ts';
import { LocalGatewayView } from './localGatewayView.ts';

export interface GatewayServices extends TaskServices {
  readonly localGatewayView: LocalGatewayView;
  /** The checks of connections that were shown. */
  readonly connectionReports: ConnectionReports;
}

export function createGatewayServices(
  context: vscode.ExtensionContext,
  below: TaskServices,
): GatewayServices {
  const { localGateway, localUpstreams, connection, log } = below;
  const startedAgain = () => void connection.of(localEntry).refresh();
  const crashRestart = own(context, new CrashRestart(localGateway, log, startedAgain));
  return {
    ...below,
    localGatewayView: own(context, new LocalGatewayView(localGateway, localUpstreams, crashRestart)),
    connectionReports: own(context, new ConnectionReports()),
  };
}
