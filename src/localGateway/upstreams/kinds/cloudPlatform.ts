import { isIP } from 'node:net';
import * as z from 'zod';
import { isObject } from '../../../base/json.ts';
import { isLoopback } from '../../../base/loopback.ts';
import { createLongRunningVideoForm, isVeo } from '../../../wire/apis/convertedVideos/longRunningVideo.ts';
import type { RequestBody } from '../../http/requestBody.ts';
import {
  createGenerationEndpoint,
  type Endpoint,
  encodePathSegment,
  type TaskEndpoints,
  type TextEndpoint,
  type TextEndpoints,
} from '../endpoint.ts';
import { createPublisherListing } from '../modelLists.ts';
import type { ConvertedVideos } from '../upstream.ts';
import { createAddressField, createBearerHeader, defineHttpKind, removeAddressEnd } from '../upstreamKind.ts';

/** The version of the messages API on this platform. It is sent in the body, not in a header. */
const messagesVersion = 'vertex-2023-10-16';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected lower-case letters, digits and hyphens');

/**
 * The cloud platform. Its own models use content generation and compatible chat completions, partner models use
 * messages, and all other models use managed chat completions. The key is an access token of the cloud. IDs are
 * `<publisher>/<model>`; if the publisher is missing, it follows from the model family.
 */
export const cloudPlatformKind = defineHttpKind(
  'cloud-platform',
  {
    baseUrl: createAddressField(
      'The global address before /v1/projects, such as https://aiplatform.googleapis.com.',
    ),
    project: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.:-]*$/, 'expected the id of a project')
      .describe('ID of the project that is billed.'),
    location: name.describe('The location that serves the models, such as global or us-east5.'),
    regionalUrl: createAddressField(
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
    const base = removeAddressEnd(baseUrl, /\/v1(?:beta1)?$/);
    const regional =
      regionalUrl === undefined
        ? createRegionalAddress(base, location)
        : removeAddressEnd(regionalUrl, /\/v1(?:beta1)?$/);
    const prefix = `/v1/projects/${encodePathSegment(project)}/locations/${location}`;
    return {
      base,
      addresses: [base, regional].map((each) => new URL(each.pathname.replace(/\/$/, '') + prefix, each)),
      findTextEndpoints(id): TextEndpoints {
        const { publisher, model } = splitPublisher(id);
        const modelsPath = `${prefix}/publishers/${encodePathSegment(publisher)}/models`;
        const chat = createCloudChat(`${prefix}/endpoints/openapi/chat/completions`, `${publisher}/${model}`);
        if (partners.includes(publisher))
          return { messages: createPartnerMessages(modelsPath, model, regional) };
        if (publisher !== 'google') return { chatCompletions: { send: { ...chat, base: regional } } };
        return {
          contentGeneration: createCloudGeneration(`${modelsPath}/${encodePathSegment(model)}`),
          chatCompletions: { send: chat },
        };
      },
      tasks: {
        longRunningVideos: createVideoEndpoints(`${prefix}/publishers/google/models`, regional),
      },
      findConvertedVideos: (id) =>
        isVeo(id) && splitPublisher(id).publisher === 'google' ? veoVideos : undefined,
      models: createPublisherListing(publishers),
      createCredentialHeaders: createBearerHeader,
    };
  },
);

/** Locations that comprise several regions. Their hosts contain the location in another form. */
const multiRegions: ReadonlySet<string> = new Set(['us', 'eu']);

/**
 * Adds the location to the host of an address. The global location is served at the global address, and an address
 * without a host name has no regions.
 */
export function createRegionalAddress(base: URL, location: string): URL {
  const { hostname } = base;
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && !isLoopback(hostname);
  if (location === 'global' || !isNamed) return base;
  const regional = new URL(base);
  regional.hostname = createRegionalHost(hostname, location);
  return regional;
}

function createRegionalHost(host: string, location: string): string {
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

function createCloudChat(path: string, id: string): Endpoint {
  return {
    path,
    createBody: (body) => (body.readField('model') === id ? body.pieces : body.replaceModel(id)),
  };
}

const veoVideos: ConvertedVideos = { format: 'longRunningVideos', form: createLongRunningVideoForm(true) };

/**
 * Creates the endpoints of long-running predictions. An operation is read by a POST to its model, which its name
 * contains.
 */
function createVideoEndpoints(modelsPath: string, base: URL): TaskEndpoints {
  const createModelPath = (model: string) => `${modelsPath}/${encodePathSegment(model)}`;
  return {
    create: (id) => ({ base, path: `${createModelPath(splitPublisher(id).model)}:predictLongRunning` }),
    read: (operation) => ({
      base,
      path: `${createModelPath(readModelOfOperation(operation))}:fetchPredictOperation`,
      headers: { 'content-type': 'application/json' },
      json: { operationName: operation },
    }),
  };
}

function readModelOfOperation(name: string): string {
  return /\/models\/([^/]+)\/operations\/[^/]+$/.exec(name)?.[1] ?? '';
}

/** The endpoint for counts expects the request itself as the body, not a nested request. */
function createCloudGeneration(modelPath: string): TextEndpoint {
  const { send, count } = createGenerationEndpoint(modelPath);
  return { send, ...(count && { count: { ...count, createBody: unwrapBody } }) };
}

function unwrapBody({ bytes }: RequestBody): Uint8Array {
  const { generateContentRequest: nested } = JSON.parse(Buffer.from(bytes).toString());
  if (!isObject(nested)) return bytes;
  const { model: _, ...request } = nested;
  return Buffer.from(JSON.stringify(request));
}

/** The path names the model, and the body names the version. Another version in a header would contradict it. */
function createPartnerMessages(modelsPath: string, model: string, base: URL): TextEndpoint {
  const common = { base, refusesQuery: true, withheldHeaders: ['anthropic-version'] } as const;
  const modelPath = `${modelsPath}/${encodePathSegment(model)}`;
  return {
    send: {
      ...common,
      path: {
        whole: `${modelPath}:rawPredict`,
        events: `${modelPath}:streamRawPredict`,
        array: `${modelPath}:streamRawPredict`,
      },
      createBody: (body) => body.editFields({ ...readVersion(body), model: undefined }),
    },
    count: {
      ...common,
      path: `${modelsPath}/count-tokens:rawPredict`,
      createBody: (body) => body.editFields({ ...readVersion(body), model }),
    },
  };
}

/** Reads the version, in the field that this upstream expects. The caller's version has priority. */
function readVersion(body: RequestBody) {
  const version = body.readField('anthropic_version') ?? body.readField('vendor_version') ?? messagesVersion;
  return { anthropic_version: version, vendor_version: undefined };
}
