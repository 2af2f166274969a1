import { redact } from './redact.ts';
import { holdsSecret } from './secretForms.ts';
import { hideAcross } from './splitEchoes.ts';

/** Hides a credential in what was sent and in what came. */
export interface Hiding {
  /** Hides the credential, and whatever looks like one. */
  hide(text: string): string;
  /** Hides the credential where it is split among the events of a stream. */
  hideAcross(events: readonly string[]): readonly string[];
  /** Hides the credential where the text holds it, and leaves any other text as it is. */
  hideCredential(text: string): string;
}

/** @param credential undefined or empty for none: then only what looks like one is hidden */
export function hidingOf(credential: string | undefined): Hiding {
  const secrets = credential ? [credential] : [];
  const hide = (text: string) => redact(text, secrets);
  return {
    hide,
    hideAcross: (events) => hideAcross(events, secrets),
    hideCredential: (text) => (credential && holdsSecret(text, credential) ? hide(text) : text),
  };
}
