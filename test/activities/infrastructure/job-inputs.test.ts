import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInputs } from '../../../activities/infrastructure/job-inputs.ts'
import { findRun } from '../../../activities/runs/find-run.ts'
import { loadRun } from '../../../activities/infrastructure/load-run.ts'
import type { Deps } from '../../../activities/deps.ts'
import { Secret } from '../../../config.ts'
import { createKeyring } from '../../../gateways/keyring/keyring.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A run with three megabytes of files, which no worker picks up. */
async function largeRun() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const files = Object.fromEntries(
    ['main.tf', 'a.txt', 'b.txt', 'c.txt'].map((name) => [name, `# ${name} ü\n`.repeat(80_000)]),
  )
  const { id } = await startRun(owner, await org.workspace({ by: owner, files }))
  const { store, keyring } = harness.deps
  // Loading a run uses only these dependencies of the activities.
  const deps = { store, keyring, cliConfig: undefined } as unknown as Deps
  return { deps, files, found: await findRun(deps, id) }
}

async function inputsOf({
  deps,
  found,
}: Pick<Awaited<ReturnType<typeof largeRun>>, 'deps' | 'found'>) {
  const seen: Array<{ bytes: Buffer; last: boolean }> = []
  let error: unknown
  try {
    for await (const input of runInputs(deps, await loadRun(deps, found, 'plan')))
      if (input.name === 'files') seen.push({ ...input, bytes: Buffer.from(input.bytes) })
  } catch (thrown) {
    error = thrown
  }
  return { seen, error }
}

test('the files of a configuration pass through the worker in pieces of 256 KiB', async () => {
  const run = await largeRun()
  const { seen, error } = await inputsOf(run)
  expect(error).toBeUndefined()
  expect(Math.max(...seen.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(256 * 1024)
  expect(seen.map(({ last }) => last)).toEqual([...seen.slice(1).map(() => false), true])
  expect(JSON.parse(Buffer.concat(seen.map(({ bytes }) => bytes)).toString())).toEqual(run.files)
})

test('files that an attacker changed in the database fail before their end, so no runner uses them', async () => {
  const run = await largeRun()
  await harness.deps.store
    .platform('configuration_versions')
    .where({ id: run.found.run.configurationVersionId })
    .update({
      files: harness.deps.store.platform.raw(
        'set_byte(files, 1000000, 255 - get_byte(files, 1000000))',
      ),
    })
  const { seen, error } = await inputsOf(run)
  expect(error).toBeInstanceOf(Error)
  expect(seen.some(({ last }) => last)).toBe(false)
})

test('503 keyring_unavailable: a missing key fails the run before it takes a runner', async () => {
  const run = await largeRun()
  const key = new Secret(randomBytes(32).toString('base64'))
  const deps = { ...run.deps, keyring: createKeyring([{ id: 'another', key }]) }
  await expect(loadRun(deps, run.found, 'plan')).rejects.toMatchObject({
    code: 'keyring_unavailable',
  })
})
