/** Why a proxy did not lead to the gateway. */
export const proxySentences = {
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
