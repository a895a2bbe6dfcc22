import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Resolver } from '../../engines/resolve-binary.ts'
import { startEngines } from '../../engines/start-engines.ts'

export type TestEngines = {
  databaseUrl: string
  temporalEnv: Record<string, string>
  stop(): Promise<void>
}

/** One PostgreSQL and one Temporal for a whole test run, on data that goes with it. */
export async function startTestEngines(
  options: { temporal?: boolean; resolve?: Resolver } = {},
): Promise<TestEngines> {
  const dataDir = mkdtempSync(join(folderInMemory() ?? tmpdir(), 'cc-test-'))
  // As root PostgreSQL runs as another user, who must get to its folder in here.
  chmodSync(dataDir, 0o711)
  const lines: string[] = []
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  try {
    const engines = await startEngines({
      dataDir,
      ...options,
      ui: false,
      throwaway: true,
      say: (line) => {
        lines.push(line)
        // A first run builds for minutes; everything else would only be noise among the results.
        if (/building|downloading|getting|again/.test(line)) console.log(line)
      },
    })
    return {
      databaseUrl: engines.databaseUrl,
      temporalEnv: engines.temporalEnv,
      async stop() {
        await engines.stop()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw new Error(`the test engines do not start:\n${lines.join('\n')}`, { cause: error })
  }
}

/**
 * Each test file copies a database of 1,300 files and drops it. ext4 looks for an inode that was not deleted just
 * before, which took 5 % of the time of all tests. Undefined where there is no such folder, or little room.
 */
function folderInMemory(): string | undefined {
  const folder = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > 8 * 1024 ** 3 ? folder : undefined
  } catch {
    return undefined
  }
}
