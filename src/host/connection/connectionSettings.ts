import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import { defaultTimeouts } from '../../client/requestTimeouts.ts';
import type { Timeouts } from '../../client/types.ts';
import { readSetting } from '../kit/manifest/settings.ts';
import { findProxy } from './proxySettings.ts';

type TransportSetting = 'auto' | 'direct' | 'host';

export function readTransport(): TransportSetting {
  const transport = readSetting<TransportSetting>('transport');
  return transport === 'direct' || transport === 'host' ? transport : 'auto';
}

/** Reads the time limits and converts them from seconds to milliseconds. 0 means no limit. */
export function readTimeouts(): Timeouts {
  const setting = readSetting<unknown>('timeouts');
  const chosen = isObject(setting) ? setting : {};
  const limits = Object.entries(defaultTimeouts).map(([name, defaultMs]) => {
    const seconds = chosen[name];
    return [name, typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : defaultMs];
  });
  return Object.fromEntries(limits);
}

/** Returns the host and port of the proxy for `origin`, from VS Code's settings or the environment. */
export function readProxy(origin: string): string | undefined {
  return findProxy(origin, {
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

/** Reads a setting of VS Code's network stack, without the value of the workspace. */
function readHttp(key: string): unknown {
  const values = vscode.workspace.getConfiguration('http').inspect(key);
  return values?.globalValue ?? values?.defaultValue;
}
