import type * as vscode from 'vscode';
import type { TextFormatId } from '../../../../wire/apis/textFormats.ts';

/** The vendor by which package.json and other extensions name our models. */
export const vendor = 'model-gateway';

/** A model as VS Code's own chat offers it. VS Code hands the same object back with each request. */
export interface OfferedModel extends vscode.LanguageModelChatInformation {
  /** The key of its gateway; `gatewayOfKey` and `Connection.find` lead to it. */
  readonly gateway: string;
  /** The exact id, to be sent unchanged as the request field `model`. */
  readonly model: string;
  /** The API format that it is asked in. */
  readonly format: TextFormatId;
}
