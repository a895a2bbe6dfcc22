/** What is kept of a plan as bytes; the modules as one archive. */
const planParts = ['plan_file', 'lock_file', 'modules', 'plan_json'] as const
export type PlanPart = (typeof planParts)[number]

/** Of each part that is there, how many pieces it was stored in. */
export type PlanPieces = Partial<Record<PlanPart, number>>

export const isPlanPart = (name: string): name is PlanPart =>
  planParts.some((part) => part === name)

const megabyte = 1024 ** 2

/** The most that a part may take; of the plan as JSON a setting says it (CC_PLAN_JSON_MAX_MB). */
export const maxPartBytes: Record<Exclude<PlanPart, 'plan_json'>, number> = {
  plan_file: 64 * megabyte,
  lock_file: megabyte,
  modules: 128 * megabyte,
}
