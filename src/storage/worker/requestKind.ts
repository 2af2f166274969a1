/** One kind: what is asked, what is answered, and what is told meanwhile. */
export interface RequestKind<Asked, Answer, Progress = never> {
  readonly asked: Asked;
  readonly answer: Answer;
  readonly progress: Progress;
}

/** Several kinds, by name. */
export type RequestKinds<Kinds> = { readonly [Kind in keyof Kinds]: RequestKind<unknown, unknown, unknown> };
