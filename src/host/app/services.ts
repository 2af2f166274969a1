import type * as vscode from 'vscode';
import { type AgentServices, createAgentServices } from '../agents/agentServices.ts';
import { createChatServices } from '../chat/chatServices.ts';
import { createConnectionServices } from '../connection/connectionServices.ts';
import { createGatewayServices } from '../gateway/gatewayServices.ts';
import { createKitServices } from '../kit/kitServices.ts';
import { createModelServices } from '../models/modelServices.ts';
import { createRequestServices } from '../requests/requestServices.ts';
import { createTaskServices } from '../tasks/taskServices.ts';

/** The services of all layers. */
export type Services = AgentServices;

/** Creates the services of each layer from the layers below. VS Code disposes them with the extension. */
export function createServices(context: vscode.ExtensionContext): Services {
  const kit = createKitServices(context);
  const connection = createConnectionServices(context, kit);
  const models = createModelServices(context, connection);
  const chat = createChatServices(context, models);
  const tasks = createTaskServices(context, chat);
  const gateway = createGatewayServices(context, tasks);
  const requests = createRequestServices(context, gateway);
  return createAgentServices(context, requests);
}
