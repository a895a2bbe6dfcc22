import type { Launcher } from './launch.ts'
import { launchAsProcess } from './launch-as-process.ts'
import { launchInBubblewrap } from './launch-in-bubblewrap.ts'
import type { LauncherHost } from './launcher-host.ts'

export const launcherOf =
  (host: LauncherHost): Launcher =>
  (bench, step) =>
    host.kind === 'bubblewrap'
      ? launchInBubblewrap(host, bench, step)
      : launchAsProcess(host, bench, step)
