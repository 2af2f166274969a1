import * as z from 'zod';
import { modelUses } from '../../../wire/apis/models/modelUse.ts';

// The input of each tool. package.json declares the same fields. A test checks that both agree.

/** In UTF-16 units, like all lengths here. */
const maxPromptLength = 200_000;
const maxVideoPromptLength = 20_000;

const model = z.string().trim().min(1).max(1024);
/** The name of a gateway as the user sees it. */
const gateway = z.string().trim().min(1).max(200);
/** The id of a task or of a request. */
const id = z.string().trim().min(1).max(256);

export const listModelsInput = z.strictObject({
  use: z.enum(modelUses).optional(),
  search: z.string().trim().max(200).optional(),
  gateway: gateway.optional(),
});

export const askModelInput = z.strictObject({
  prompt: z.string().trim().min(1).max(maxPromptLength),
  model: model.optional(),
  system: z.string().max(maxPromptLength).optional(),
  maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
  gateway: gateway.optional(),
});

export const startVideoInput = z.strictObject({
  prompt: z.string().trim().min(1).max(maxVideoPromptLength),
  model: model.optional(),
  route: z.enum(['interactions', 'videoSynthesis']).optional(),
  aspectRatio: z
    .string()
    .regex(/^\d{1,4}:\d{1,4}$/, 'must be width:height, such as 16:9')
    .optional(),
  resolution: z
    .string()
    .regex(/^(?:\d{3,4}p|\dk)$/i, 'must be a height in lines, such as 720p')
    .optional(),
  seconds: z.number().positive().max(600).optional(),
  seed: z.int().min(0).max(4_294_967_295).optional(),
  count: z.int().min(1).max(8).optional(),
  gateway: gateway.optional(),
});

export type StartVideoInput = z.infer<typeof startVideoInput>;

export const readTaskInput = z.strictObject({ task: id.optional() });

export const waitForTaskInput = z.strictObject({
  task: id,
  seconds: z.number().min(1).max(600).optional(),
});

export const cancelTaskInput = z.strictObject({ task: id });

export const explainFailureInput = z.strictObject({ requestId: id.optional(), task: id.optional() });
