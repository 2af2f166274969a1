const maxStringLength = 16_384;

/** Formats JSON for display. Long strings are replaced by their beginning and length. */
export function formatReadableJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      typeof inner === 'string' && inner.length > maxStringLength
        ? `${inner.slice(0, 64)}… (${inner.length.toLocaleString('en')} characters)`
        : inner,
    2,
  );
}
