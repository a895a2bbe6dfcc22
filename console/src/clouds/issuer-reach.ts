/** Whether a cloud can read the issuer over the internet: a loopback address is the service's own machine. */
export function canReach(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'https:' && !/^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname)
}
