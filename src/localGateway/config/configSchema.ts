import * as z from 'zod';
import { isObject } from '../../base/json.ts';
import { upstreamKinds } from '../upstreams/kinds/upstreamKinds.ts';
import {
  checkUpstream,
  explainSecret,
  type UpstreamConfig,
  upstreamFields,
} from '../upstreams/upstreamFields.ts';
import type { UpstreamKind } from '../upstreams/upstreamKind.ts';
import { alias, checkAliases } from './aliasSchema.ts';
import { namedCredential } from './credentialSchema.ts';
import { unique } from './names.ts';

/** All fields of a kind of upstream. */
export function upstreamSchema({ fields }: UpstreamKind) {
  const kind = z.enum(upstreamKinds.map((each) => each.kind)).describe('The kind of API it has.');
  return z.strictObject({ ...upstreamFields.shape, ...fields, kind }, { error: explainSecret });
}

/** One upstream, checked by the fields of its kind; by those of the first where it names no kind. */
export const upstream = z.unknown().transform((value, context): UpstreamConfig => {
  const named = isObject(value) ? upstreamKinds.find(({ kind }) => kind === value.kind) : undefined;
  const schema = upstreamSchema(named ?? upstreamKinds[0]).superRefine(checkUpstream);
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  for (const issue of checked.error.issues) context.issues.push({ ...issue, input: undefined });
  return z.NEVER;
});

/** The configuration file. */
export const gatewayConfig = z
  .strictObject({
    $schema: z.string().optional().describe('Where the JSON schema of this file is, for editors.'),
    port: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe(
        'The port of 127.0.0.1 to listen on. Where absent, one is chosen at the first start and kept.',
      ),
    upstreams: z
      .array(upstream)
      .superRefine(unique({ name: 'this name is already taken by another upstream' }))
      .describe('The places models come from.'),
    aliases: z
      .array(alias)
      .superRefine(unique({ name: 'this name is already taken by another alias' }))
      .optional()
      .describe('Names for one model or several.'),
    credentials: z
      .array(namedCredential)
      .superRefine(
        unique({
          name: 'this name is already taken by another credential',
          sha256: 'another name has the same credential',
        }),
      )
      .optional()
      .describe("Credentials for other programs or people, beside the user's own, which may use all models."),
  })
  .superRefine(checkAliases);

export type GatewayConfig = z.infer<typeof gatewayConfig>;
