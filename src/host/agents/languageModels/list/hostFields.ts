import type * as vscode from 'vscode';

/**
 * What VS Code reads of a model beside its published typings. Each was seen in the host's source (1.139); a host
 * that does not know a field leaves it alone. `capabilities.editTools` is none of them: the host throws there.
 */
export interface HostModelFields {
  /** Without it, VS Code 1.120 does not show the model. */
  readonly isUserSelectable: true;
  /** What it costs, in words. The fields of numbers mean VS Code's own credits. */
  readonly pricing?: string;
  /** Shown in place of the icon of the model's maker. */
  readonly statusIcon?: vscode.ThemeIcon;
  /** Markdown by a key of ours. */
  readonly warningText?: Readonly<Record<string, string>>;
  /** Markdown by a key of ours. A host that shows `pricing` leaves out the tooltip. */
  readonly infoText?: Readonly<Record<string, string>>;
  readonly configurationSchema?: ConfigurationSchema;
}

/** The options of a model. What the user chose arrives as `modelConfiguration`. */
export interface ConfigurationSchema {
  readonly properties: Readonly<Record<string, ConfiguredOption>>;
}

export interface ConfiguredOption {
  readonly type: 'string';
  readonly title: string;
  readonly description: string;
  readonly enum: readonly string[];
  readonly enumItemLabels: readonly string[];
  readonly default: string;
  /** Shown in the picker itself; without it, among what can be configured of a model. */
  readonly group?: 'navigation';
}
