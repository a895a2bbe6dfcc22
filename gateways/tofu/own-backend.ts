/** Whether `init` noted our own state endpoint in the `terraform.tfstate` of OpenTofu's data folder. */
export function isOwnBackend(settled: Buffer | undefined, stateUrl: string): boolean {
  if (!settled) return false
  try {
    const { backend } = JSON.parse(settled.toString())
    const address: unknown = backend?.config?.address
    return (
      backend?.type === 'http' &&
      (address === null || address === undefined || address === stateUrl)
    )
  } catch {
    return false
  }
}
