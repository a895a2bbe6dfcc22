import { isAbsolute, resolve } from 'node:path'
import type { Environment } from './environment.ts'

/** How a worker builds applications, and where it keeps what they made. */
export type BuildsConfig = Readonly<{
  /** Fetches and builds that a worker does at the same time. */
  buildSlots: number
  /** Folders of the host with toolchains, which every step of a build may read. */
  buildTools: readonly string[]
  /** The most memory of a step. */
  buildMemoryMb: number
  /** The folder on a disk for the work folders of builds. Default: derived from the data directory. */
  buildWorkDir: string | undefined
  /** The folder that keeps artifacts. */
  artifactDir: string
}>

export function readBuilds({ values, faults, number, list }: Environment): BuildsConfig {
  const dataDir = resolve(values['CC_DATA_DIR'] ?? '.data')
  const buildTools = list('CC_BUILD_TOOLS').map((folder) => folder.trim())
  for (const folder of buildTools)
    if (!isAbsolute(folder) || resolve(folder) === '/')
      faults.push(`CC_BUILD_TOOLS: "${folder}" is not the absolute path of a folder`)
  const store = values['CC_ARTIFACT_STORE']
  if (store?.includes('://'))
    faults.push('CC_ARTIFACT_STORE is an address: this version keeps artifacts in a folder')
  return {
    buildSlots: number('CC_BUILD_SLOTS', 2, [1, 64]),
    buildTools,
    buildMemoryMb: number('CC_BUILD_MEMORY_MB', 4_096, [256, 1_048_576]),
    buildWorkDir: values['CC_BUILD_WORK_DIR'] ? resolve(values['CC_BUILD_WORK_DIR']) : undefined,
    artifactDir: resolve(store ?? `${dataDir}/artifacts`),
  }
}
