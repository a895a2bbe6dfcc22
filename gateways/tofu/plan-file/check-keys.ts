import { PlanForged } from './plan-forged.ts'

/** What OpenTofu 1.12 writes into each part of its JSON (internal/command/jsonplan). */
const known = {
  plan: [
    'format_version',
    'terraform_version',
    'variables',
    'planned_values',
    'resource_drift',
    'resource_changes',
    'output_changes',
    'prior_state',
    'configuration',
    'relevant_attributes',
    'checks',
    'timestamp',
    'errored',
  ],
  resource: [
    'address',
    'previous_address',
    'module_address',
    'mode',
    'type',
    'name',
    'index',
    'provider_name',
    'deposed',
    'change',
    'action_reason',
  ],
  change: [
    'actions',
    'before',
    'after',
    'after_unknown',
    'before_sensitive',
    'after_sensitive',
    'replace_paths',
    'importing',
    'generated_config',
    'before_identity',
    'after_identity',
  ],
  planned: [
    'address',
    'mode',
    'type',
    'name',
    'index',
    'provider_name',
    'schema_version',
    'values',
    'sensitive_values',
    'identity',
    'identity_schema_version',
  ],
  importing: ['id', 'identity'],
  values: ['outputs', 'root_module'],
  module: ['resources', 'address', 'child_modules'],
  output: ['sensitive', 'type', 'value'],
} as const

const sets = new Map(Object.entries(known).map(([part, keys]) => [part, new Set<string>(keys)]))

/** A part with other keys was not written by OpenTofu. */
export function checkKeys(record: Record<string, unknown>, part: keyof typeof known): void {
  for (const key of Object.keys(record))
    if (!sets.get(part)?.has(key))
      throw new PlanForged(`what was read has a field that OpenTofu does not write (${part})`)
}
