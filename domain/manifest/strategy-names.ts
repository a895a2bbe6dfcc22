import type { Manifest } from './manifest-schema.ts'

/** The strategies that need no definition. */
const builtInStrategies = ['rolling', 'canary', 'blue-green', 'all-at-once'] as const
export type BuiltInStrategy = (typeof builtInStrategies)[number]

/**
 * A label as it is compared: case, spaces and `_` make no difference, nor does "strategy" or "update" at
 * its end. So "Rolling update" names `rolling`.
 */
export function strategyKey(label: string): string {
  const key = label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-')
  return key.replace(/-(?:strategy|update)$/, '')
}

/** What a label names: a strategy of the manifest, else a built-in one; undefined if neither. */
export function strategyNamed(
  label: string,
  strategies: NonNullable<Manifest['deploy']>['strategies'] = {},
): { own: string } | { builtIn: BuiltInStrategy } | undefined {
  const key = strategyKey(label)
  const own = Object.keys(strategies).find((name) => strategyKey(name) === key)
  if (own !== undefined) return { own }
  const builtIn = builtInStrategies.find((name) => name === key)
  return builtIn && { builtIn }
}

/** The names that a label may have, for the text of a fault. */
export const knownStrategies = (
  strategies: NonNullable<Manifest['deploy']>['strategies'] = {},
): string[] => [...new Set([...Object.keys(strategies), ...builtInStrategies])]

/** The fault of a label that names none. */
export const noSuchStrategy = (
  label: string,
  strategies?: NonNullable<Manifest['deploy']>['strategies'],
): string =>
  `There is no strategy "${label}". The manifest and this version have: ${knownStrategies(strategies).join(', ')}.`
