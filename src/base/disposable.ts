/** Ends a subscription or a timer, or frees what something holds. */
export interface Disposable {
  dispose(): void;
}
