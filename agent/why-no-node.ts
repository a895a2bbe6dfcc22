/**
 * Why this version of Node cannot run the agent; undefined if it can. node:zlib reads zstd since 22.15 and
 * 23.8. A version without it would fail at the first archive, in the middle of a deployment.
 */
export function whyNoNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const least = leastMinor[major]
  if (major >= 24 || (least !== undefined && minor >= least)) return undefined
  return `The agent needs Node 22.15 or later (of 23: 23.8), because it unpacks zstd. This is ${version}.`
}

const leastMinor: Record<number, number> = { 22: 15, 23: 8 }
