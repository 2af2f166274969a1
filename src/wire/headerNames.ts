/** Headers that providers name after themselves. The gateway interface uses `vendor` instead. */
export interface HeaderNames {
  readonly vendorApiKey: string;
  readonly vendorAsync: string;
  readonly vendorVersion: string;
  readonly vendorBeta: string;
}

/** The names in the gateway interface and at the providers. */
export const headerPresets = {
  interface: {
    vendorApiKey: 'x-vendor-api-key',
    vendorAsync: 'x-vendor-async',
    vendorVersion: 'vendor-version',
    vendorBeta: 'vendor-beta',
  },
  provider: {
    vendorApiKey: 'x-goog-api-key',
    vendorAsync: 'x-dashscope-async',
    vendorVersion: 'anthropic-version',
    vendorBeta: 'anthropic-beta',
  },
} as const satisfies Record<string, HeaderNames>;

/** The names that a gateway uses: a preset, and overrides of single names. */
export interface HeaderChoice {
  readonly preset?: keyof typeof headerPresets;
  readonly overrides?: Partial<HeaderNames>;
}

/** The version field in the body of a partner-model route, which providers name after themselves. */
const versionFields = { interface: 'vendor_version', provider: 'anthropic_version' } as const;

/** The gateway's name for the version field in a body; `vendor_version` by default. */
export function findVersionField({ preset = 'interface' }: HeaderChoice = {}): string {
  return versionFields[preset];
}

/** Whether a body contains the version, in either spelling. */
export function hasVersionField(body: object): boolean {
  return Object.values(versionFields).some((field) => Object.hasOwn(body, field));
}

/** All names that a gateway uses: its preset with the overrides. */
export function resolveHeaderNames({ preset = 'interface', overrides }: HeaderChoice = {}): HeaderNames {
  return { ...headerPresets[preset], ...overrides };
}
