import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { postgresHome } from '../../engines/postgres-home.ts'
import { postgresUser } from '../../engines/postgres-user.ts'

const isRoot = userInfo().uid === 0
const cleanups: Array<() => void> = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0).toReversed()) cleanup()
})

/** A data directory that `postgres` can enter or cannot, and where its database is then. */
function made(mode: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-home-'))
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }))
  chmodSync(dataDir, mode)
  writeFileSync(join(dataDir, 'postgres.password'), 'one')
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const outside = `/var/lib/cloud-control/${hash}`
  cleanups.push(() => {
    for (const name of readdirSync(dirname(outside)))
      if (name.startsWith(basename(outside)))
        rmSync(join(dirname(outside), name), { recursive: true, force: true })
  })
  return { dataDir, outside }
}

const hadDatabase = (dataDir: string) => writeFileSync(join(dataDir, 'database.password'), 'two')

function makeCluster(home: string): void {
  mkdirSync(join(home, 'postgres/base'), { recursive: true })
  writeFileSync(join(home, 'postgres/PG_VERSION'), '18')
}

const findCluster = async (dataDir: string) =>
  (
    await postgresHome(
      dataDir,
      postgresUser(() => undefined),
      () => undefined,
    )
  ).cluster

describe.runIf(isRoot)('as root', () => {
  test('a database stays where it is when the folder opens', async () => {
    const { dataDir, outside } = made(0o700)
    expect(await findCluster(dataDir)).toBe(join(outside, 'postgres'))
    makeCluster(outside)
    hadDatabase(dataDir)

    chmodSync(dataDir, 0o711)

    expect(await findCluster(dataDir)).toBe(join(outside, 'postgres'))
  })

  test('a database in a folder that was closed since is named, and not replaced', async () => {
    const { dataDir, outside } = made(0o711)
    makeCluster(dataDir)
    hadDatabase(dataDir)
    expect(await findCluster(dataDir)).toBe(join(dataDir, 'postgres'))

    chmodSync(dataDir, 0o700)

    await expect(findCluster(dataDir)).rejects.toThrow(
      `the database is in ${join(dataDir, 'postgres')}, which the user "postgres" cannot enter any more`,
    )
    expect(existsSync(join(outside, 'postgres'))).toBe(false)
  })

  test.for(['', undefined])(
    'a crash that left %s in belongs-to sets nothing aside',
    async (left) => {
      const { dataDir, outside } = made(0o700)
      await findCluster(dataDir)
      makeCluster(outside)
      hadDatabase(dataDir)
      const owner = readFileSync(join(outside, 'belongs-to'), 'utf8')
      if (left === undefined) rmSync(join(outside, 'belongs-to'))
      else writeFileSync(join(outside, 'belongs-to'), left)

      expect(await findCluster(dataDir)).toBe(join(outside, 'postgres'))
      expect(existsSync(join(outside, 'postgres/PG_VERSION'))).toBe(true)
      expect(readFileSync(join(outside, 'belongs-to'), 'utf8')).toBe(owner)
    },
  )

  test('the database of an earlier folder of the same name is set aside', async () => {
    const { dataDir, outside } = made(0o700)
    await findCluster(dataDir)
    makeCluster(outside)
    writeFileSync(join(dataDir, 'postgres.password'), 'another')

    await findCluster(dataDir)

    expect(existsSync(join(outside, 'postgres/PG_VERSION'))).toBe(false)
    const aside = readdirSync(dirname(outside)).filter((name) =>
      name.startsWith(`${basename(outside)}.`),
    )
    expect(aside).toHaveLength(1)
  })

  test('files of a restore that another uid owns are given to postgres', async () => {
    const { dataDir } = made(0o711)
    makeCluster(dataDir)
    hadDatabase(dataDir)

    const cluster = await findCluster(dataDir)

    const uid = postgresUser(() => undefined)?.uid
    for (const path of [cluster, join(cluster, 'PG_VERSION'), join(cluster, 'base')])
      expect(statSync(path).uid).toBe(uid)
  })
})

test('where there was a database and none is found, no empty one is made', async () => {
  const { dataDir } = made(0o711)
  hadDatabase(dataDir)
  await expect(findCluster(dataDir)).rejects.toThrow(
    /has had a database, and none is in .*: put it/,
  )
})
