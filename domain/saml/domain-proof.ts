/** The DNS record that proves a domain: only who controls its DNS can publish it. */
export const proofRecord = (domain: string, token: string) => ({
  name: `_cloud-control.${domain}`,
  type: 'TXT' as const,
  value: `cloud-control-domain-verification=${token}`,
})
