import type { StrategyDefinition } from './deploy-schema.ts'
import type { Manifest } from './manifest-schema.ts'
import { secondsOf } from './meaning-faults.ts'
import { strategyNamed, type BuiltInStrategy } from './strategy-names.ts'

/** How many hosts are changed at once: a number, or a share of all in per cent. */
export type BatchSize = { hosts: number } | { percent: number }

/** A strategy of hosts with all that its definition leaves out. */
export type HostStrategy =
  | { kind: 'rolling'; batch: BatchSize; pauseSeconds: number; maxFailures: number }
  | {
      kind: 'canary'
      steps: readonly number[]
      bakeSeconds: number
      confirm: 'none' | 'first' | 'each'
      maxFailures: number
    }
  | { kind: 'blue-green'; confirm: 'none' | 'each'; keepOldSeconds: number }
  | { kind: 'all-at-once'; maxFailures: number }

/** How a release is deployed: to hosts, or by a run of the target workspace. */
export type Strategy = HostStrategy | { kind: 'workspace' }

/** For what is done with hosts alone. */
export function ofHosts(strategy: Strategy): HostStrategy {
  if (strategy.kind === 'workspace') throw new Error('a run of a workspace deploys to no host')
  return strategy
}

const builtIn: Record<BuiltInStrategy, StrategyDefinition> = {
  rolling: { kind: 'rolling' },
  canary: { kind: 'canary', steps: [5, 25, 100], bake: '2m' },
  'blue-green': { kind: 'blue-green' },
  'all-at-once': { kind: 'all-at-once' },
}

/**
 * The strategy that a label names: the run's, else the pipeline's, else the manifest's, else rolling.
 * Undefined if there is none of that name. Where a run of the workspace deploys, strategies are not used.
 */
export function resolveStrategy(
  label: string | null,
  deploy: Manifest['deploy'] = {},
): Strategy | undefined {
  if (deploy.via === 'workspace') return { kind: 'workspace' }
  const named = strategyNamed(label ?? deploy.strategy ?? 'rolling', deploy.strategies)
  if (!named) return undefined
  const definition = 'own' in named ? deploy.strategies?.[named.own] : builtIn[named.builtIn]
  return definition && withDefaults(definition)
}

function withDefaults(definition: StrategyDefinition): HostStrategy {
  switch (definition.kind) {
    case 'rolling': {
      const { batch = '25%', pause = '0s', maxFailures = 0 } = definition
      const size =
        typeof batch === 'number' ? { hosts: batch } : { percent: Number.parseInt(batch, 10) }
      return { kind: 'rolling', batch: size, pauseSeconds: secondsOf(pause), maxFailures }
    }
    case 'canary': {
      const { steps, bake = '0s', confirm = 'none', maxFailures = 0 } = definition
      return { kind: 'canary', steps, bakeSeconds: secondsOf(bake), confirm, maxFailures }
    }
    case 'blue-green': {
      const { confirm = 'none', keepOld = '1h' } = definition
      return { kind: 'blue-green', confirm, keepOldSeconds: secondsOf(keepOld) }
    }
    default:
      return { kind: 'all-at-once', maxFailures: definition.maxFailures ?? 0 }
  }
}
