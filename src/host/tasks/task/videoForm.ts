import * as vscode from 'vscode';
import * as z from 'zod';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { valueAt } from '../../../base/nestedValues.ts';
import type { FieldChoice, GenerateField } from '../../../protocol/generatePage.ts';
import { interactionsRequest } from '../../../wire/apis/interactions/schema.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import { videoSynthesisRequest } from '../../../wire/apis/videoSynthesis/schema.ts';
import { translateHelp } from '../../kit/pages/parameterSchema.ts';

type Field = Omit<GenerateField, 'help'> & { readonly help?: string };

/** Lists the main fields of a route, with help from the request's schema. */
export function listMainFields(route: VideoRouteId): readonly GenerateField[] {
  const schema = buildJsonSchema(route);
  return forms[route].fields().map((field) => ({ help: readHelp(schema, field.path), ...field }));
}

/** Returns the form's name of the field at a path; the path itself if it has none. */
export function nameField(route: VideoRouteId, path: readonly string[]): string {
  return findMainField(route, path)?.label ?? nameOtherField(path) ?? path.join('.');
}

/** Returns the form's name for a value of the field at a path; the value itself if it has none. */
export function nameValue(route: VideoRouteId, path: readonly string[], value: unknown): string {
  const { t } = vscode.l10n;
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (path.join('.') === resultKindPath && value === 'video') return t('Video');
  const choice = findMainField(route, path)?.choices?.find((each) => each.value === value);
  return choice?.label ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

function findMainField(route: VideoRouteId, path: readonly string[]): Field | undefined {
  return forms[route].fields().find((each) => each.path.join() === path.join());
}

/** The field of interactions for the kind of result. In the form, it is always a video. */
const resultKindPath = 'response_format.type';

/** Returns the names of fields that are filled in automatically, or that are among the form's other fields. */
function nameOtherField(path: readonly string[]): string | undefined {
  switch (path.join('.')) {
    case resultKindPath:
      return vscode.l10n.t('Result');
    case 'parameters.ratio':
      return vscode.l10n.t('Aspect ratio');
    default:
      return undefined;
  }
}

/**
 * Builds the JSON Schema of a request without the main fields. The schema of a field that is filled in automatically is
 * `false`.
 */
export function buildRestSchema(route: VideoRouteId): object {
  const own = videoRoute(route).ownFields;
  const paths = [...own.map((name) => [name]), ...forms[route].fields().map(({ path }) => path)];
  const rest = paths.reduce<JsonObject>(removeField, buildJsonSchema(route));
  const { properties } = rest;
  const ownSchemas = Object.fromEntries(own.map((name) => [name, false]));
  const schema = { ...rest, properties: { ...(isObject(properties) && properties), ...ownSchemas } };
  return translateHelp(schema, (english) => vscode.l10n.t(english));
}

/** Returns the schema of a route's requests. */
export function getRequestSchema(route: VideoRouteId): z.ZodObject {
  return forms[route].schema;
}

/** The schema of a route's requests and its main fields. */
interface Form {
  readonly schema: z.ZodObject;
  fields(): readonly Field[];
}

const forms: Readonly<Record<VideoRouteId, Form>> = {
  interactions: { schema: interactionsRequest, fields: createInteractionFields },
  videoSynthesis: { schema: videoSynthesisRequest, fields: createSynthesisFields },
};

function createInteractionFields(): readonly Field[] {
  return [
    {
      path: ['input'],
      label: vscode.l10n.t('Prompt'),
      help: '',
      control: 'prompt',
    },
    {
      path: ['response_format', 'aspect_ratio'],
      label: vscode.l10n.t('Aspect ratio'),
      help: '',
      control: 'choice',
      choices: createChoices('16:9', '9:16', '1:1'),
      allowsOther: true,
    },
    {
      path: ['response_format', 'duration'],
      label: vscode.l10n.t('Duration'),
      help: '',
      control: 'choice',
      choices: [5, 8, 10].map((seconds) => ({ value: `${seconds}s`, label: formatSeconds(seconds) })),
      allowsOther: true,
    },
    {
      path: ['response_format', 'resolution'],
      label: vscode.l10n.t('Resolution'),
      help: '',
      control: 'choice',
      choices: createChoices('360p', '720p', '1080p', '4k'),
      allowsOther: true,
    },
    {
      path: ['generation_config', 'video_config', 'task'],
      label: vscode.l10n.t('Kind of task'),
      help: '',
      isRare: true,
      control: 'choice',
      choices: [
        { value: 'text_to_video', label: vscode.l10n.t('Text to video') },
        { value: 'image_to_video', label: vscode.l10n.t('Image to video') },
        { value: 'reference_to_video', label: vscode.l10n.t('Reference to video') },
        { value: 'edit', label: vscode.l10n.t('Edit') },
        { value: 'extend', label: vscode.l10n.t('Extend') },
        { value: 'upscale', label: vscode.l10n.t('Upscale') },
      ],
      allowsOther: true,
    },
    { path: ['generation_config', 'seed'], label: vscode.l10n.t('Seed'), isRare: true, control: 'number' },
    { path: ['background'], label: vscode.l10n.t('Run in background'), isRare: true, control: 'switch' },
    { path: ['store'], label: vscode.l10n.t('Store on provider'), isRare: true, control: 'switch' },
  ];
}

function createSynthesisFields(): readonly Field[] {
  return [
    { path: ['input', 'prompt'], label: vscode.l10n.t('Prompt'), help: '', control: 'prompt' },
    {
      path: ['parameters', 'size'],
      label: vscode.l10n.t('Size'),
      control: 'choice',
      choices: ['1280*720', '720*1280', '960*960', '1920*1080', '1080*1920'].map((value) => ({
        value,
        label: value.replace('*', ' × '),
      })),
      allowsOther: true,
    },
    {
      path: ['parameters', 'resolution'],
      label: vscode.l10n.t('Resolution'),
      control: 'choice',
      choices: ['480P', '720P', '1080P'].map((value) => ({ value, label: value.toLowerCase() })),
      allowsOther: true,
    },
    {
      path: ['parameters', 'duration'],
      label: vscode.l10n.t('Duration'),
      help: '',
      control: 'choice',
      choices: [5, 8, 10].map((seconds) => ({ value: seconds, label: formatSeconds(seconds) })),
      allowsOther: true,
      minimum: 1,
    },
    {
      path: ['input', 'negative_prompt'],
      label: vscode.l10n.t('Negative prompt'),
      isRare: true,
      control: 'text',
    },
    {
      path: ['parameters', 'seed'],
      label: vscode.l10n.t('Seed'),
      isRare: true,
      control: 'number',
      minimum: 0,
    },
    {
      path: ['parameters', 'prompt_extend'],
      label: vscode.l10n.t('Enhance prompt'),
      isRare: true,
      control: 'switch',
    },
    {
      path: ['parameters', 'watermark'],
      label: vscode.l10n.t('Watermark'),
      isRare: true,
      control: 'switch',
    },
  ];
}

function formatSeconds(seconds: number): string {
  return vscode.l10n.t('{0} s', seconds);
}

function createChoices(...values: readonly string[]): readonly FieldChoice[] {
  return values.map((value) => ({ value, label: value }));
}

function buildJsonSchema(route: VideoRouteId): JsonObject {
  return z.toJSONSchema(z.looseObject(getRequestSchema(route).shape), {
    io: 'input',
    unrepresentable: 'any',
  });
}

function readHelp(schema: JsonObject, path: readonly string[]): string {
  const description = findProperty(schema, path)?.description;
  return typeof description === 'string' ? vscode.l10n.t(description) : '';
}

function findProperty(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
  return path.reduce<JsonObject | undefined>((inner, name) => {
    const next = valueAt(findObjectSchema(inner), ['properties', name]);
    return isObject(next) ? next : undefined;
  }, schema);
}

/** Removes one property from a schema, at any depth, and objects that then have no properties. */
function removeField(schema: JsonObject, [name, ...rest]: readonly string[]): JsonObject {
  const inner = findObjectSchema(schema);
  if (name === undefined || inner === undefined || !isObject(inner.properties)) return schema;
  const { [name]: property, ...others } = inner.properties;
  const remainder = rest.length > 0 && isObject(property) ? removeField(property, rest) : undefined;
  const properties = remainder && hasProperties(remainder) ? { ...others, [name]: remainder } : others;
  const required = Array.isArray(inner.required) ? inner.required.filter((each) => each !== name) : [];
  const { properties: _, required: __, anyOf: ___, ...facts } = { ...schema, ...inner };
  return { ...facts, properties, ...(required.length > 0 && { required }) };
}

/** Returns the object schema among the alternatives of a value, which usually include null or a list. */
function findObjectSchema(schema: JsonObject | undefined): JsonObject | undefined {
  if (schema === undefined || isObject(schema.properties)) return schema;
  const kinds: readonly unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  for (const kind of kinds.filter(isObject)) {
    const object = findObjectSchema(kind);
    if (object) return object;
  }
  return undefined;
}

function hasProperties(schema: JsonObject): boolean {
  return isObject(schema.properties) && Object.keys(schema.properties).length > 0;
}
