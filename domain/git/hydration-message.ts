/** One commit a version, with trailers that git's own tools read (`git log --format=%(trailers)`). */
export function hydrationMessage(hydration: {
  workspace: string
  number: number
  sha256: string
  runNumber: number | null
  written: number
  removed: number
}): string {
  const { workspace, number, sha256, runNumber, written, removed } = hydration
  return [
    `${workspace}: configuration version ${number}`,
    '',
    `${written} written, ${removed} removed.`,
    '',
    ...(runNumber === null ? [] : [`Run: ${runNumber}`]),
    `Configuration-Version: ${number}`,
    `Configuration-Digest: sha256:${sha256}`,
  ].join('\n')
}
