import type { Deps } from '../../activities/deps.ts'
import { noBills } from './finops/no-bills.ts'

const unused = () => {
  throw new Error('Nothing is built here.')
}

export const noBuilds: Pick<Deps, 'builds'> = {
  builds: {
    sandbox: { lend: unused },
    folderBytes: 0,
    limits: { memoryBytes: 0, silenceMs: 0, processes: 0, fileSizeBytes: 0, printedBytes: 0 },
    tools: [],
    artifacts: {
      put: unused,
      putFile: unused,
      read: unused,
      remove: unused,
      writeProbe: unused,
      readProbe: unused,
      removeProbe: unused,
      removeParts: unused,
    },
    caches: {
      put: unused,
      putFile: unused,
      read: unused,
      remove: unused,
      writeProbe: unused,
      readProbe: unused,
      removeProbe: unused,
      removeParts: unused,
    },
    describes: false,
    slotShares: { take: unused, forget: unused },
    incomingDir: '/nowhere',
  },
}

/** For tests of runs of infrastructure alone. */
export const noBillsNorBuilds = { ...noBills, ...noBuilds }
