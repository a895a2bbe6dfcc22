import { own } from '../../../domain/infrastructure/record.ts'
import { parseAddress } from './parse-address.ts'
import { PlanForged } from './plan-forged.ts'

/** An object, and the configuration of its provider as the plan file has it. */
export type ProvidedObject = { address: string; provider: string }

/**
 * Throws PlanForged unless the configuration, as `tofu show` says it, gives each of these objects its provider, which is
 * another one than in the workspace's state. An apply takes the provider of a resource without a block from the plan
 * file, and stores that of any other if it fails.
 */
export function compareProviders(objects: readonly ProvidedObject[], planJson: unknown): void {
  const configuration = own(planJson, 'configuration')
  for (const { address, provider } of objects)
    if (provider !== configured(configuration, address))
      throw new PlanForged(`${address} has another provider than in the workspace's state`)
}

function configured(configuration: unknown, address: string): string {
  const { module, type, name } = parseAddress(address)
  let block = own(configuration, 'root_module')
  for (const [, call = ''] of module.matchAll(
    /(?:^|\.)module\.([^.[]+)(?:\["(?:[^"\\]|\\.)*"\]|\[\d+\])?/gy,
  ))
    block = own(own(own(block, 'module_calls'), call), 'module')
  const resources = own(block, 'resources')
  const resource: unknown = (Array.isArray(resources) ? resources : []).find(
    (entry) =>
      own(entry, 'mode') === 'managed' &&
      own(entry, 'type') === type &&
      own(entry, 'name') === name,
  )
  const found = own(
    own(configuration, 'provider_config'),
    textIn(resource, 'provider_config_key') ?? '',
  )
  const [place, alias] = [textIn(found, 'module_address'), textIn(found, 'alias')]
  const provider = `provider["${textIn(found, 'full_name') ?? ''}"]`
  return [place, provider, alias].filter((part) => part !== undefined).join('.')
}

function textIn(value: unknown, key: string): string | undefined {
  const text = own(value, key)
  return typeof text === 'string' ? text : undefined
}
