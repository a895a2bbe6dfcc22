import { isRecord, own } from '../infrastructure/record.ts'

/**
 * Where an object of a plan is, by its own values. Undefined if they do not say: then it is where its
 * provider is.
 */
export function plannedRegion({
  type,
  values,
}: {
  type: string
  values: unknown
}): string | undefined {
  // What a script makes is described by the input.
  const of = type === 'terraform_data' ? own(values, 'input') : values
  const named = textOf(of, 'region')
  if (named) return regionText(named)
  // Google's location is a region or one of its zones, as us-central1-a of a zonal cluster.
  const location = textOf(of, 'location')
  if (location) return regionText(location).replace(/^([a-z]+-[a-z]+\d+)-[a-z]$/, '$1')
  // us-central1-a of Google, eu-west-1a of AWS.
  const zone = textOf(of, 'zone') ?? textOf(of, 'availability_zone')
  if (zone) return regionText(zone.replace(/(?<=\d)-?[a-z]$/, ''))
  const [, , , region] = (textOf(of, 'arn') ?? '').split(':')
  return region ? regionText(region) : undefined
}

/** The region of each provider of a plan, by the provider's name, where all its configurations have one and the same. */
export function providerRegions(planJson: unknown): Map<string, string> {
  const configured = own(own(planJson, 'configuration'), 'provider_config')
  const found = new Map<string, Set<string | undefined>>()
  for (const provider of isRecord(configured) ? Object.values(configured) : []) {
    const name = textOf(provider, 'full_name')
    if (name === undefined) continue
    const regions = found.get(name) ?? new Set()
    regions.add(configuredRegion(planJson, own(provider, 'expressions')))
    found.set(name, regions)
  }
  const certain = [...found].flatMap(([name, regions]): Array<[string, string]> => {
    const [region] = regions
    return regions.size === 1 && region !== undefined ? [[name, region]] : []
  })
  return new Map(certain)
}

/** A constant, or a variable of the root module. */
function configuredRegion(planJson: unknown, expressions: unknown): string | undefined {
  const expression = own(expressions, 'region')
  const constant = textOf(expression, 'constant_value')
  if (constant) return regionText(constant)
  const references = own(expression, 'references')
  const [reference] = Array.isArray(references) ? references : []
  const [, variable] = /^var\.([\w-]+)$/.exec(String(reference)) ?? []
  if (variable === undefined) return undefined
  const value = textOf(own(own(planJson, 'variables'), variable), 'value')
  return value && regionText(value)
}

/** As bills write it: `West Europe` is `westeurope`. */
const regionText = (text: string): string => text.toLowerCase().replaceAll(' ', '')

function textOf(value: unknown, name: string): string | undefined {
  const found = own(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}
