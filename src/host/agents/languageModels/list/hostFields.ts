import type * as vscode from 'vscode';

/**
 * Fields of a model that VS Code reads although its published typings do not contain them. Each is in VS Code's
 * source (1.139); a host that does not know a field ignores it. `capabilities.editTools` is not included because
 * the host throws on it.
 */
export interface HostModelFields {
  /** Without it, VS Code 1.120 does not show the model. */
  readonly isUserSelectable: true;
  /** The price in words. VS Code's numeric price fields are in its own credits. */
  readonly pricing?: string;
  /** Replaces the icon of the model's maker. */
  readonly statusIcon?: vscode.ThemeIcon;
  /** Markdown by a key of ours. */
  readonly warningText?: Readonly<Record<string, string>>;
  /** Markdown by a key of ours. A host that shows `pricing` does not show the tooltip. */
  readonly infoText?: Readonly<Record<string, string>>;
  readonly configurationSchema?: ConfigurationSchema;
}

/** The options of a model. The user's choice arrives as `modelConfiguration`. */
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
  /** Shown in the picker itself; without it, in the configuration menu of a model. */
  readonly group?: 'navigation';
}
