/** Why a request did not leave, or is not waited for any longer. */
export const requestSentences = {
  'call-cancelled': 'The request was cancelled.',
  'wait-cancelled': 'The wait was cancelled.',
  'wait-timed-out': 'The task did not end in time and may still be running: wait for it again.',
  'task-unknown': 'The gateway no longer has the task.',
  'request-unsendable': 'The request has characters that cannot be sent over HTTP.',
  'credential-unreadable': 'The credential could not be read from secret storage: set it again.',
  'credential-unanswered': 'The secret storage did not answer in time, so nothing was sent: try again.',
  'credential-unsendable': 'The credential has invalid characters, such as spaces: set it again.',
  'base-url-not-an-address': 'The base URL is not an address: it should look like https://gateway.example.',
  'base-url-not-http': 'The base URL must begin with https://.',
  'base-url-plain-http':
    'Plain http is allowed only for this machine, and for a private network after you agree: use https, or enter the address again to agree.',
  'base-url-holds-credentials':
    'The base URL must not have a user name or password: enter the credential separately.',
  'base-url-holds-query':
    'The base URL must not have a query or a fragment: remove everything from ? or # on.',
  'task-id-empty': 'The task cannot be requested: its ID is empty.',
  'task-id-too-long': 'The task cannot be requested: its ID is longer than {maxLength} characters.',
  'task-id-unprintable': 'The task cannot be requested: its ID has control characters.',
  'sent-before-damage': 'The task file was damaged: it is unknown whether this was sent.',
  'gateway-not-connected':
    'No gateway with the address {address} is connected any more: connect to it again.',
  'account-not-connected':
    '{gateway} is no longer connected, and the other gateway at {address} may have another account: connect to {gateway} again, or give the other gateway its name if it is the same.',
  'gateway-not-started': '{gateway} did not start. {cause}',
  /** An error of this program or of the system, in its own words. */
  'not-asked': '{cause}',
} as const;
