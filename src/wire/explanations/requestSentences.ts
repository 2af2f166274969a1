/**
 * Why a request did not leave, or is not waited for any longer; then what went wrong on the way to the gateway, at a
 * proxy, and in time.
 */
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

  /** How a sentence names a host behind a proxy. */
  'host-through-proxy': '{host} (through the proxy {proxy})',
  'name-not-resolved': 'The name {host} cannot be resolved: check the address, or whether you are online.',
  'connection-refused': '{host} refuses connections: check the port, or start the server there.',
  'host-silent': '{host} does not answer: check the address, the network and the proxy.',
  'certificate-out-of-date':
    "The certificate of {host} is out of date: check this machine's clock, or ask for a new certificate there.",
  'certificate-of-another-host': 'The certificate shown for {host} is for another host: check the address.',
  'certificate-authority-unknown':
    "The certificate of {host} comes from an unknown authority: add that authority to the system's certificates, and keep the setting http.systemCertificates on.",
  'host-without-tls':
    '{host} does not speak TLS: check the port, or whether the address begins with http://.',
  'tls-not-agreed': 'No secure connection to {host} could be agreed on: its TLS is too old or broken.',
  'headers-too-large': "The reply's headers from {host} are too large; reading stopped there.",
  'host-without-http': 'The server at {host} does not speak HTTP: check the address and the port.',
  'plain-http-not-private':
    'Nothing was sent to {host}: it is outside the private network, where plain http is not allowed. Use https.',
  'no-way': '{host} cannot be reached from this network: check whether you are online.',
  'broken-off-connecting': '{host} broke off the connection before the request was sent: try again.',
  'broken-off-waiting':
    '{host} broke off the connection without answering: it may have received the request.',
  'broken-off-reading': 'The connection to {host} broke in the middle of the reply.',
  'connect-timeout':
    'No connection to {host} within {timeoutMs}: check the address, the network and the proxy.',
  'first-byte-timeout':
    '{host} took the request but sent no answer within {timeoutMs}: try again, or allow it more time.',
  'idle-timeout': '{host} sent nothing more for {timeoutMs}, in the middle of the reply.',
  'silent-since-sleep': '{host} has sent nothing more of the reply since this machine woke from its sleep.',
  'proxy-login-timeout':
    'VS Code asked for a user name and a password for the proxy to {host} and received none within {timeoutMs}: try again.',
  'no-data-timeout': '{host} sent only keep-alive signals for {timeoutMs}, and nothing more of the reply.',
  'total-timeout': 'The reply was not finished within {timeoutMs}: allow more time in the settings.',

  'proxy-wants-credentials':
    'The proxy {proxy} requires a sign-in (HTTP 407): sign in when VS Code asks, or write user name and password into the address in the setting http.proxy (http://user:password@host:port).',
  'proxy-found-no-way':
    "The proxy {proxy} could not reach {host} (HTTP {status}): check the address, or ask the proxy's administrator.",
  'proxy-refused':
    "The proxy {proxy} refused to connect to {host} (HTTP {status}): ask the proxy's administrator, or add {host} to the setting http.noProxy if it can be reached without the proxy.",
  'proxy-unused':
    'VS Code cannot use the proxy that is set ({proxy}), and nothing was sent to {host} without it: write its address into the setting http.proxy (http://host:port), or list {host} in http.noProxy.',
  'proxy-broke-off':
    "The proxy {proxy} closed the connection before it reached the gateway: try again, or ask the proxy's administrator.",
  'proxy-name-not-resolved':
    'The name of the proxy {proxy} cannot be resolved: check the setting http.proxy (or HTTPS_PROXY), or whether you are online.',
  'proxy-connection-refused':
    'The proxy {proxy} refuses connections: check its port in the setting http.proxy (or HTTPS_PROXY).',
  'proxy-silent': 'The proxy {proxy} does not answer: check the setting http.proxy (or HTTPS_PROXY).',
  'proxy-certificate-out-of-date':
    "The certificate of the proxy {proxy} is out of date: check this machine's clock, or ask the proxy's administrator.",
  'proxy-certificate-of-another-host':
    'The certificate shown for the proxy {proxy} is for another host: check the setting http.proxy (or HTTPS_PROXY).',
  'proxy-certificate-authority-unknown':
    "The certificate of the proxy {proxy} comes from an unknown authority: add that authority to the system's certificates, and keep the setting http.systemCertificates on.",
  'proxy-without-tls':
    'The proxy {proxy} does not speak TLS: its address in the setting http.proxy (or HTTPS_PROXY) should begin with http://.',
  'proxy-tls-not-agreed': 'No secure connection to the proxy {proxy} could be agreed on.',
  'no-proxy-there':
    'The server at {proxy} is not a proxy: check the address in the setting http.proxy (or HTTPS_PROXY).',
} as const;
