/** Why a file was not downloaded, or the result of a task was not saved. */
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

  'result-gateway-not-connected': 'The gateway of the result is not connected: connect to it again.',
  'result-link-expired': 'The link to the result has expired (HTTP {status}), and the gateway has no other.',
  'result-in-cloud':
    "The result is in cloud storage that only your account there opens: download it with the cloud's tools.",
  'result-stopped': 'The download was stopped; the data received so far is kept.',
  'result-fetched-elsewhere': 'Another window is downloading the result.',
  'result-empty': 'The result is empty.',
  'result-wrong-size': 'The download has {size} bytes instead of {announcedSize}: download it again.',
  'result-not-media': 'The download is not a video, picture or sound.',
  'result-of-other-type': 'The download is of type {mimeType}, not a video, picture or sound.',
  'result-web-page':
    'A web page arrived instead of the result: sign in to the network, or ask the gateway whether the result still exists.',
  'result-unfinished': 'The download was cut off: download it again.',
  'result-unreadable': 'The result in the record cannot be read.',
  'result-too-large': 'The result is larger than the limit: allow more in the settings.',
  'result-without-space':
    'The result needs {neededBytes}, and {freeBytes} are free in {folder}: free some space and download it again.',
  'result-rest-without-space':
    'There is no room for the rest of the result: after {receivedBytes}, only {freeBytes} are free in {folder}: free some space and download it again.',
  'disk-full': 'The disk is full: free some space and download the result again.',
  'disk-quota-used-up': 'The disk quota is used up: free some space and download the result again.',
  'results-folder-not-writable':
    'The folder for results cannot be written to: choose another one in the settings.',
  'results-folder-read-only': 'The folder for results is read-only: choose another one in the settings.',
  'results-folder-path-too-long':
    'The path of the folder for results is too long: choose another one in the settings.',
  'result-file-in-use': 'Another program has the file open: close it there and download the result again.',
  'result-not-written': 'The result could not be written to disk ({code}).',
} as const;
