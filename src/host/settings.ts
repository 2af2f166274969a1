import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { isObject } from '../base/json.ts';
import type { Timeouts } from '../client/types.ts';
import { watchTimeoutMs } from '../tasks/polling/polledTask.ts';
import type { PollOptions } from '../tasks/polling/pollOptions.ts';
import type { Price } from '../tasks/spending.ts';
import { type FormatRule, readFormatRule } from './chat/asking/formatRules.ts';
import { type ConfiguredGateway, readGateways } from './connection/configuredGateway.ts';
import { proxyFor } from './connection/proxySettings.ts';
import { type SettingKey, settingsSection } from './contributions.ts';
import { type FactRule, readFactRule } from './languageModels/list/factRules.ts';
import { type OfferRule, readOfferRule } from './models/offerRules.ts';
import { readTokenPriceRule, type TokenPriceRule } from './models/tokenPriceRules.ts';
import { readUseRule, type UseRule } from './models/useRules.ts';

/** The price of the models whose id matches. */
export interface PriceRule {
  /** A model id in which `*` stands for any text. */
  readonly models: string;
  readonly price: Price;
}

export type Transport = 'auto' | 'direct' | 'host';

/**
 * Reads a setting from the user's own settings only: a workspace or a remote must not choose where requests
 * and credentials go (T1, T2).
 */
function read<T>(key: SettingKey): T | undefined {
  const found = vscode.workspace.getConfiguration(settingsSection).inspect<T>(key);
  return found?.globalValue ?? found?.defaultValue;
}

/** Like `read`, without the default value. */
function readOwn<T>(key: SettingKey): T | undefined {
  return vscode.workspace.getConfiguration(settingsSection).inspect<T>(key)?.globalValue;
}

/** Returns the configured gateways without invalid entries. */
export function readConfiguredGateways(): readonly ConfiguredGateway[] {
  return readGateways(readOwn<unknown>('gateways'));
}

export async function writeGateways(gateways: readonly ConfiguredGateway[]): Promise<void> {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  await settings.update('gateways', gateways, vscode.ConfigurationTarget.Global);
}

export function readTransport(): Transport {
  const transport = read<Transport>('transport');
  return transport === 'direct' || transport === 'host' ? transport : 'auto';
}

/** Returns the user's rules of API formats, without invalid entries; the first match counts. */
export function readFormatRules(): readonly FormatRule[] {
  const entries = read<unknown>('apiFormats');
  return Array.isArray(entries) ? entries.map(readFormatRule).filter((rule) => rule !== undefined) : [];
}

/** Returns the user's rules of what models are for, without invalid entries; the first match counts. */
export function readUseRules(): readonly UseRule[] {
  const entries = read<unknown>('modelUses');
  return Array.isArray(entries) ? entries.map(readUseRule).filter((rule) => rule !== undefined) : [];
}

/** Returns the user's own prices of models, without invalid entries; the first match counts. */
export function readTokenPriceRules(): readonly TokenPriceRule[] {
  const entries = read<unknown>('tokenPrices');
  return Array.isArray(entries) ? entries.map(readTokenPriceRule).filter((rule) => rule !== undefined) : [];
}

/** Whether VS Code's own chat offers the models of all gateways, and not of the window's alone. */
export function readOffersAllGateways(): boolean {
  return read<string>('vscodeChat.gateways') === 'all';
}

/** Returns the user's rules of which models VS Code's own chat offers, without invalid entries; the first match counts. */
export function readOfferRules(): readonly OfferRule[] {
  const entries = read<unknown>('vscodeChat.models');
  return Array.isArray(entries) ? entries.map(readOfferRule).filter((rule) => rule !== undefined) : [];
}

/** Returns what the user says of models, without invalid entries; for each fact the first match that has it counts. */
export function readFactRules(): readonly FactRule[] {
  const entries = read<unknown>('vscodeChat.modelFacts');
  return Array.isArray(entries) ? entries.map(readFactRule).filter((rule) => rule !== undefined) : [];
}

/** Returns the time limits in milliseconds; the settings are in seconds. */
export function readTimeouts(): Timeouts {
  return {
    connect: milliseconds('connect'),
    firstByte: milliseconds('firstByte'),
    wholeReply: milliseconds('wholeReply'),
    idle: milliseconds('idle'),
    noData: milliseconds('noData'),
    total: milliseconds('total'),
  };
}

/** Returns the options of polling, in milliseconds; the settings are in seconds and minutes. */
export function readPollOptions(): PollOptions {
  const intervalMs = atLeast(1, read<number>('tasks.interval')) * 1000;
  return {
    intervalMs,
    maxIntervalMs: Math.max(intervalMs, maxIntervalMs),
    timeoutMs: watchTimeoutMs(atLeast(0, read<number>('tasks.timeout'))),
    pollsInFlight: 4,
  };
}

/** Returns how many requests for tasks may be sent in 24 hours; 0 is no limit. */
export function readDailyLimit(): number {
  return atLeast(0, read<number>('tasks.dailyLimit'));
}

/** Returns the user's prices without invalid entries; the first match counts. */
export function readPriceRules(): readonly PriceRule[] {
  const entries = read<unknown>('tasks.prices');
  return Array.isArray(entries) ? entries.map(readPriceRule).filter((rule) => rule !== undefined) : [];
}

/** Returns the user's folder of results; undefined unless it is an absolute path. */
export function readResultsFolder(): string | undefined {
  const folder = read<string>('tasks.resultsFolder')?.trim();
  return folder && isAbsolute(folder) ? folder : undefined;
}

/** Returns the id of the model that makes titles of new chats; undefined when none is to be asked. */
export function readTitleModel(): string | undefined {
  const model = read<string>('chats.titleModel');
  return typeof model === 'string' && model.trim() !== '' ? model.trim() : undefined;
}

/** Whether failed requests are kept on the disk. */
export function readKeepsFailures(): boolean {
  return read<boolean>('requests.keepFailures') !== false;
}

/** Calls `changed` after a change of that setting. */
export function onKeepsFailuresChanged(changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`${settingsSection}.requests.keepFailures`)) changed();
  });
}

/** Whether the local gateway runs until it is stopped; otherwise it ends with the last window. */
export function readKeepsLocalGateway(): boolean {
  return read<boolean>('localGateway.keepRunning') === true;
}

/** Returns the user's folder of prompt files; undefined unless it is an absolute path. */
export function readPromptsFolder(): string | undefined {
  const folder = read<string>('promptsFolder')?.trim();
  return folder && isAbsolute(folder) ? folder : undefined;
}

/** Returns host and port of the proxy for `origin`, by VS Code's settings or the environment. */
export function readProxy(origin: string): string | undefined {
  return proxyFor(origin, {
    support: readHttp('proxySupport'),
    proxy: readHttp('proxy'),
    noProxy: readHttp('noProxy'),
    env: process.env,
  });
}

/** Whether the operating system's certificate authorities are trusted. */
export function readSystemCertificates(): boolean {
  return readHttp('systemCertificates') !== false;
}

/** Reads a setting of VS Code's network stack, which no workspace can set. */
function readHttp(key: string): unknown {
  const found = vscode.workspace.getConfiguration('http').inspect(key);
  return found?.globalValue ?? found?.defaultValue;
}

/** Calls `listener` when a setting of ours changed, or one that decides how requests travel. */
export function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (followed.some((section) => event.affectsConfiguration(section))) listener();
  });
}

const followed = [
  settingsSection,
  'http.proxy',
  'http.proxySupport',
  'http.noProxy',
  'http.systemCertificates',
] as const;

const maxIntervalMs = 30_000;

function atLeast(least: number, value: number | undefined): number {
  return typeof value === 'number' && value >= least ? value : least;
}

function milliseconds(name: keyof Timeouts): number {
  const seconds = read<number>(`timeouts.${name}`);
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 0;
}

function readPriceRule(entry: unknown): PriceRule | undefined {
  if (!isObject(entry) || typeof entry.models !== 'string') return undefined;
  const { models, perRequest, perSecond, currency } = entry;
  const known = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  const price = {
    ...(isPrice(perRequest) && { perRequest }),
    ...(isPrice(perSecond) && { perSecond }),
    currency: known ? currency : 'USD',
  };
  return price.perRequest === undefined && price.perSecond === undefined ? undefined : { models, price };
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
