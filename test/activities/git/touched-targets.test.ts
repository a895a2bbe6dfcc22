import { expect, test } from 'vitest'
import { touchedTargets } from '../../../activities/git/touched-targets.ts'
import { isWithin } from '../../../domain/git/workspace-source.ts'
import { seededRandom, type Random } from '../../peers/saml/seeded-random.ts'

const textOf = (random: Random, most: number) =>
  Array.from({ length: random.below(most + 1) }, () =>
    random.pick(['a', 'b', 'A', '/', '/', '.', 'é']),
  ).join('')
const listOf = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: random.below(most + 1) }, make)

test('the targets are those that each path compared with each folder tells', async () => {
  const random = seededRandom(20_261_130)
  let byName = 0
  for (let round = 0; round < 3_000; round += 1) {
    const paths = listOf(random, 8, () => textOf(random, 12))
    const targets = listOf(random, 6, () => ({
      folders: listOf(random, 4, () => textOf(random, 6)),
    }))
    const expected = targets.filter(({ folders }) =>
      paths.some((path) => folders.some((folder) => isWithin(path, folder))),
    )
    expect(await touchedTargets(targets, paths), JSON.stringify([paths, targets])).toEqual(expected)
    byName += expected.filter(({ folders }) => !folders.includes('')).length
  }
  expect(byName).toBeGreaterThan(200)
})

test('the whole repository, a file’s own name, a name that begins alike and an end slash', async () => {
  const target = (...folders: string[]) => ({ folders })
  const targets = [
    target(''),
    target('live'),
    target('live/'),
    target('live/main.tf'),
    target('liv'),
    target('Live'),
    target('other', 'live'),
  ]
  expect(await touchedTargets(targets, ['live/main.tf'])).toEqual([
    target(''),
    target('live'),
    target('other', 'live'),
  ])
  expect(await touchedTargets(targets, [])).toEqual([])
  expect(await touchedTargets([], ['live/main.tf'])).toEqual([])
})

/** Counts how often a folder is read. */
function counted(folders: readonly string[]) {
  const found = { folders, reads: 0 }
  found.folders = new Proxy(folders, {
    get(list, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) found.reads += 1
      return Reflect.get(list, key, receiver)
    },
  })
  return found
}

test('a folder is read twice, whatever the number of paths', async () => {
  const targets = Array.from({ length: 200 }, (_, target) =>
    counted(Array.from({ length: 11 }, (_, folder) => `live/${target}/${folder}`)),
  )
  const paths = Array.from({ length: 5_000 }, (_, path) => `other/${path}/main.tf`)
  const found = await touchedTargets(targets, [...paths, 'live/7/3/main.tf'])
  const reads = targets.reduce((sum, target) => sum + target.reads, 0)
  expect(reads).toBeLessThanOrEqual(2 * 200 * 11)
  expect(found).toHaveLength(1)
  expect(found[0]).toBe(targets[7])
})

/** How many turns the event loop has while `work` runs. */
async function turnsIn<T>(work: () => Promise<T>): Promise<{ answer: T; turns: number }> {
  let [turns, isOver] = [0, false]
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const answer = await work()
  isOver = true
  return { answer, turns }
}

test('others have turns while many paths in many folders are looked up', async () => {
  const targets = Array.from({ length: 2_000 }, (_, target) => ({
    folders: Array.from({ length: 11 }, (_, folder) => `${'a/'.repeat(100)}${target}-${folder}`),
  }))
  const paths = Array.from({ length: 5_000 }, (_, path) => `${'a/'.repeat(100)}b/${path}`)
  const { answer, turns } = await turnsIn(async () => touchedTargets(targets, paths))
  expect(answer).toEqual([])
  // 500,000 look-ups of 100 characters each, and the folders of the targets.
  expect(turns).toBeGreaterThan(30)
})

test('others have turns while the folders of many targets are collected', async () => {
  const targets = Array.from({ length: 10_000 }, (_, target) => ({
    folders: Array.from({ length: 11 }, (_, folder) => `live/${target}/${folder}`),
  }))
  const { turns } = await turnsIn(async () => touchedTargets(targets, ['main.tf']))
  expect(turns).toBeGreaterThan(10)
})
