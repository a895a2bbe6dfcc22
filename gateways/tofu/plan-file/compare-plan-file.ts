import { isRecord, own } from '../../../domain/infrastructure/record.ts'
import { checkKeys } from './check-keys.ts'
import { parseAddress, providerOf, type ParsedAddress } from './parse-address.ts'
import { PlanForged } from './plan-forged.ts'
import { readMoves, type Move } from './read-moves.ts'
import { readTfplan, type FileChange, type FilePlan, type FileResource } from './read-tfplan.ts'
import { unknown, type PlanValue } from './read-value.ts'
import { readZip } from './read-zip.ts'
import { isKnown, isSame, isSameUnknown } from './same-value.ts'

const maxTfplanBytes = 128 * 1024 * 1024

/** The plan within a plan file, which must be the plain archive that OpenTofu writes, and the moves of its configuration. */
export function readPlanFile(planFile: Buffer): FilePlan & { moves: () => Move[] } {
  const entries = readZip(planFile)
  for (const { name } of entries)
    if (!isOfPlan(name)) throw new PlanForged('its archive has an entry that is none of a plan')
  const tfplan = entries.find(({ name }) => name === 'tfplan')
  if (!tfplan || !entries.some(({ name }) => name === 'tfstate'))
    throw new PlanForged('it is no plan of OpenTofu')
  return { ...readTfplan(tfplan.read(maxTfplanBytes)), moves: () => readMoves(entries) }
}

const isOfPlan = (name: string): boolean =>
  ['tfplan', 'tfstate', 'tfstate-prev', '.terraform.lock.hcl'].includes(name) ||
  name.startsWith('tfconfig/')

/**
 * Throws PlanForged unless the JSON of `tofu show` says what the plan file contains: each change of a
 * resource, of drift and of an output, the variables, and the planned values. Both are parsed by our own code,
 * so a program of the author that printed in OpenTofu's place is detected.
 */
export function comparePlan(plan: FilePlan, planJson: unknown): void {
  if (!isRecord(planJson)) throw new PlanForged('what was read is no object')
  checkKeys(planJson, 'plan')
  if ((planJson['errored'] ?? false) !== plan.errored) throw differs('the plan', 'errored')
  if (planJson['terraform_version'] !== plan.tofuVersion) throw differs('the plan', 'version')
  if (planJson['timestamp'] !== plan.timestamp) throw differs('the plan', 'timestamp')
  // The state's location is read from the plan file, not from the settings of the apply.
  const { type, workspace, config } = plan.backend
  const isOurs = config instanceof Map && [...config.values()].every((value) => value === null)
  if (type !== 'http' || workspace !== 'default' || !isOurs)
    throw new PlanForged('it keeps its state elsewhere')

  const resources = plan.resources.filter(isShown)
  compareResources(resources, planJson['resource_changes'])
  const drift = plan.drift.filter(({ change }) => plan.refreshOnly || change.action !== 'no-op')
  compareResources(drift.filter(isShown), planJson['resource_drift'])
  compareOutputs(plan, planJson['output_changes'])
  for (const { name, value } of plan.variables) {
    const shown = own(planJson['variables'], name)
    if (!isRecord(shown) || !isSame(value, shown['value'])) throw differs('a variable', 'its value')
  }
  comparePlannedValues(plan, planJson['planned_values'])
}

/** Throws PlanForged unless the plan was made with the job's options alone. An apply takes them from the plan file. */
export function compareOptions(plan: FilePlan, { destroy }: { destroy: boolean }): void {
  if (plan.isNarrowed || plan.refreshOnly || plan.destroys !== destroy)
    throw new PlanForged('it was not made with the options of the run')
}

export const comparePlanFile = (planFile: Buffer, planJson: unknown): void =>
  comparePlan(readPlanFile(planFile), planJson)

/** OpenTofu does not show that it forgets what a data source said. */
const isShown = ({ address, change }: FileResource) =>
  change.action !== 'delete' || parseAddress(address).mode !== 'data'

function compareResources(resources: readonly FileResource[], shown: unknown): void {
  const entries = shown ?? []
  if (!Array.isArray(entries)) throw new PlanForged('the changes that were read are no list')
  const byKey = new Map<string, unknown>()
  for (const entry of entries) byKey.set(keyOf(own(entry, 'address'), own(entry, 'deposed')), entry)
  if (byKey.size !== entries.length) throw new PlanForged('a change was read twice')
  const seen = new Set<string>()
  for (const resource of resources) {
    const key = keyOf(resource.address, resource.deposed || undefined)
    if (seen.has(key)) throw new PlanForged(`${resource.address} stands twice in it`)
    seen.add(key)
    const entry = byKey.get(key)
    if (!isRecord(entry)) throw new PlanForged(`${resource.address} was not read`)
    compareResource(resource, entry)
    byKey.delete(key)
  }
  const [extra] = byKey.values()
  if (extra !== undefined) throw new PlanForged(`${nameOf(extra)} is not in it`)
}

const keyOf = (address: unknown, deposed: unknown) => JSON.stringify([address, deposed ?? null])

/** Bounds an address and removes control characters: an attacker may have written the JSON. */
const nameOf = (entry: unknown): string => {
  const address = own(entry, 'address')
  return typeof address === 'string' ? JSON.stringify(address.slice(0, 200)) : 'a change'
}

function compareResource(resource: FileResource, entry: Record<string, unknown>): void {
  const { address } = resource
  const parsed = parseAddress(address)
  checkKeys(entry, 'resource')
  comparePlace(resource, parsed, entry)
  if ((entry['module_address'] ?? '') !== parsed.module) throw differs(address, 'its module')
  if ((entry['previous_address'] ?? '') !== resource.previousAddress)
    throw differs(address, 'its previous address')
  if ((entry['action_reason'] ?? '') !== actionReasons[resource.actionReason])
    throw differs(address, 'the reason of its action')
  const change = entry['change']
  if (!isRecord(change)) throw differs(address, 'its change')
  const values = parsed.mode === 'ephemeral' ? { before: null, after: null } : {}
  compareChange({ address, change: { ...resource.change, ...values } }, change)
  const paths = (list: unknown[]) => list.map((path) => JSON.stringify(path)).toSorted()
  const shown = change['replace_paths'] ?? []
  if (
    !Array.isArray(shown) ||
    JSON.stringify(paths(shown)) !== JSON.stringify(paths(resource.replacePaths))
  )
    throw differs(address, 'what it is replaced for')
}

function comparePlace(
  { address, provider }: FileResource,
  { mode, type, name, index }: ParsedAddress,
  entry: Record<string, unknown>,
): void {
  if (entry['mode'] !== mode) throw differs(address, 'its mode')
  if (entry['type'] !== type || entry['name'] !== name) throw differs(address, 'its type or name')
  if (entry['index'] !== index) throw differs(address, 'its index')
  if (entry['provider_name'] !== providerOf(provider)) throw differs(address, 'its provider')
}

function compareChange(
  { address, change }: { address: string; change: FileChange },
  shown: Record<string, unknown>,
): void {
  checkKeys(shown, 'change')
  const { actions } = shown
  if (!Array.isArray(actions) || actions.join(',') !== change.action)
    throw differs(address, 'its action')
  if (!isSame(change.before, shown['before'])) throw differs(address, 'what was before')
  if (!isSame(change.after, shown['after'])) throw differs(address, 'what comes after')
  const places = shown['after_unknown']
  const isAllKnown = isKnown(change.after)
  if (isAllKnown ? !isNothing(places) : !isSameUnknown(change.after, places))
    throw differs(address, 'what is known after the apply')
  compareImport({ address, change }, shown['importing'])
  if ((shown['generated_config'] ?? '') !== change.generatedConfig)
    throw differs(address, 'its generated configuration')
  for (const [side, identity] of [
    ['before_identity', change.beforeIdentity],
    ['after_identity', change.afterIdentity],
  ] as const)
    if (!isSame(identity, shown[side])) throw differs(address, 'its identity')
}

function compareImport(
  { address, change: { importing } }: { address: string; change: FileChange },
  shown: unknown,
): void {
  if (importing === undefined && shown === undefined) return
  if (importing === undefined || !isRecord(shown)) throw differs(address, 'whether it is imported')
  checkKeys(shown, 'importing')
  const isSameIdentity =
    shown['identity'] === undefined || isSame(importing.identity, shown['identity'])
  if ((shown['id'] ?? '') !== importing.id || !isSameIdentity)
    throw differs(address, 'what is imported')
}

/** `false`, or an object without anything: nothing is unknown. */
const isNothing = (places: unknown) =>
  places === false || (isRecord(places) && Object.keys(places).length === 0)

function compareOutputs({ outputs }: FilePlan, shown: unknown): void {
  const changes = shown ?? {}
  if (!isRecord(changes)) throw new PlanForged('the outputs that were read are no object')
  const names = new Set<string>()
  for (const { name, sensitive, change } of outputs) {
    const address = `output.${name}`
    names.add(name)
    const entry = own(changes, name)
    if (!isRecord(entry)) throw new PlanForged(`${address} was not read`)
    compareChange({ address, change }, entry)
    if (entry['before_sensitive'] !== sensitive || entry['after_sensitive'] !== sensitive)
      throw differs(address, 'whether it is sensitive')
  }
  if (names.size !== outputs.length) throw new PlanForged('an output stands twice in it')
  if (Object.keys(changes).length !== names.size)
    throw new PlanForged('an output was read that is not in it')
}

/** Compares the planned values too, which policies may read instead of the changes. */
function comparePlannedValues(plan: FilePlan, shown: unknown): void {
  if (!isRecord(shown)) throw new PlanForged('the planned values were not read')
  checkKeys(shown, 'values')
  const expected = new Map<string, FileResource>()
  for (const resource of plan.resources)
    if (resource.deposed === '' && resource.change.action !== 'delete')
      expected.set(resource.address, resource)
  visitModule(own(shown, 'root_module'), '', (entry, module) => {
    const resource = expected.get(String(entry['address']))
    if (!resource) throw new PlanForged(`the planned ${nameOf(entry)} is not in it`)
    expected.delete(resource.address)
    const parsed = parseAddress(resource.address)
    checkKeys(entry, 'planned')
    comparePlace(resource, parsed, entry)
    if (parsed.module !== module) throw differs(resource.address, 'its module')
    const { after } = resource.change
    const values = after === unknown ? null : after
    // OpenTofu leaves an empty object out: all is unknown, as of a data source that is read later.
    const shown = entry['values'] ?? (values instanceof Map ? {} : undefined)
    if (!isSame(values, shown)) throw differs(resource.address, 'its planned values')
  })
  for (const { address } of expected.values())
    if (parseAddress(address).mode !== 'ephemeral')
      throw new PlanForged(`the planned ${address} was not read`)
  comparePlannedOutputs(plan, own(shown, 'outputs'))
}

function comparePlannedOutputs({ outputs }: FilePlan, shown: unknown): void {
  const rest = new Set(isRecord(shown) ? Object.keys(shown) : [])
  for (const { name, sensitive, change } of outputs) {
    if (change.action === 'delete') continue
    const entry = own(shown, name)
    const known: PlanValue = isKnown(change.after) ? change.after : null
    if (!isRecord(entry) || entry['sensitive'] !== sensitive || !isSame(known, entry['value']))
      throw differs(`output.${name}`, 'its planned value')
    checkKeys(entry, 'output')
    rest.delete(name)
  }
  if (rest.size > 0) throw new PlanForged('a planned output was read that is not in it')
}

type Visit = (entry: Record<string, unknown>, module: string) => void

function visitModule(module: unknown, address: string, visit: Visit): void {
  if (isRecord(module)) checkKeys(module, 'module')
  for (const entry of listIn(module, 'resources')) {
    if (!isRecord(entry)) throw new PlanForged('a planned resource is no object')
    visit(entry, address)
  }
  for (const child of listIn(module, 'child_modules'))
    visitModule(child, String(own(child, 'address')), visit)
}

function listIn(module: unknown, part: string): unknown[] {
  const list = own(module, part) ?? []
  if (!Array.isArray(list)) throw new PlanForged('the planned values are no lists')
  return list
}

const differs = (address: string, what: string) => new PlanForged(`${address} differs in ${what}`)

/** By the number of planproto's ResourceInstanceActionReason. */
const actionReasons: Readonly<Record<number, string>> = {
  0: '',
  1: 'replace_because_tainted',
  2: 'replace_by_request',
  3: 'replace_because_cannot_update',
  4: 'delete_because_no_resource_config',
  5: 'delete_because_wrong_repetition',
  6: 'delete_because_count_index',
  7: 'delete_because_each_key',
  8: 'delete_because_no_module',
  9: 'replace_by_triggers',
  10: 'read_because_config_unknown',
  11: 'read_because_dependency_pending',
  12: 'delete_because_no_move_target',
  13: 'read_because_check_nested',
  14: 'delete_because_enabled_false',
  15: 'forgot_because_lifecycle_destroy_in_state',
  16: 'forgot_because_lifecycle_destroy_in_config',
}
