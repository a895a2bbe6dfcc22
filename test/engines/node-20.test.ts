import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The oldest Node that a fresh clone is installed with; the service itself runs on the package `node`. */
const oldest = [20, 19, 0] as const

type Locked = { version?: string; optional?: boolean; engines?: { node?: string } }

/** Whether one comparator of npm's ranges takes the version; a form that is not known here takes nothing. */
function takes(comparator: string): boolean {
  const [, operator = '', ...parts] =
    /^(>=|>|<|<=|\^|~)?v?(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?(?:-\S+)?$/.exec(comparator) ?? []
  const [major, minor = 0, patch = 0] = parts.map((part) => Number(part ?? 0) || 0)
  if (major === undefined) return comparator === '*' || comparator === ''
  const difference = oldest[0] - major || oldest[1] - minor || oldest[2] - patch
  if (operator === '>=' || operator === '>') return difference >= 0
  if (operator === '<') return difference < 0
  if (operator === '<=') return difference <= 0
  if (operator === '' && parts[1] === undefined) return oldest[0] === major
  return oldest[0] === major && difference >= 0
}

const satisfies = (range: string): boolean =>
  range.split('||').some((part) =>
    part
      .replaceAll(/([<>=^~])\s+/g, '$1')
      .trim()
      .split(/\s+/)
      .every(takes),
  )

// A screen of EBADENGINE is the first thing that a newcomer would see of `npm ci`.
test('npm ci on Node 20 warns of no package: all that is installed takes it', () => {
  const path = join(import.meta.dirname, '../../package-lock.json')
  const { packages } = JSON.parse(readFileSync(path, 'utf8')) as {
    packages: Record<string, Locked>
  }
  const refused = Object.entries(packages)
    .filter(([, { engines }]) => engines?.node !== undefined && !satisfies(engines.node))
    .map(([name, { version, engines }]) => `${name} ${version}: ${engines?.node}`)
  expect(refused).toEqual([])
})

test.each([
  ['>=22', false],
  ['^20.19.0 || >=22.12.0', true],
  ['^22.13.0 || >=24', false],
  ['18 || 20 || >=22', true],
  ['>= 18', true],
  ['>=20.0.0 <22', true],
  ['6.* || 8.* || >= 10.*', true],
  ['*', true],
])('%s takes Node 20: %s', (range, expected) => {
  expect(satisfies(range)).toBe(expected)
})
