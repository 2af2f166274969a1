import type * as vscode from 'vscode';
import { setContextKey } from '../kit/contributions.ts';
import type { Gateways } from './gateways.ts';
import type { LocalGateway } from './localGateway.ts';

/** Tells VS Code which commands about gateways can do something. */
export class GatewayContextKeys {
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(gateways: Gateways, localGateway: LocalGateway) {
    const show = () => {
      setContextKey('hasOwnGateway', gateways.all.length > 0);
      setContextKey('localGatewayRunning', localGateway.isRunning);
      setContextKey('localGatewayStopped', localGateway.isStopped);
    };
    this.#subscriptions = [gateways.onDidChange(show), localGateway.onDidChange(show)];
    show();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
