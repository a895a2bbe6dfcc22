import type { Launcher } from './launch.ts'
import { launchAsProcess, type ProcessHost } from './launch-as-process.ts'
import { launchInBubblewrap, type BubblewrapHost } from './launch-in-bubblewrap.ts'

/** What a kind of sandbox knows of the host, as plain data. */
export type LauncherHost =
  | ({ kind: 'bubblewrap' } & BubblewrapHost)
  | ({ kind: 'process' } & ProcessHost)

export const launcherOf =
  (host: LauncherHost): Launcher =>
  (bench, step) =>
    host.kind === 'bubblewrap'
      ? launchInBubblewrap(host, bench, step)
      : launchAsProcess(host, bench, step)
