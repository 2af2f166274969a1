import type * as vscode from 'vscode';
import type { FailureWorker } from '../../requests/failureWorker.ts';
import type { RequestHistory } from '../../requests/requestHistory.ts';
import { Log } from '../kit/display/log.ts';
import { disposeWithExtension, type KitServices } from '../kit/kitServices.ts';
import { gatewayLogName, setContextKey } from '../kit/manifest/contributions.ts';
import { Connection } from './connection.ts';
import { CredentialCommands } from './credentialCommands.ts';
import { Credentials } from './credentials.ts';
import { GatewayHeaders } from './gatewayHeaders.ts';
import { Gateways, localEntry } from './gateways.ts';
import { LocalGateway } from './localGateway.ts';
import { LocalUpstreams } from './localUpstreams.ts';
import { openRequestHistory } from './openRequestHistory.ts';
import { PlainHttpConsent } from './plainHttp.ts';

export interface ConnectionServices extends KitServices {
  readonly gateways: Gateways;
  readonly credentials: Credentials;
  readonly credentialCommands: CredentialCommands;
  readonly gatewayHeaders: GatewayHeaders;
  readonly localGateway: LocalGateway;
  /** The log of the local gateway itself. */
  readonly gatewayLog: Log;
  /** The keys of the local gateway's upstreams, by their names and addresses. */
  readonly upstreamKeys: Credentials;
  readonly localUpstreams: LocalUpstreams;
  readonly plainHttp: PlainHttpConsent;
  readonly connection: Connection;
  /** The history of the requests to gateways. */
  readonly requests: RequestHistory;
  readonly storedFailures: FailureWorker;
}

export function createConnectionServices(
  context: vscode.ExtensionContext,
  kit: KitServices,
): ConnectionServices {
  const { log } = kit;
  const gateways = disposeWithExtension(context, new Gateways(context));
  const credentials = disposeWithExtension(context, new Credentials(context, log));
  const credentialCommands = disposeWithExtension(context, new CredentialCommands(context, log));
  const headerValues = disposeWithExtension(context, new Credentials(context, log, 'headers/'));
  const gatewayHeaders = new GatewayHeaders(headerValues, log);
  const gatewayLog = disposeWithExtension(context, new Log(gatewayLogName));
  const localGateway = disposeWithExtension(context, new LocalGateway(context, log, gatewayLog));
  const upstreamKeys = disposeWithExtension(context, new Credentials(context, gatewayLog, 'upstreamKey/'));
  const localUpstreams = disposeWithExtension(context, new LocalUpstreams(localGateway, upstreamKeys, log));
  const plainHttp = new PlainHttpConsent(context);
  const connection = disposeWithExtension(
    context,
    new Connection(
      context,
      gateways,
      { credentials, credentialCommands, gatewayHeaders },
      localGateway,
      plainHttp,
      log,
    ),
  );
  const { history, failures, subscriptions } = openRequestHistory(context, connection, localGateway, log);
  for (const subscription of subscriptions) disposeWithExtension(context, subscription);
  disposeWithExtension(
    context,
    localUpstreams.onDidChangeModels(() => {
      if (localGateway.isRunning) connection.get(localEntry).refreshInBackground();
    }),
  );
  const setContextKeys = () => {
    setContextKey('hasOwnGateway', gateways.all.length > 0);
    setContextKey('localGatewayRunning', localGateway.isRunning);
    setContextKey('localGatewayStopped', localGateway.isStopped);
  };
  disposeWithExtension(context, gateways.onDidChange(setContextKeys));
  disposeWithExtension(context, localGateway.onDidChange(setContextKeys));
  setContextKeys();
  return {
    ...kit,
    gateways,
    credentials,
    credentialCommands,
    gatewayHeaders,
    localGateway,
    gatewayLog,
    upstreamKeys,
    localUpstreams,
    plainHttp,
    connection,
    requests: history,
    storedFailures: failures,
  };
}
