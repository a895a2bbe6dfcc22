import type { ReachQuestion } from '../../domain/finops/budgets/in-scope.ts'
import type { PlanReach } from '../../domain/finops/budgets/plan-reach.ts'
import type { PlanEstimate } from '../../domain/finops/estimates/plan-estimate.ts'
import type { CostQuestion } from '../../domain/finops/judge-cost.ts'
import type { Price } from '../../domain/finops/match-price.ts'
import type { ModuleSource } from '../../domain/git/module-sources.ts'
import type { LogLevel } from '../../domain/runs/log-line.ts'
import type { RunReason } from '../../domain/runs/run-state.ts'
import type { PlanOverview } from '../../domain/infrastructure/split-plan.ts'
import type { PlanSummary } from '../../domain/infrastructure/summarize-plan.ts'
import type { MaskedPart } from '../../domain/secrets/parts-of-secret.ts'
import type { RelayHost } from '../git/relay-environment.ts'
import type { Policy } from '../opa/evaluate-policies.ts'
import type { BenchGrant, StepEnd } from '../sandbox/workbench.ts'

/** The job of a runner. Large inputs come separately, as blobs. */
export type RunnerJob = PlanJob | ApplyJob | JudgeJob | BuildJob

type InWorkspace = {
  workspaceId: number
  /** The folder of the configuration in which OpenTofu works; empty is the top. */
  folder: string
  timeoutMs: number
  /** Whether the run may be lent credentials of a cloud account. */
  lends: boolean
}
export type PlanJob = InWorkspace & {
  kind: 'plan'
  run: RunFacts
  token: string
  destroy: boolean
  planJsonBytes: number
}
export type ApplyJob = InWorkspace & { kind: 'apply' }
export type JudgeJob = { kind: 'judge'; run: RunFacts }

/** Its steps and variables come as the blob `build`. */
export type BuildJob = {
  kind: 'build'
  /** Of all steps together. */
  timeoutMs: number
  limits: BuildLimits
  /** Whether the steps reach the egress proxy, and nothing else. */
  isOnline: boolean
  /** Folders of the host with toolchains, before those of the system. */
  tools: readonly string[]
  /** Of the workbench, in which the steps begin. */
  folder: string
  /** What every step has in its environment, beside its own. */
  env: Record<string, string>
}
export type BuildLimits = {
  memoryBytes: number
  /** A step that prints nothing for so long is ended. */
  silenceMs: number
  processes: number
  fileSizeBytes: number
  /** A step that prints more is ended. Most of it is not kept. */
  printedBytes: number
}
export type BuildStep = {
  /** For people, on one line. */
  name: string
  /** A script for `sh -e`. */
  run: string
  /** Below the folder of the build. */
  workdir: string
  env: Record<string, string>
  timeoutMs: number
}
/** What a build is given that a log must not show, or that is too large for one frame. */
export type BuildInputs = {
  /** Each with the secrets that it names in its environment. */
  steps: BuildStep[]
  /** In the environment of every step, before its own. */
  variables: Record<string, string>
  secrets: Settings['secrets']
}
/** Where the source lies in the workbench of a build. */
export const sourceFolder = 'source'

/** What a policy sees of a run. */
export type RunFacts = { id: number; kind: string; destroy: boolean; authorUserId: number | null }

/**
 * Blobs that a worker sends: `files` and `settings` for plan and apply, the parts of the stored
 * plan for an apply, `plan_json` and `settings` for a judgement, `build` for a build, and `rules` when
 * they are asked for.
 */
export type Settings = {
  /** Environment of OpenTofu: TF_VAR_… and the workspace's own. */
  env: Record<string, string>
  /** What must not appear in a log: each value under the name of its variable. */
  secrets: Array<MaskedPart & { key: string }>
  /** Names of the variables whose values those are. */
  sensitiveVariables: string[]
  /** Names of the run's own variables. */
  overrides: string[]
  /** The operator's OpenTofu CLI configuration. */
  cliConfig: string | undefined
}

/** What the steps after `init` get. */
export type LentToSteps = {
  env: Record<string, string>
  /** A file for steps to read, and the variable that names it. */
  file?: { variable: string; name: string; content: string }
  /** Must not appear in a log. */
  secrets: string[]
}

/** The questions of a runner to its worker, and the answers. */
export type Asks = {
  /** A workbench for the run, or for the policies that judge it. */
  bench: {
    ask:
      | { use: 'run'; sources: ModuleSource[] | undefined }
      | { use: 'policies'; sizeBytes: number }
      | { use: 'build' }
    answer: {
      bench: number
      grant: BenchGrant
      /** The environment that directs git to the run's relay. */
      gitEnv?: Record<string, string> | undefined
      /** The same for a step without the author's environment, and the hosts that it covers. */
      relay?: { gitEnv: Record<string, string>; hosts: RelayHost[] } | undefined
      /** Replacements in log lines: the relay's own address. */
      hidden?: Array<[text: string, shown: string]> | undefined
    }
  }
  giveBack: { ask: { bench: number }; answer: Record<string, never> }
  /** What modules name in turn. */
  allow: { ask: { sources: ModuleSource[]; all: boolean }; answer: Record<string, never> }
  /** Ends all fetching; the answer says why a repository was refused. */
  closeRelay: { ask: Record<string, never>; answer: { refusal?: string | undefined } }
  /** The blob `rules` comes before the answer. */
  rules: { ask: { types: string[] }; answer: Record<string, never> }
  /** The state that a plan names as the one it was made from; where it is `known`, it comes before as the blob `origin`. */
  origin: { ask: { serial: number; lineage: string }; answer: { known: boolean } }
  /** The last check before an apply. `sha256` is of what the runner received. */
  begin: {
    ask: { sha256: Record<string, string> }
    answer: { token?: string | undefined }
  }
  /** Opens the door to credentials of a cloud account; the answer directs the clouds' libraries to it. */
  lend: { ask: Record<string, never>; answer: { lent?: LentToSteps } }
  /** The runner masks the values of the frame `secrets` with this id. */
  masked: { ask: { id: number }; answer: Record<string, never> }
  /** The program is about to be started; from here on the apply is never repeated. */
  spawn: { ask: Record<string, never>; answer: Record<string, never> }
  /**
   * OpenTofu could not save the state, which comes next as the blob `errored_state`. It is answered
   * once there is a place for it; `known`: the store has it already, and nothing is to be sent.
   */
  keepState: {
    ask: { serial: number; lineage: string; sha256: string }
    answer: { known: boolean }
  }
  /** All of that state was sent. It is answered once all of it is stored. */
  stateSent: { ask: Record<string, never>; answer: Record<string, never> }
}

export type LogLine = { level: LogLevel; line: string }
/** Of one frame of the log. */
export const maxLogLines = 200
export const maxLogLineLength = 4_096
/** Of a result as JSON: what the worker parses at once. */
export const maxResultBytes = 1024 * 1024

/** How a job ended: with the blob `result`, a failure with a masked message, or a fault of ours. */
export type JobEnd =
  | { kind: 'done' }
  | { kind: 'failed'; reason: RunReason; message: string }
  /** Names and places alone: a message may contain a tenant's data. */
  | { kind: 'broken'; name: string; code: string; at: string }

/** The rules of the gates, sent as the blob `rules`. */
export type GateRules = {
  workspace: {
    id: number
    name: string
    criticality: string
    costLimitMonthly: string | null
    unpriced: CostQuestion['unpriced']
  }
  policies: Policy[]
  prices: Price[]
  /** Of each budget whose scope the workspace may be in. */
  budgets: ReachQuestion[]
  currency: string
  /** What OPA may do, where there is a policy. */
  capabilities?: string | undefined
}

/** What a plan says, as the worker stores it. Its rows come as blobs `rows`, a batch each. */
export type Planned = Judged & { summary: PlanSummary; overview: PlanOverview }

/** What a judgement is, as the worker stores it. */
export type Judged = {
  gates: unknown[]
  cost: Record<string, unknown>
  reach: PlanReach[]
  estimate: PlanEstimate
  /** Why the run may not continue; undefined if both gates passed. */
  denied?: { reason: RunReason; message: string } | undefined
}

/** How an apply's last step ended, where it came to that. */
export type Applied = {
  /** False: the apply may not begin; the run has its new phase. */
  begun: boolean
  how?: StepEnd['how']
  limit?: StepEnd['limit']
  exitCode?: number | null
  /** What went wrong, masked. */
  message?: string | undefined
  /** OpenTofu could not save the state, and the worker keeps it. */
  unsaved?: true
}
