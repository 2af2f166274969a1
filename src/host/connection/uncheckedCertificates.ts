import * as vscode from 'vscode';
import { notify } from '../display/notify.ts';

let told = false;

/**
 * Tells, once a window, that the programs in this extension host check no certificates (T30). The variable that
 * says so is in the environment, or another extension has set it. Our own requests check them all the same.
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
