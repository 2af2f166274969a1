import { createHash } from 'node:crypto';
import { errorMessage } from '../../base/errors.ts';
import { sameJson } from '../../base/json.ts';
import type {
  GatewayGreeting,
  GatewayStatus,
  UpstreamAccess,
  UpstreamStatus,
} from '../../protocol/gatewayControl.ts';
import { type LoadedConfig, readConfig, refuseKeyCommandInWorkspace } from '../config/configFile.ts';
import { ConfigError, parseCredentialEnd } from '../config/configSchema.ts';
import { type Consents, describeAccess, readUpstreamAccess } from '../config/consents.ts';
import type { GatewayCredentials } from '../config/gatewayCredentials.ts';
import type { KeySources } from '../config/keySources.ts';
import { readSpendingLimits } from '../config/spendingLimits.ts';
import { Alias } from '../models/alias.ts';
import { type Catalogue, createCatalogue, type Listing } from '../models/catalogue.ts';
import { ModelListCache } from '../models/modelListCache.ts';
import { createPriceLookup, type ModelPrices } from '../models/modelPrices.ts';
import { createModelFilter, type ModelSource } from '../models/modelTable.ts';
import type { GatewaySpending } from '../server/gatewaySpending.ts';
import { gateUpstream } from '../upstreams/capacity/gatedUpstream.ts';
import { UpstreamGate } from '../upstreams/capacity/upstreamGate.ts';
import { listConnectionNotices } from '../upstreams/dispatcher.ts';
import type { KeyRing, RestingKey } from '../upstreams/keys/keyRing.ts';
import { deriveKeyName } from '../upstreams/keys/upstreamKey.ts';
import { openUpstream, upstreamKinds } from '../upstreams/kinds/upstreamKinds.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { UpstreamConfig } from '../upstreams/upstreamConfig.ts';

interface ConfiguredModelsOptions {
  /** Present if the demo models are served. */
  readonly demo?: Upstream;
  /** Path of the configuration file. */
  readonly file?: string | undefined;
  readonly keys: KeySources;
  readonly credentials: GatewayCredentials;
  readonly spending: Pick<GatewaySpending, 'setRules'>;
  readonly log: (line: string) => void;
  /** Called when a pause of a failing upstream begins or ends, or when a key begins to rest. */
  readonly onChange?: () => void;
  /** Whether the gateway also starts with an invalid configuration, and uses it after it was corrected. */
  readonly toleratesInvalidConfig?: boolean;
  /** Whether the file is in the gateway's own folder. Such a file is not refused as part of a workspace. */
  readonly isOwnFile?: boolean;
  /** The user's consents to upstreams; absent if the file does not need consent. */
  readonly consents?: Consents | undefined;
}

/** The part of the gateway's status that concerns the models. */
type ConfiguredModelsStatus = Omit<GatewayStatus, 'windows' | 'exitsAfterWindows' | 'openRequests'>;

/** A configured upstream, with its list of models. */
interface OpenUpstream extends ModelSource {
  readonly config: UpstreamConfig;
  readonly access: UpstreamAccess;
  readonly gate: UpstreamGate;
  readonly findPrices: (model: string) => ModelPrices | undefined;
  readonly keys: Pick<KeyRing, 'restingKeys'>;
}

/** The models of the configuration, which may change while the gateway runs. */
export class ConfiguredModels {
  readonly catalogue: SwitchableCatalogue;
  readonly #options: ConfiguredModelsOptions;
  /** The port in the configuration at the start. */
  readonly #firstPort: number | undefined;
  #loaded: LoadedConfig | undefined;
  #openUpstreams: readonly OpenUpstream[] = [];
  #aliases: readonly Alias[] = [];
  #problem: string | undefined;

  /** @throws {ConfigError} */
  constructor(options: ConfiguredModelsOptions) {
    this.#options = options;
    const loaded = this.#readAtStart();
    this.#firstPort = loaded?.config.port;
    this.catalogue = createSwitchableCatalogue(this.#apply(loaded));
  }

  /** The port in the current configuration. */
  get port(): number | undefined {
    return this.#loaded?.config.port;
  }

  /**
   * Reads the configuration again. Replies under way continue, and upstreams with unchanged fields are reused.
   *
   * @throws {ConfigError} if it is invalid; the previous configuration then remains active
   */
  reload(): void {
    const { file, log } = this.#options;
    if (file === undefined) return;
    try {
      const loaded = readConfig(file);
      if (!this.#options.isOwnFile) refuseKeyCommandInWorkspace(loaded);
      if (loaded.config.port !== this.port)
        log(`${loaded.describeLocation('port')}: the new port is used after the next start of the gateway.`);
      const earlier = this.#openUpstreams;
      this.catalogue.switchTo(this.#apply(loaded));
      const removedUpstreams = earlier.filter((each) => !this.#openUpstreams.includes(each));
      for (const { upstream } of removedUpstreams) upstream.drain().catch(() => {});
      this.#problem = undefined;
      log(`The configuration ${file} was read again.`);
    } catch (error) {
      this.#problem = errorMessage(error);
      throw error;
    }
  }

  /**
   * Marks model lists as outdated, because the keys or the consents of their upstreams changed.
   *
   * @param names the names of the upstreams; all upstreams if absent
   */
  invalidateLists(names?: readonly string[]): void {
    for (const { config, list } of this.#openUpstreams)
      if (names?.includes(config.name) !== false) list.invalidate();
  }

  #readAtStart(): LoadedConfig | undefined {
    const { file, toleratesInvalidConfig, log } = this.#options;
    if (file === undefined) return undefined;
    try {
      const loaded = readConfig(file);
      if (!this.#options.isOwnFile) refuseKeyCommandInWorkspace(loaded);
      return loaded;
    } catch (error) {
      if (!toleratesInvalidConfig || !(error instanceof ConfigError)) throw error;
      this.#problem = error.message;
      log(error.message);
      return undefined;
    }
  }

  async readStatus(): Promise<ConfiguredModelsStatus> {
    const { file } = this.#options;
    return {
      kinds: upstreamKinds.map(({ kind }) => kind),
      credentials: (this.#loaded?.config.credentials ?? []).flatMap(({ name, expires }) => {
        const expiresAt = expires === undefined ? undefined : parseCredentialEnd(expires);
        return expiresAt === undefined ? [] : [{ name, expiresAt }];
      }),
      ...(await this.#readListingStatus()),
      ...(file !== undefined && { config: file }),
      ...(this.#problem !== undefined && { configProblem: this.#problem }),
      ...(this.port !== this.#firstPort && { waitingPort: this.port ?? null }),
    };
  }

  #apply(loaded: LoadedConfig | undefined) {
    const { demo, credentials, keys, spending } = this.#options;
    const upstreams = loaded?.config.upstreams ?? [];
    keys.setUpstreams(upstreams);
    if (loaded) this.#logNotices(loaded);
    const earlier = this.#openUpstreams;
    this.#forgetOutdatedKeys(upstreams);
    this.#openUpstreams = upstreams.map(
      (config) =>
        earlier.find((each) => sameJson(each.config, config)) ?? this.#openUpstream(config, earlier),
    );
    this.#loaded = loaded;
    credentials.setNamed(loaded?.config.credentials ?? []);
    const upstreamByName = new Map(this.#openUpstreams.map((each) => [each.config.name, each]));
    spending.setRules({
      limits: loaded ? readSpendingLimits(loaded.config) : [],
      findPrices: (name, model) => upstreamByName.get(name)?.findPrices(model),
      findTokenLimits: (name, model) => upstreamByName.get(name)?.list.find(model),
      loadModels: async (name) => upstreamByName.get(name)?.list.ensureRequested(),
    });
    // An unchanged alias is reused, so that its turn continues.
    this.#aliases = (loaded?.config.aliases ?? []).map(
      (rules) => this.#aliases.find((each) => sameJson(each.rules, rules)) ?? new Alias(rules),
    );
    return createCatalogue(
      [...(demo ? [createDemoSource(demo)] : []), ...this.#openUpstreams],
      this.#aliases,
    );
  }

  /**
   * Forgets keys whose upstream now has another origin, so that a key from a window is never sent to a new origin.
   */
  #forgetOutdatedKeys(upstreams: readonly UpstreamConfig[]): void {
    const readOrigin = ({ baseUrl }: UpstreamConfig) => new URL(baseUrl).origin;
    for (const { config } of this.#openUpstreams) {
      const current = upstreams.find(({ name }) => name === config.name);
      if (!current || readOrigin(current) !== readOrigin(config))
        this.#options.keys.receive({ [config.name]: '' });
    }
  }

  /**
   * Opens an upstream. If its name and address did not change, its requests stay counted and its failures stay
   * recorded.
   */
  #openUpstream(config: UpstreamConfig, earlier: readonly OpenUpstream[]): OpenUpstream {
    const { keys, onChange } = this.#options;
    const { name, baseUrl } = config;
    const previous = earlier.find((each) => each.config.name === name && each.config.baseUrl === baseUrl);
    const gate = previous?.gate ?? new UpstreamGate(name, config, onChange);
    gate.setLimits(config);
    const access = readUpstreamAccess(config);
    const openedUpstream = openUpstream(config, keys.getExternalKeys(config), {
      findRefusal: () => (this.#needsConsent(access) ? consentReason : undefined),
      onKeyRest: (resting) => this.#reportRest(name, resting),
    });
    const list = new ModelListCache(async (signal) => {
      const models = await openedUpstream.upstream.listModels(signal);
      if (!config.models) gate.reportContact();
      return models;
    });
    const upstream = gateUpstream(openedUpstream.upstream, gate, () => list.invalidate());
    const findPrices = createPriceLookup(config, list);
    const filter = createModelFilter(config);
    return { config, access, gate, upstream, keys: openedUpstream.keys, list, filter, findPrices };
  }

  /**
   * Logs a refused key, unless only a limit of one model was reached, because the user does not have to react to
   * that.
   */
  #reportRest(upstream: string, { name, status, leftMs, isForAllModels }: RestingKey): void {
    const { log, onChange = () => {} } = this.#options;
    const minutes = Math.ceil(leftMs / 60_000);
    if (isForAllModels)
      log(
        `upstream '${upstream}' refused '${name}' with ${status}, so this key is not used for ${minutes} min.`,
      );
    onChange();
  }

  /** Whether requests to an upstream wait for the user's consent. */
  #needsConsent(access: UpstreamAccess): boolean {
    return this.#options.consents?.covers(access) === false;
  }

  /** Logs notes for the user about a valid configuration. */
  #logNotices(loaded: LoadedConfig): void {
    const { keys, log } = this.#options;
    const { upstreams } = loaded.config;
    for (const [i, upstream] of upstreams.entries()) {
      const access = readUpstreamAccess(upstream);
      if (this.#needsConsent(access))
        log(
          `${loaded.describeLocation('upstreams', i)}: upstream '${upstream.name}' is not used: it waits for your consent that ${describeAccess(access)}. ${consentAdvice}`,
        );
    }
    upstreams.forEach((upstream, i) => {
      if (keys.findSourceKind(upstream) === 'missing' && upstream.keyEnv !== undefined) {
        const position = loaded.describeLocation('upstreams', i, 'keyEnv');
        log(
          `${position}: upstream '${upstream.name}' cannot be used: the environment variable ${upstream.keyEnv} is not set.`,
        );
      }
      const { readVariable } = keys.getExternalKeys(upstream);
      for (const [nth, key] of (upstream.keys ?? []).entries()) {
        if (key.keyEnv === undefined || readVariable(key.keyEnv) !== undefined) continue;
        const position = loaded.describeLocation('upstreams', i, 'keys', nth, 'keyEnv');
        log(
          `${position}: '${deriveKeyName(key)}' of upstream '${upstream.name}' cannot be used: the environment variable ${key.keyEnv} is not set.`,
        );
      }
    });
    const bases = upstreams.map(({ baseUrl }) => new URL(baseUrl));
    for (const notice of listConnectionNotices(bases, process.env)) log(notice);
  }

  /** The configured upstreams. Reading them does not send requests. */
  get upstreams(): GatewayGreeting['upstreams'] {
    return this.#openUpstreams.map(({ config: { name, baseUrl } }) => ({
      name,
      origin: new URL(baseUrl).origin,
    }));
  }

  async #readListingStatus(): Promise<Pick<GatewayStatus, 'upstreams' | 'listing'>> {
    const listing = await this.catalogue.list();
    const hash = createHash('sha256');
    for (const { id, isStale, isAlias, targets } of listing.models)
      hash.update(
        JSON.stringify([
          id,
          isStale,
          isAlias,
          ...targets.map(({ upstream, model }) => [upstream.name, model]),
        ]),
      );
    return { upstreams: this.#listUpstreamStatuses(listing), listing: hash.digest('base64url') };
  }

  #listUpstreamStatuses({ models, unavailable }: Listing): readonly UpstreamStatus[] {
    const { demo, keys } = this.#options;
    const createCommonStatus = (name: string) => {
      const failure = unavailable.find(({ upstream }) => upstream === name);
      const ownModels = models.filter(
        ({ targets: [target], isAlias }) => !isAlias && target?.upstream.name === name,
      );
      return {
        name,
        models: ownModels.length,
        ...(failure && { problem: failure.reason }),
        ...(failure?.code && { problemCode: failure.code }),
      };
    };
    return [
      ...(demo ? [{ ...createCommonStatus(demo.name), kind: 'demo', key: 'none' as const }] : []),
      ...this.#openUpstreams.map(({ config, access, gate, keys: keyRing }) => ({
        ...createCommonStatus(config.name),
        ...readPauses(gate),
        ...(this.#needsConsent(access) && { waitsFor: access }),
        kind: config.kind,
        origin: new URL(config.baseUrl).origin,
        key: keys.findSourceKind(config),
        ...(config.keys && { keys: keys.listStatuses(config, keyRing.restingKeys) }),
      })),
    ];
  }
}

/** The reason in replies. It does not contain details of the configuration, because callers may be other people. */
const consentReason = 'it waits for the consent of the user who runs this gateway';
const consentAdvice = 'Allow it in the Local Gateway view of VS Code, or start the gateway with --trust.';

/** The most paused models that are reported. */
const maxPaused = 20;

function readPauses({
  pauseMs,
  pausedModels,
}: UpstreamGate): Pick<UpstreamStatus, 'failingUntil' | 'failingModels'> {
  const toTimestamp = (leftMs: number) => Math.ceil(Date.now() + leftMs);
  const models = pausedModels.slice(0, maxPaused);
  return {
    ...(pauseMs > 0 && { failingUntil: toTimestamp(pauseMs) }),
    ...(models.length > 0 && {
      failingModels: models.map(([id, leftMs]) => ({ id, until: toTimestamp(leftMs) })),
    }),
  };
}

function createDemoSource(upstream: Upstream): ModelSource {
  const list = new ModelListCache((signal) => upstream.listModels(signal));
  return { upstream, list, filter: createModelFilter({}) };
}

/** A catalogue that can be replaced. Requests under way continue with the targets of the previous catalogue. */
interface SwitchableCatalogue extends Catalogue {
  switchTo(next: Catalogue): void;
}

function createSwitchableCatalogue(first: Catalogue): SwitchableCatalogue {
  let current = first;
  return {
    list: () => current.list(),
    find: (id) => current.find(id),
    requireVideo: (target, id) => current.requireVideo(target, id),
    findUpstream: (name) => current.findUpstream(name),
    findVideo: (upstream) => current.findVideo(upstream),
    close: () => current.close(),
    switchTo(next) {
      current = next;
    },
  };
}
