import type { EtcFiles } from './etc-files.ts'

/** What a kind of sandbox knows of the host, as plain data. */
export type LauncherHost =
  | ({ kind: 'bubblewrap' } & BubblewrapHost)
  | ({ kind: 'process' } & ProcessHost)

export type BubblewrapHost = {
  bwrap: string
  prlimit: string
  etc: EtcFiles
  /** Folders of the host that every step may read, at the same path. */
  shared: readonly string[]
  /** The folder of cgroup v2 for the groups of steps; null where there is none. */
  cgroups: string | null
}

export type ProcessHost = { setpriv: string | undefined; prlimit: string | undefined }
