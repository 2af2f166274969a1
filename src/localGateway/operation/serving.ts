import { createHash } from 'node:crypto';
import { errorMessage } from '../../base/errors.ts';
import { sameJson } from '../../base/json.ts';
import type {
  GatewayGreeting,
  GatewayStatus,
  UpstreamAccess,
  UpstreamStatus,
} from '../../protocol/gatewayControl.ts';
import type { Credentials } from '../config/access.ts';
import { ConfigError } from '../config/configError.ts';
import { type ReadConfig, readConfig } from '../config/configFile.ts';
import { accessOf, accessWords, type Consents } from '../config/consents.ts';
import { refuseInWorkspace } from '../config/keyCommands.ts';
import type { Keys } from '../config/keys.ts';
import { Alias } from '../models/alias.ts';
import { type Catalogue, createCatalogue, type Listing } from '../models/catalogue.ts';
import { KeptList } from '../models/keptList.ts';
import { type ModelSource, modelFilter } from '../models/modelTable.ts';
import { noticesOf } from '../upstreams/dispatcher.ts';
import { openUpstream, upstreamKinds } from '../upstreams/kinds/upstreamKinds.ts';
import { gatedUpstream } from '../upstreams/load/gatedUpstream.ts';
import { UpstreamGate } from '../upstreams/load/upstreamGate.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { UpstreamConfig } from '../upstreams/upstreamFields.ts';

export interface ServingOptions {
  /** The demo's models, where they are served. */
  readonly demo?: Upstream;
  /** Path of the configuration file. */
  readonly file?: string | undefined;
  readonly keys: Keys;
  readonly credentials: Credentials;
  readonly log: (line: string) => void;
  /** Called when an upstream that fails is left alone from now on, or no longer. */
  readonly changed?: () => void;
  /** Whether a configuration that cannot be used is only told at the start, and read again once it changed. */
  readonly startsAnyway?: boolean;
  /** Whether the file is in the gateway's own folder, which nobody sends, whatever is around that. */
  readonly isOwnFile?: boolean;
  /** What the user allowed upstreams; absent where the file needs no consent. */
  readonly consents?: Consents | undefined;
}

/** What it tells windows. */
type ServingStatus = Omit<GatewayStatus, 'windows' | 'whileWindows' | 'openRequests'>;

/** An upstream as the configuration says it, with what is known of its models. */
interface OpenUpstream extends ModelSource {
  readonly config: UpstreamConfig;
  readonly access: UpstreamAccess;
  readonly gate: UpstreamGate;
}

/** What the gateway serves by its configuration, which may change while it runs. */
export class Serving {
  readonly catalogue: SwitchableCatalogue;
  readonly #options: ServingOptions;
  /** The port that the configuration named at the start. */
  readonly #firstPort: number | undefined;
  #read: ReadConfig | undefined;
  #open: readonly OpenUpstream[] = [];
  #aliases: readonly Alias[] = [];
  #problem: string | undefined;

  /** @throws {ConfigError} */
  constructor(options: ServingOptions) {
    this.#options = options;
    const read = this.#readFirst();
    this.#firstPort = read?.config.port;
    this.catalogue = switchableCatalogue(this.#take(read));
  }

  /** The port that the configuration names. */
  get port(): number | undefined {
    return this.#read?.config.port;
  }

  /**
   * Reads the configuration again. Replies under way go on, and an upstream whose fields did not change stays as
   * it is.
   *
   * @throws {ConfigError} when it cannot be used; the earlier one then stays
   */
  reload(): void {
    const { file, log } = this.#options;
    if (file === undefined) return;
    try {
      const read = readConfig(file);
      if (!this.#options.isOwnFile) refuseInWorkspace(read);
      if (read.config.port !== this.port)
        log(`${read.at('port')} counts from the next start of the gateway on.`);
      const earlier = this.#open;
      this.catalogue.switchTo(this.#take(read));
      const left = earlier.filter((each) => !this.#open.includes(each));
      for (const { upstream } of left) upstream.drain().catch(() => {});
      this.#problem = undefined;
      log(`The configuration ${file} was read again.`);
    } catch (error) {
      this.#problem = errorMessage(error);
      throw error;
    }
  }

  /** Lets the models of upstreams be asked for anew, of all where no names are given: their keys changed. */
  doubt(names?: readonly string[]): void {
    for (const { config, list } of this.#open) if (names?.includes(config.name) !== false) list.doubt();
  }

  #readFirst(): ReadConfig | undefined {
    const { file, startsAnyway, log } = this.#options;
    if (file === undefined) return undefined;
    try {
      const read = readConfig(file);
      if (!this.#options.isOwnFile) refuseInWorkspace(read);
      return read;
    } catch (error) {
      if (!startsAnyway || !(error instanceof ConfigError)) throw error;
      this.#problem = error.message;
      log(error.message);
      return undefined;
    }
  }

  async status(): Promise<ServingStatus> {
    const { file } = this.#options;
    return {
      kinds: upstreamKinds.map(({ kind }) => kind),
      ...(await this.#listed()),
      ...(file !== undefined && { config: file }),
      ...(this.#problem !== undefined && { configProblem: this.#problem }),
      ...(this.port !== this.#firstPort && { waitingPort: this.port ?? null }),
    };
  }

  #take(read: ReadConfig | undefined) {
    const { demo, credentials, keys } = this.#options;
    const upstreams = read?.config.upstreams ?? [];
    keys.follow(upstreams);
    if (read) this.#tell(read);
    const earlier = this.#open;
    this.#forgetKeysOfOthers(upstreams);
    this.#open = upstreams.map(
      (config) => earlier.find((each) => sameJson(each.config, config)) ?? this.#openOne(config, earlier),
    );
    this.#read = read;
    credentials.setNamed(read?.config.credentials ?? []);
    // Whose turn it is stays while an alias does.
    this.#aliases = (read?.config.aliases ?? []).map(
      (rules) => this.#aliases.find((each) => sameJson(each.rules, rules)) ?? new Alias(rules),
    );
    return createCatalogue([...(demo ? [demoSource(demo)] : []), ...this.#open], this.#aliases);
  }

  /** A key that a window gave for one origin goes to no other that has the name now. */
  #forgetKeysOfOthers(upstreams: readonly UpstreamConfig[]): void {
    const originOf = ({ baseUrl }: UpstreamConfig) => new URL(baseUrl).origin;
    for (const { config } of this.#open) {
      const now = upstreams.find(({ name }) => name === config.name);
      if (!now || originOf(now) !== originOf(config)) this.#options.keys.receive({ [config.name]: '' });
    }
  }

  /** What an upstream used of its limits, and its failures, count on while its name and address stay. */
  #openOne(config: UpstreamConfig, earlier: readonly OpenUpstream[]): OpenUpstream {
    const { keys, changed } = this.#options;
    const { name, baseUrl } = config;
    const same = earlier.find((each) => each.config.name === name && each.config.baseUrl === baseUrl);
    const gate = same?.gate ?? new UpstreamGate(name, config, changed);
    gate.setLimits(config);
    const access = accessOf(config);
    const opened = openUpstream(
      config,
      () => keys.given(config),
      () => (this.#waits(access) ? waitsReason : undefined),
    );
    const list = new KeptList(async (signal) => {
      const models = await opened.listModels(signal);
      if (!config.models) gate.reached();
      return models;
    });
    const upstream = gatedUpstream(opened, gate, () => list.doubt());
    return { config, access, gate, upstream, list, filter: modelFilter(config) };
  }

  /** Whether an upstream is not asked before the user allows it. */
  #waits(access: UpstreamAccess): boolean {
    return this.#options.consents?.covers(access) === false;
  }

  /** What whoever runs the gateway should know of a configuration that can be used. */
  #tell(read: ReadConfig): void {
    const { keys, log } = this.#options;
    const { upstreams } = read.config;
    for (const [i, upstream] of upstreams.entries()) {
      const access = accessOf(upstream);
      if (this.#waits(access))
        log(
          `${read.at('upstreams', i)}: upstream '${upstream.name}' is not asked: it waits for your consent that ${accessWords(access)}. ${consentAdvice}`,
        );
    }
    upstreams.forEach((upstream, i) => {
      if (keys.placeOf(upstream) !== 'missing') return;
      const place = read.at('upstreams', i, 'keyEnv');
      log(
        `${place}: upstream '${upstream.name}' cannot be used: the environment variable ${upstream.keyEnv} is not set.`,
      );
    });
    const bases = upstreams.map(({ baseUrl }) => new URL(baseUrl));
    for (const notice of noticesOf(bases, process.env)) log(notice);
  }

  /** The configured upstreams, without a request to any. */
  get upstreams(): GatewayGreeting['upstreams'] {
    return this.#open.map(({ config: { name, baseUrl } }) => ({ name, origin: new URL(baseUrl).origin }));
  }

  async #listed(): Promise<Pick<GatewayStatus, 'upstreams' | 'listing'>> {
    const listed = await this.catalogue.list();
    const hash = createHash('sha256');
    for (const { id, isStale, isAlias, places } of listed.models)
      hash.update(
        JSON.stringify([
          id,
          isStale,
          isAlias,
          ...places.map(({ upstream, model }) => [upstream.name, model]),
        ]),
      );
    return { upstreams: this.#upstreamStates(listed), listing: hash.digest('base64url') };
  }

  #upstreamStates({ models, unavailable }: Listing): readonly UpstreamStatus[] {
    const { demo, keys } = this.#options;
    const facts = (name: string) => {
      const failure = unavailable.find(({ upstream }) => upstream === name);
      const own = models.filter(({ places: [at], isAlias }) => !isAlias && at?.upstream.name === name);
      return {
        ...{ name, models: own.length },
        ...(failure && { problem: failure.reason }),
        ...(failure?.code && { problemCode: failure.code }),
      };
    };
    return [
      ...(demo ? [{ ...facts(demo.name), kind: 'demo', key: 'none' as const }] : []),
      ...this.#open.map(({ config, access, gate }) => ({
        ...facts(config.name),
        ...pausesOf(gate),
        ...(this.#waits(access) && { waitsFor: access }),
        kind: config.kind,
        origin: new URL(config.baseUrl).origin,
        key: keys.placeOf(config),
      })),
    ];
  }
}

/** Callers may be other people: what the configuration says is told to its user alone. */
const waitsReason = 'it waits for the consent of the user who runs this gateway';
const consentAdvice = 'Allow it in the Local Gateway view of VS Code, or start the gateway with --trust.';

/** The most models that are told as left alone. */
const maxPaused = 20;

function pausesOf({
  pauseMs,
  pausedModels,
}: UpstreamGate): Pick<UpstreamStatus, 'failingUntil' | 'failingModels'> {
  const until = (leftMs: number) => Math.ceil(Date.now() + leftMs);
  const models = pausedModels.slice(0, maxPaused);
  return {
    ...(pauseMs > 0 && { failingUntil: until(pauseMs) }),
    ...(models.length > 0 && { failingModels: models.map(([id, leftMs]) => ({ id, until: until(leftMs) })) }),
  };
}

function demoSource(upstream: Upstream): ModelSource {
  const list = new KeptList((signal) => upstream.listModels(signal));
  return { upstream, list, filter: modelFilter({}) };
}

/** A catalogue that another one takes the place of. Requests keep what they found in the earlier one. */
interface SwitchableCatalogue extends Catalogue {
  switchTo(next: Catalogue): void;
}

function switchableCatalogue(first: Catalogue): SwitchableCatalogue {
  let current = first;
  return {
    list: () => current.list(),
    find: (id) => current.find(id),
    requireVideo: (place, id) => current.requireVideo(place, id),
    upstreamOf: (name) => current.upstreamOf(name),
    videoOf: (upstream) => current.videoOf(upstream),
    close: () => current.close(),
    switchTo(next) {
      current = next;
    },
  };
}
