import type { LocalGateway } from '../connection/localGateway.ts';
import type { LocalUpstreams } from '../connection/localUpstreams.ts';
import { RowView } from '../kit/display/rowView.ts';
import { type GatewayNode, gatewayRows } from '../models/localGatewayRows.ts';
import type { CrashRestart } from './crashRestart.ts';

/** The interval for reading the upstreams while the view is visible, in milliseconds. */
const pollMs = 30_000;

/** The Local Gateway view: the local gateway and its upstreams, with their states. */
export class LocalGatewayView extends RowView<GatewayNode> {
  readonly #localGateway: LocalGateway;
  readonly #upstreams: LocalUpstreams;
  readonly #crashRestart: CrashRestart;
  #timer: NodeJS.Timeout | undefined;

  constructor(localGateway: LocalGateway, upstreams: LocalUpstreams, crashRestart: CrashRestart) {
    super('localGateway');
    this.#localGateway = localGateway;
    this.#upstreams = upstreams;
    this.#crashRestart = crashRestart;
    this.addDisposables(
      localGateway.onDidChange(() => this.#refresh()),
      upstreams.onDidChange(() => this.#refresh()),
      crashRestart.onDidChange(() => this.#refresh()),
      this.view.onDidChangeVisibility(() => this.#pollWhileVisible()),
      { dispose: () => clearInterval(this.#timer) },
    );
    this.#pollWhileVisible();
    this.#refresh();
  }

  /** The name of the selected upstream. */
  get selected(): string | undefined {
    return this.selection.rows[0]?.name;
  }

  getChildren(node?: GatewayNode): GatewayNode[] {
    return this.listChildren(node);
  }

  /** Does not poll while the view is hidden. */
  #pollWhileVisible(): void {
    clearInterval(this.#timer);
    if (!this.view.visible) return;
    void this.#readState();
    this.#timer = setInterval(() => void this.#readState(), pollMs);
  }

  /** Reads the state of the upstreams. Also connects to a gateway that another window started. */
  async #readState(): Promise<void> {
    // The next poll tries again.
    await this.#localGateway.join().catch(() => {});
    await this.#upstreams.refresh();
  }

  #refresh(): void {
    const { isRunning, isStarting, address } = this.#localGateway;
    const { startsAgainAt } = this.#crashRestart;
    const running = { isRunning, isStarting, baseUrl: address?.baseUrl, startsAgainAt };
    this.show(gatewayRows({ ...this.#upstreams.state, ...running }));
  }
}
