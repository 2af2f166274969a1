// The entry of the client library, `dist/client.mjs`. The first import checks the version of Node.
import './requiredNode.ts';

export type { ChatCompletionsRequest } from '../wire/apis/chatCompletions/schema.ts';
export type { ContentGenerationRequest } from '../wire/apis/contentGeneration/schema.ts';
export type { InteractionsRequest } from '../wire/apis/interactions/schema.ts';
export type { MessagesRequest, PartnerMessagesRequest } from '../wire/apis/messages/schema.ts';
export type { Model, ModelPrice } from '../wire/apis/models/modelList.ts';
export type { ResponsesRequest } from '../wire/apis/responses/schema.ts';
export type { TaskPage, TaskQuery } from '../wire/apis/taskRecord/decodeTaskList.ts';
export type { TaskError, TaskResult, TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
export type { VideoSynthesisRequest } from '../wire/apis/videoSynthesis/schema.ts';
export type { ChatEvent, FinishReason, Outcome, Usage } from '../wire/chatEvent.ts';
// biome-ignore lint/performance/noBarrelFile: this file is the entry of the client library
export { type FailureKind, type FailureReason, GatewayError } from '../wire/failures/gatewayError.ts';
export type { HeaderChoice, HeaderNames } from '../wire/headerNames.ts';
export type { CredentialHeader } from '../wire/routes.ts';
export { createGatewayClient, type GatewayClient } from './gatewayClient.ts';
export type {
  CallOptions,
  ChatResult,
  ClientOptions,
  CreatedTask,
  CreateOptions,
  Downloaded,
  DownloadHead,
  DownloadOptions,
  DownloadTarget,
  ExchangeRecord,
  ExtraHeader,
  FormatRequest,
  ListModelsOptions,
  MessagesOptions,
  OnEvents,
  OpenRoute,
  OpenRouteChoice,
  PaidReply,
  PaidRequest,
  SpendingGuard,
  SpendingReservation,
  Timeouts,
  WaitOptions,
} from './types.ts';
export { TaskWaitError } from './waitForTask.ts';
