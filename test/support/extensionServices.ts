import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { CallOptions } from '../../src/client/types.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import { chatRequest, readError } from './faultServerCalls.ts';

/** Activates the extension, which exposes its services to tests only, and allows the local gateway. */
export async function getServices(): Promise<Services> {
  const extension = vscode.extensions.getExtension<Services | undefined>('model-gateway.model-gateway');
  assert(extension, 'the extension is installed');
  const services = await extension.activate();
  assert(services, 'the extension runs in test mode');
  await services.localGateway.consent.grant();
  return services;
}

/** Creates a folder in the workspace, which the test removes. */
export function createFolderInWorkspace(prefix: string): string {
  const [workspace] = vscode.workspace.workspaceFolders ?? [];
  assert(workspace, 'the tests run with a folder open');
  return mkdtempSync(join(workspace.uri.fsPath, prefix));
}

/** Unloads the closed chats, as a reload does, so that they are read from the store next. */
export function unloadClosedChats({ closedChats }: Services): void {
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

/** Waits until `hasHappened` returns true. It is called at once and after each event. */
export function waitForEvent<T>(event: vscode.Event<T>, hasHappened: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const subscription = event(() => {
      if (!hasHappened()) return;
      subscription.dispose();
      resolve();
    });
    if (hasHappened()) {
      subscription.dispose();
      resolve();
    }
  });
}

/** Returns the failure of a call. The extension's errors have the class of its own bundle. */
export async function catchFailure(call: Promise<unknown>): Promise<GatewayError> {
  const failure = await call.then(
    () => assert.fail('the call did not fail'),
    (error) => error,
  );
  assert.equal(failure.name, 'GatewayError', failure.stack);
  return failure;
}

/** Functions that send one request of each kind, and return its failure. */
export const requests: readonly ((client: GatewayClient, options?: CallOptions) => Promise<GatewayError>)[] =
  [
    (client, options) => catchFailure(client.listModels(options)),
    async (client, options) =>
      readError((await client.chatCompletions(chatRequest, () => {}, options)).outcome),
    (client, options) => catchFailure(client.startInteraction({ model: 'm', input: 'x' }, options)),
  ];
