import * as z from 'zod';
import { configName } from './names.ts';

/** A credential that a configuration names, for other programs or people. It is known by its hash alone. */
export const namedCredential = z.strictObject({
  name: configName.describe('Short name of who uses it, told in the log.'),
  sha256: z
    .string()
    .regex(
      /^[0-9a-fA-F]{64}$/,
      'expected a SHA-256 hash as 64 hexadecimal digits, made by --make-credential NAME',
    )
    .toLowerCase()
    .describe('SHA-256 hash of the credential in hexadecimal. The option --make-credential makes both.'),
  models: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Ids of the models that it may use, in which * stands for any text. All where absent.'),
  requestsPerMinute: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Most requests with a body in any 60 seconds. No limit where absent.'),
  concurrentRequests: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Most requests with a body that may be under way at once. No limit where absent.'),
});

export type NamedCredential = z.infer<typeof namedCredential>;
