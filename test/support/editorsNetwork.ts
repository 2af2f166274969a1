import https from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { readTestAuthority } from './namedGateway.ts';

const ignore = () => {};

/**
 * Installs VS Code's own patch of `https` again, for a proxy that requires credentials and with a dialog of the
 * test: the window in the browser has neither. Returns a function that removes the patch.
 */
export function useEditorsNetwork(proxyPort: number, lookupAuthorization: () => Promise<object>): () => void {
  const modules = createRequire(join(vscode.env.appRoot, 'package.json'));
  const { createHttpPatch, createProxyAuthorizationLookup, createProxyResolver } =
    modules('@vscode/proxy-agent');
  const { request, get } = https;
  const original = { ...https, ...(https as { __vscodeOriginal?: object }).__vscodeOriginal };
  const log = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
  const params = {
    resolveProxy: async () => undefined,
    lookupProxyAuthorization: createProxyAuthorizationLookup({ log, lookupAuthorization }),
    getProxyURL: () => `http://127.0.0.1:${proxyPort}`,
    getProxySupport: () => 'override',
    getNoProxyConfig: () => [],
    addCertificatesV1: () => true,
    addCertificatesV2: () => false,
    loadSystemCertificatesFromNode: () => true,
    loadAdditionalCertificates: async () => [readTestAuthority().cert],
    log,
    getLogLevel: () => 6,
    proxyResolveTelemetry: ignore,
    isUseHostProxyEnabled: () => false,
    env: {},
  };
  const { resolveProxyWithRequest } = createProxyResolver(params);
  Object.assign(https, createHttpPatch(params, original, resolveProxyWithRequest));
  return () => Object.assign(https, { request, get });
}
