/** A plan as `tofu show -json` prints it, for tests: only what a test names is in it. */
export function testPlan(
  changes: readonly TestChange[],
  rest: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    format_version: '1.2',
    terraform_version: '1.12.3',
    planned_values: { root_module: {} },
    resource_changes: changes.map(resourceChange),
    configuration: { root_module: {} },
    timestamp: '2026-11-21T10:00:00Z',
    errored: false,
    ...rest,
  }
}

export type TestChange = {
  address?: string
  provider?: string
  mode?: string
  actions: readonly string[]
  before?: unknown
  after?: unknown
  unknown?: unknown
  beforeSensitive?: unknown
  afterSensitive?: unknown
  /** Further fields of the resource change and of its `change`. */
  fields?: Readonly<Record<string, unknown>>
  changeFields?: Readonly<Record<string, unknown>>
}

function resourceChange(change: TestChange): Record<string, unknown> {
  const address = change.address ?? 'aws_instance.web'
  const [type = '', name = ''] = address.replace(/^.*module\.\w+\./, '').split(/[.[]/)
  return {
    address,
    mode: change.mode ?? 'managed',
    type,
    name,
    provider_name: change.provider ?? `registry.example/hashicorp/${type.split('_')[0]}`,
    change: {
      actions: change.actions,
      before: change.before ?? null,
      after: change.after ?? null,
      after_unknown: change.unknown ?? {},
      before_sensitive: change.beforeSensitive ?? {},
      after_sensitive: change.afterSensitive ?? {},
      ...change.changeFields,
    },
    ...change.fields,
  }
}
