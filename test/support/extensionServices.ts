import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { CallOptions } from '../../src/client/types.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import { chatRequest, errorOf } from './faultServerCalls.ts';

/** The services of the running extension, which exposes them to tests only. */
export async function extensionServices(): Promise<Services> {
  const extension = vscode.extensions.getExtension<Services | undefined>('model-gateway.model-gateway');
  assert(extension, 'the extension is installed');
  const services = await extension.activate();
  assert(services, 'the extension runs in test mode');
  await services.localGateway.consent.grant();
  return services;
}

/** A new folder in the workspace, which the test removes. */
export function folderInWorkspace(prefix: string): string {
  const [workspace] = vscode.workspace.workspaceFolders ?? [];
  assert(workspace, 'the tests run with a folder open');
  return mkdtempSync(join(workspace.uri.fsPath, prefix));
}

/** Unloads the closed chats, as a reload does, so that they are read from the store next. */
export function forgetClosedChats({ closedChats }: Services): void {
  while (closedChats.take()) {
    // Unload each chat.
  }
}

/** Adds a gateway with a credential, as connecting does, and makes it the current one. */
export async function useGateway(services: Services, name: string, baseUrl: string, credential: string) {
  const gateway = { name, baseUrl };
  await services.credentials.store(gateway, credential);
  await services.gateways.save(gateway);
  await services.gateways.setCurrent(name);
}

/** Resolves when `happened` returns true. It is called at once and after each event. */
export function until<T>(event: vscode.Event<T>, happened: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const subscription = event(() => {
      if (!happened()) return;
      subscription.dispose();
      resolve();
    });
    if (happened()) {
      subscription.dispose();
      resolve();
    }
  });
}

/** The failure of a call. The extension's errors have the class of its own bundle. */
export async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const failure = await call.then(
    () => assert.fail('the call did not fail'),
    (error) => error,
  );
  assert.equal(failure.name, 'GatewayError', failure.stack);
  return failure;
}

/** Every kind of request, with its failure. */
export const requests: readonly ((client: GatewayClient, options?: CallOptions) => Promise<GatewayError>)[] =
  [
    (client, options) => failureOf(client.listModels(options)),
    async (client, options) =>
      errorOf((await client.chatCompletions(chatRequest, () => {}, options)).outcome),
    (client, options) => failureOf(client.startInteraction({ model: 'm', input: 'x' }, options)),
  ];
