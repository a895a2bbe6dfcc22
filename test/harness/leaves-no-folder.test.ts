import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { diskFolderFor } from '../../gateways/sandbox/disk-folder-for.ts'
import { workFolderFor } from '../../gateways/sandbox/work-folder-for.ts'
import { createHarness } from './create-harness.ts'

// Each has copies of programs, of about 190 MB: one for each file of tests would fill the disk.
test('a harness with a worker leaves no work folder of its own', async () => {
  const harness = await createHarness({ worker: true })
  const { dataDir } = harness.config
  await harness.close()

  expect(existsSync(dataDir)).toBe(false)
  expect(existsSync(workFolderFor(dataDir))).toBe(false)
  expect(existsSync(diskFolderFor(dataDir))).toBe(false)
})
