/** A manifest that is refused. */
export type BadManifest = {
  name: string
  yaml: string
  /** All of its faults, as lines of a log without the file's name. */
  faults: readonly string[]
  /** Why a schema cannot say it, so that another validator accepts the manifest. */
  onlyHere?: string
  /** Another validator ends on it. */
  stopsPeer?: true
}

/** The shortest manifest. */
export const build = 'version: 1\nbuild:\n  artifact: { path: dist }\n'
