/** The stored parts of a plan; the modules are one archive. */
const planParts = ['plan_file', 'lock_file', 'modules', 'plan_json'] as const
export type PlanPart = (typeof planParts)[number]

/** For each part, the number of its pieces. */
export type PlanPieces = Partial<Record<PlanPart, number>>

export const isPlanPart = (name: string): name is PlanPart =>
  planParts.some((part) => part === name)

const megabyte = 1024 ** 2

/** The limit of each part; that of the plan as JSON is a setting (CC_PLAN_JSON_MAX_MB). */
export const maxPartBytes: Record<Exclude<PlanPart, 'plan_json'>, number> = {
  plan_file: 64 * megabyte,
  lock_file: megabyte,
  modules: 128 * megabyte,
}
