import * as vscode from 'vscode';
import { notify } from '../kit/display/notify.ts';

let told = false;

/**
 * Warns once in each window that this extension host checks no certificates (T30). The variable comes from
 * the environment or from another extension. Our own requests check certificates all the same.
 */
export function warnOfUncheckedCertificates(): void {
  if (told || process.env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  told = true;
  void notify(
    'warning',
    vscode.l10n.t(
      'NODE_TLS_REJECT_UNAUTHORIZED is 0: extensions in this window accept any certificate. Model Gateway checks them all the same. Remove the variable, and add your authority to the system’s certificates instead.',
    ),
  );
}
