/** The headers that providers name after themselves, where the interface says `vendor`. */
export interface HeaderNames {
  readonly vendorApiKey: string;
  readonly vendorAsync: string;
  readonly vendorVersion: string;
  readonly vendorBeta: string;
}

/** The names as the interface spells them, and as the providers do. */
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

/** Which names a gateway understands: those of a preset, and single ones of its own. */
export interface HeaderChoice {
  readonly preset?: keyof typeof headerPresets;
  readonly overrides?: Partial<HeaderNames>;
}

/** Where the body of a partner-model route names its version, which its provider names after itself too. */
const versionFields = { interface: 'vendor_version', provider: 'anthropic_version' } as const;

/** What the gateway calls the version in a body; `vendor_version` in the interface's words. */
export function versionField({ preset = 'interface' }: HeaderChoice = {}): string {
  return versionFields[preset];
}

/** Whether a body names its version, in either spelling. */
export function namesVersion(body: object): boolean {
  return Object.values(versionFields).some((field) => Object.hasOwn(body, field));
}

export function headerNames({ preset = 'interface', overrides }: HeaderChoice = {}): HeaderNames {
  return { ...headerPresets[preset], ...overrides };
}
