import { isIP } from 'node:net';
import * as z from 'zod';
import { isObject } from '../../../base/json.ts';
import { isLoopback } from '../../../base/loopback.ts';
import { createLongRunningVideoForm, isVeo } from '../../../wire/apis/convertedVideos/longRunningVideo.ts';
import type { RequestBody } from '../../http/requestBody.ts';
import {
  contentGenerationAt,
  type Endpoint,
  pathSegment,
  type TaskEndpoints,
  type TextEndpoint,
  type TextEndpoints,
} from '../endpoint.ts';
import { publisherPages } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
import { addressBefore, addressField, bearer, httpKind } from '../upstreamKind.ts';

/** The version of the messages protocol here. It is sent in the body, not in a header. */
const messagesVersion = 'vertex-2023-10-16';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected lower-case letters, digits and hyphens');

/**
 * The cloud platform: its own models by content generation and compatible chat completions, partner models by
 * messages, all others by managed chat completions. The key is an access token of the cloud. IDs are
 * `<publisher>/<model>`; if the publisher is missing, it follows from the model family.
 */
export const cloudPlatformKind = httpKind(
  'cloud-platform',
  {
    baseUrl: addressField(
      'The global address before /v1/projects, such as https://aiplatform.googleapis.com.',
    ),
    project: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.:-]*$/, 'expected the id of a project')
      .describe('ID of the project that is billed.'),
    location: name.describe('The location that serves the models, such as global or us-east5.'),
    regionalUrl: addressField(
      'Address for partner models and managed models. Default: baseUrl with the location in its host.',
    ).optional(),
    publishers: z
      .array(name)
      .min(1)
      .optional()
      .describe('Publishers whose models are listed. Default: google and anthropic.'),
    partners: z
      .array(name)
      .optional()
      .describe('Publishers whose models use the messages format. Default: anthropic.'),
  },
  ({
    baseUrl,
    project,
    location,
    regionalUrl,
    publishers = ['google', 'anthropic'],
    partners = ['anthropic'],
  }) => {
    const base = addressBefore(baseUrl, /\/v1(?:beta1)?$/);
    const regional =
      regionalUrl === undefined
        ? regionalAddress(base, location)
        : addressBefore(regionalUrl, /\/v1(?:beta1)?$/);
    const prefix = `/v1/projects/${pathSegment(project)}/locations/${location}`;
    return {
      base,
      addresses: [base, regional].map((each) => new URL(each.pathname.replace(/\/$/, '') + prefix, each)),
      texts(id): TextEndpoints {
        const { publisher, model } = splitPublisher(id);
        const modelsPath = `${prefix}/publishers/${pathSegment(publisher)}/models`;
        const chat = chatAt(`${prefix}/endpoints/openapi/chat/completions`, `${publisher}/${model}`);
        if (partners.includes(publisher)) return { messages: partnerMessages(modelsPath, model, regional) };
        if (publisher !== 'google') return { chatCompletions: { send: { ...chat, base: regional } } };
        return {
          contentGeneration: cloudGeneration(`${modelsPath}/${pathSegment(model)}`),
          chatCompletions: { send: chat },
        };
      },
      tasks: {
        longRunningVideos: longRunningVideosAt(`${prefix}/publishers/google/models`, regional),
      },
      videosOf: (id) => (isVeo(id) && splitPublisher(id).publisher === 'google' ? veoVideos : undefined),
      models: publisherPages('/v1beta1', publishers),
      credential: bearer,
    };
  },
);

/** Multi-region locations. Their hosts contain the location. */
const multiRegions: ReadonlySet<string> = new Set(['us', 'eu']);

/**
 * The address with the location in its host. The global location is served at the global address, and an address
 * without a host name has no regions.
 */
export function regionalAddress(base: URL, location: string): URL {
  const { hostname } = base;
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && !isLoopback(hostname);
  if (location === 'global' || !isNamed) return base;
  const regional = new URL(base);
  regional.hostname = regionalHost(hostname, location);
  return regional;
}

function regionalHost(host: string, location: string): string {
  if (!multiRegions.has(location)) return host.startsWith(`${location}-`) ? host : `${location}-${host}`;
  if (host.includes(`.${location}.rep.`)) return host;
  const [service, ...domain] = host.split('.');
  return [service, location, 'rep', ...domain].join('.');
}

function splitPublisher(id: string): { readonly publisher: string; readonly model: string } {
  const slash = id.indexOf('/');
  if (slash > 0) return { publisher: id.slice(0, slash), model: id.slice(slash + 1) };
  return { publisher: id.startsWith('claude-') ? 'anthropic' : 'google', model: id };
}

function chatAt(path: string, id: string): Endpoint {
  return { path, body: (body) => (body.field('model') === id ? body.pieces : body.withModel(id)) };
}

const veoVideos: ConvertedVideos = { format: 'longRunningVideos', form: createLongRunningVideoForm(true) };

/** Long-running predictions. A POST reads them, at the model that the name of the operation contains. */
function longRunningVideosAt(modelsPath: string, base: URL): TaskEndpoints {
  const modelPath = (model: string) => `${modelsPath}/${pathSegment(model)}`;
  return {
    create: (id) => ({ base, path: `${modelPath(splitPublisher(id).model)}:predictLongRunning` }),
    read: (operation) => ({
      base,
      path: `${modelPath(modelOfOperation(operation))}:fetchPredictOperation`,
      headers: { 'content-type': 'application/json' },
      json: { operationName: operation },
    }),
  };
}

function modelOfOperation(name: string): string {
  return /\/models\/([^/]+)\/operations\/[^/]+$/.exec(name)?.[1] ?? '';
}

/** The count endpoint counts the body itself and does not support a nested request. */
function cloudGeneration(modelPath: string): TextEndpoint {
  const { send, count } = contentGenerationAt(modelPath);
  return { send, ...(count && { count: { ...count, body: unwrappedBody } }) };
}

function unwrappedBody({ bytes }: RequestBody): Uint8Array {
  const { generateContentRequest: nested } = JSON.parse(Buffer.from(bytes).toString());
  if (!isObject(nested)) return bytes;
  const { model: _, ...request } = nested;
  return Buffer.from(JSON.stringify(request));
}

/** The path names the model, and the body names the version. Another version in a header would contradict it. */
function partnerMessages(modelsPath: string, model: string, base: URL): TextEndpoint {
  const common = { base, refusesQuery: true, withheld: ['anthropic-version'] } as const;
  const modelPath = `${modelsPath}/${pathSegment(model)}`;
  return {
    send: {
      ...common,
      path: {
        whole: `${modelPath}:rawPredict`,
        events: `${modelPath}:streamRawPredict`,
        array: `${modelPath}:streamRawPredict`,
      },
      body: (body) => body.edited({ ...versionOf(body), model: undefined }),
    },
    count: {
      ...common,
      path: `${modelsPath}/count-tokens:rawPredict`,
      body: (body) => body.edited({ ...versionOf(body), model }),
    },
  };
}

/** The version with the name that this upstream expects. The caller's version has priority. */
function versionOf(body: RequestBody) {
  const named = body.field('anthropic_version') ?? body.field('vendor_version') ?? messagesVersion;
  return { anthropic_version: named, vendor_version: undefined };
}
