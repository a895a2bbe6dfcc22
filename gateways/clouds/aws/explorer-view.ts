import type { ResourceExplorer2Client, View } from '@aws-sdk/client-resource-explorer-2'
import { asked, until } from './aws-account.ts'

type Listed = { ViewArn?: string | undefined; at: string }

/**
 * What the default view in a region leaves out, which is where this answer came from; null where it shows all. What
 * a filter leaves out would count as gone, and without its tags each resource would count as one that has none.
 */
export async function shortOfView(
  client: ResourceExplorer2Client,
  { ViewArn, at }: Listed,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (ViewArn === undefined) return null
  return asked('resource-explorer-2:GetView', async () => {
    const { GetViewCommand } = await import('@aws-sdk/client-resource-explorer-2')
    const { View } = await client.send(new GetViewCommand({ ViewArn }), until(signal))
    const faults = faultsOf(View)
    if (faults.length === 0) return null
    return `Resources are listed by their tags alone, which leaves out those that never had one: the default view${nameOf(ViewArn)} of Resource Explorer in ${at} ${faults.join(' and ')}.`
  })
}

function faultsOf(view: View | undefined): string[] {
  const hasFilter = (view?.Filters?.FilterString ?? '').trim() !== ''
  const hasTags = view?.IncludedProperties?.some(({ Name }) => Name === 'tags') === true
  return [
    ...(hasFilter ? ['has a filter, which has to be removed'] : []),
    ...(hasTags ? [] : ['does not include tags, which have to be added']),
  ]
}

/** Only what can be a name: an endpoint of the account's own may send any text. */
function nameOf(arn: string): string {
  const name = /^arn:[a-z-]{1,20}:resource-explorer-2:[^/]*:view\/([A-Za-z0-9-]{1,64})\//.exec(
    arn,
  )?.[1]
  return name === undefined ? '' : ` ${name}`
}
