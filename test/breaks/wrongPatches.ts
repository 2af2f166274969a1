import { credentialPatches } from './credentials.ts';
import { localGatewayPatches } from './localGateway.ts';
import { networkPatches } from './network.ts';
import { packagePatches } from './package.ts';
import { paidRequestPatches } from './paidRequests.ts';
import { replyPatches } from './replies.ts';
import { storagePatches } from './storage.ts';
import { untrustedTextPatches } from './untrustedText.ts';
import { waitingPatches } from './waiting.ts';
import type { WrongPatch } from './wrongPatch.ts';

export const wrongPatches: readonly WrongPatch[] = [
  ...credentialPatches,
  ...untrustedTextPatches,
  ...paidRequestPatches,
  ...replyPatches,
  ...waitingPatches,
  ...storagePatches,
  ...localGatewayPatches,
  ...networkPatches,
  ...packagePatches,
];
