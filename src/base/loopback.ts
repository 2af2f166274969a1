/** Whether the host name of a URL is always this machine (RFC 6761). Does not send a DNS query. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/i.test(hostname);
}
