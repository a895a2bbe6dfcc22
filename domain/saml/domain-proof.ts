/** The DNS record that shows whose a domain is; only who runs its DNS can put it there (decisions §2a). */
export const proofRecord = (domain: string, token: string) => ({
  name: `_cloud-control.${domain}`,
  type: 'TXT' as const,
  value: `cloud-control-domain-verification=${token}`,
})
