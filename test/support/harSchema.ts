import * as z from 'zod';

// The HAR 1.2 specification (http://www.softwareishard.com/blog/har-12-spec/): the types of the fields, and
// whether they are required. Other names must start with an underscore.

function fields<const Shape extends z.ZodRawShape>(shape: Shape) {
  const known = new Set(Object.keys(shape));
  return z
    .looseObject(shape)
    .refine((value) => Object.keys(value).every((name) => known.has(name) || name.startsWith('_')));
}

const comment = z.optional(z.string());
const size = z.int().min(-1);
const ms = z.number().min(0);
const unknownMs = z.optional(z.number().min(-1));
const pair = fields({ name: z.string(), value: z.string(), comment });
const cookie = fields({ name: z.string(), value: z.string(), comment });

const message = {
  httpVersion: z.string(),
  cookies: z.array(cookie),
  headers: z.array(pair),
  headersSize: size,
  bodySize: size,
  comment,
};

const entry = fields({
  startedDateTime: z.iso.datetime(),
  time: ms,
  request: fields({
    ...message,
    method: z.string(),
    url: z.url(),
    queryString: z.array(pair),
    postData: z.optional(fields({ mimeType: z.string(), text: z.string(), comment })),
  }),
  response: fields({
    ...message,
    status: z.int(),
    statusText: z.string(),
    content: fields({
      size: z.int(),
      mimeType: z.string(),
      text: z.optional(z.string()),
      comment,
    }),
    redirectURL: z.string(),
  }),
  cache: fields({}),
  timings: fields({
    blocked: unknownMs,
    dns: unknownMs,
    connect: unknownMs,
    send: ms,
    wait: ms,
    receive: ms,
    ssl: unknownMs,
    comment,
  }),
  comment,
});

/** A HAR 1.2 document. */
export const harDocument = z.strictObject({
  log: fields({
    version: z.literal('1.2'),
    creator: fields({ name: z.string(), version: z.string(), comment }),
    entries: z.array(entry),
    comment,
  }),
});
