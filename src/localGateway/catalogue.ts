import { HttpError, invalidRequest } from './httpError.ts';
import type { ListedModel, Upstream, VideoUpstream } from './upstreams/upstream.ts';

/** How long a list of models stays valid, in milliseconds. */
const listLifetimeMs = 10_000;
/** How long one upstream may take to list its models, in milliseconds. */
const listTimeoutMs = 5_000;

/** The name of the demo's models. No configured upstream may have it. */
export const demoName = 'demo';

/** An upstream that could not list its models, with the reason. */
export interface UnavailableUpstream {
  readonly upstream: string;
  readonly reason: string;
  /** Whether only a change of the configuration can help. */
  readonly isLasting: boolean;
}

export interface Listing {
  readonly models: readonly ListedModel[];
  readonly unavailable: readonly UnavailableUpstream[];
}

export interface Catalogue {
  /**
   * Lists all models, the demo's first. It asks all upstreams at once and never rejects: failures are in the
   * result.
   */
  list(): Promise<Listing>;
  /**
   * Finds the upstream of a model, and the upstream's own id of the model.
   *
   * @throws {HttpError} 404 when there is none
   */
  find(id: string): { readonly upstream: Upstream; readonly model: string };
  /**
   * Finds the upstream that makes videos with a model.
   *
   * @throws {HttpError} 404 when there is no such model, 400 when it makes no videos
   */
  findVideo(id: string): { readonly upstream: string; readonly video: VideoUpstream };
  /** The upstream of a name; undefined where there is none any more. */
  upstreamOf(name: string): Upstream | undefined;
  /** The part of an upstream that makes videos, by the upstream's name. */
  videoOf(upstream: string): VideoUpstream | undefined;
  close(): Promise<void>;
}

/**
 * Creates the catalogue. Ids follow one rule: demo models are `demo/<id>`; a single configured upstream keeps
 * its ids; with several upstreams each id is `<upstream name>/<id>`. So an id leads to its upstream without a
 * list, and keeps its upstream when another one adds a model.
 */
export function createCatalogue(upstreams: readonly Upstream[]): Catalogue {
  const configured = upstreams.filter(({ name }) => name !== demoName);
  const entries = [...upstreams.filter(({ name }) => name === demoName), ...configured].map((upstream) => ({
    upstream,
    prefix: configured.length === 1 && configured[0] === upstream ? '' : `${upstream.name}/`,
    models: cached(() => upstream.listModels(AbortSignal.timeout(listTimeoutMs)), listLifetimeMs),
  }));

  function find(id: string) {
    const entry = entries.find(({ prefix }) => id.startsWith(prefix));
    if (!entry) throw unknownModel(id);
    return { upstream: entry.upstream, model: id.slice(entry.prefix.length) };
  }

  return {
    async list() {
      const lists = await Promise.all(
        entries.map(({ models }) =>
          models().then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          ),
        ),
      );
      const models: ListedModel[] = [];
      const unavailable: UnavailableUpstream[] = [];
      entries.forEach(({ upstream, prefix }, i) => {
        const list = lists[i];
        if (list && 'value' in list) {
          models.push(...list.value.map((model) => ({ ...model, id: prefix + model.id })));
        } else {
          const isLasting = list?.error instanceof HttpError && list.error.status === 424;
          unavailable.push({ upstream: upstream.name, reason: reasonOf(list?.error), isLasting });
        }
      });
      return { models, unavailable };
    },

    find,

    findVideo(id) {
      const { upstream, model } = find(id);
      const { name, video } = upstream;
      if (video?.models.includes(model)) return { upstream: name, video };
      const makers = entries.flatMap(({ upstream, prefix }) =>
        (upstream.video?.models ?? []).map((other) => prefix + other),
      );
      throw makesNoVideos(id, makers);
    },

    upstreamOf: (name) => upstreams.find((upstream) => upstream.name === name),
    videoOf: (name) => upstreams.find((upstream) => upstream.name === name)?.video,

    async close() {
      await Promise.all(upstreams.map((upstream) => upstream.close()));
    },
  };
}

export function unknownModel(id: string): HttpError {
  return new HttpError({
    status: 404,
    message: `This local gateway has no model "${id.slice(0, 100)}". GET /v1/models lists the ids to use.`,
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_found',
  });
}

function makesNoVideos(id: string, makers: readonly string[]): HttpError {
  const others =
    makers.length > 0 ? `Choose ${makers.join(' or ')}.` : 'No model of this local gateway does.';
  return invalidRequest(`"${id.slice(0, 100)}" makes no videos. ${others}`, 'unsupported_model', 'model');
}

function reasonOf(error: unknown): string {
  return error instanceof HttpError ? error.message : 'Its models could not be listed.';
}

/**
 * Calls `load` at most once per lifetime. Callers at the same time share one call. A failure is not
 * remembered.
 */
function cached<T>(load: () => Promise<T>, lifetimeMs: number): () => Promise<T> {
  let current: { readonly promise: Promise<T>; readonly until: number } | undefined;
  return () => {
    if (current && performance.now() < current.until) return current.promise;
    const promise = load();
    current = { promise, until: performance.now() + lifetimeMs };
    promise.catch(() => {
      current = undefined;
    });
    return promise;
  };
}
