/** Why a file was not downloaded. */
export const downloadSentences = {
  'file-address-not-https':
    'The address of the file ({host}) is not an https address: nothing was downloaded.',
  'file-address-holds-credentials':
    'The address at {host} contains a user name or password: nothing was downloaded from it.',
  'file-address-holds-own-credential':
    'The address at {host} contains the credential of this gateway: nothing was downloaded from it.',
  'file-address-not-public':
    "The address points to {host} inside a private network, so it was not downloaded: if you trust it, open it yourself, or allow its origin in this gateway's resultOrigins.",
  'file-not-ready': 'The file at {host} is not ready yet (HTTP {status}): try again later.',
  'file-wrong-part': '{host} sent a wrong part of the file: download it again.',
  'file-too-large': 'The file is larger than the limit of {maxBytes}: allow more in the settings.',
  'file-cut': '{host} ended its reply early; the data received so far is kept.',
  'file-redirected-again': '{host} redirects the download again and again: it was given up.',
  'file-credential-refused':
    '{host} refused the credential for the download (HTTP {status}): check it, or set it again.',
  'file-rate-limited': '{host} asks to slow down (HTTP {status}): try again later.',
  'file-host-failed': '{host} failed (HTTP {status}): try again.',
  'file-missing': '{host} does not have the file any more, or the link to it has expired (HTTP {status}).',
  'file-refused': '{host} refuses the download (HTTP {status}).',
} as const;
