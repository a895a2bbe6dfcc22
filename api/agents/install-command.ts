/**
 * The command that starts an agent on a host. The key's fingerprint is in it, so that the agent trusts what
 * this organization built from its first release on, whatever the address answers later.
 */
export const installCommand = ({
  origin,
  token,
  keyId,
}: {
  origin: string
  token: string
  keyId: string
}): string =>
  [
    `CC_AGENT_URL=${origin}`,
    `CC_AGENT_TOKEN=${token}`,
    `CC_AGENT_KEY=${keyId}`,
    'npm run agent',
  ].join(' ')
