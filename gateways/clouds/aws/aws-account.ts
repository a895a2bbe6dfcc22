import type { Account } from '@aws-sdk/client-organizations'
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Member, MemberPage, MembersAsked } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { assertPageSize } from '../full-page.ts'
import { awsFault } from './aws-refusal.ts'
import { type AwsSettings, globalRegion } from './aws-settings.ts'
import { allOf, signedRequest, textOf } from './signed-request.ts'

export type Region = { name: string; isOn: boolean }
/** A region's index of Resource Explorer; the aggregator's holds all regions that have one. */
export type Index = { region: string; isAggregator: boolean }

/** The calls that ask about the account itself. Each throws what `awsFault` makes of a refusal. */
export interface AwsAccount {
  /** Whose credentials these are. */
  owner(signal?: AbortSignal): Promise<string>
  regions(signal?: AbortSignal): Promise<Region[]>
  indexes(signal?: AbortSignal): Promise<Index[]>
  members(page: MembersAsked): Promise<MemberPage | undefined>
}

export function awsAccount(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
): AwsAccount {
  const { home, partition, target } = settings
  return {
    async owner(signal) {
      const { STSClient, GetCallerIdentityCommand } = await import('@aws-sdk/client-sts')
      const sts = new STSClient(settings.forService('identity', home, credentials))
      return asked('sts:GetCallerIdentity', async () => {
        const { Account = '' } = await sts.send(new GetCallerIdentityCommand({}), until(signal))
        return Account
      })
    },

    async regions(signal) {
      const origin = target.endpoints.resources ?? `https://ec2.${home}.${suffixOf(partition)}`
      const url = new URL('?Action=DescribeRegions&AllRegions=true&Version=2016-11-15', origin)
      const action = 'ec2:DescribeRegions'
      const request = { url, service: 'ec2' as const, region: home, action }
      const answer = await signedRequest(settings, credentials, { ...request, signal })
      const named = allOf(answer, 'item').flatMap((item) => {
        const name = textOf(item, 'regionName') ?? ''
        const isOn = textOf(item, 'optInStatus') !== 'not-opted-in'
        return regionName.test(name) ? [{ name, isOn }] : []
      })
      // A sync looks at each: more would not fit into one workflow's history.
      if (named.length <= maxRegions) return named
      const reason = `AWS named more than ${maxRegions} regions. Name those of the account.`
      throw new CloudFault('unreachable', reason)
    },

    async indexes(signal) {
      // Resource Explorer is not in the Chinese partition.
      if (partition === 'aws-cn') return []
      const { ResourceExplorer2Client, ListIndexesCommand } =
        await import('@aws-sdk/client-resource-explorer-2')
      const explorer = new ResourceExplorer2Client(
        settings.forService('resources', home, credentials),
      )
      return asked('resource-explorer-2:ListIndexes', async () => {
        const listed = await wholeList(async (NextToken) => {
          const command = new ListIndexesCommand({
            MaxResults: 100,
            ...(NextToken && { NextToken }),
          })
          const answer = await explorer.send(command, until(signal)).catch(withoutService)
          const { Indexes = [], NextToken: next } = answer
          return { items: Indexes, next }
        })
        return listed.flatMap(({ Region, Type }) =>
          Region ? [{ region: Region, isAggregator: Type === 'AGGREGATOR' }] : [],
        )
      })
    },

    members: async (page) => membersOf(settings, credentials, page),
  }
}

async function membersOf(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  { cursor, limit, signal }: MembersAsked,
): Promise<MemberPage | undefined> {
  const { OrganizationsClient, ListAccountsCommand } = await import('@aws-sdk/client-organizations')
  const organizations = new OrganizationsClient(
    settings.forService('resources', globalRegion(settings.partition), credentials),
  )
  const members: Member[] = []
  let next = cursor
  try {
    // AWS may send empty pages: the caller goes on after so many.
    for (let calls = 0; calls < maxCalls; calls += 1) {
      // AWS takes no more.
      const size = Math.min(limit - members.length, 20)
      const command = new ListAccountsCommand({
        MaxResults: size,
        ...(next !== null && { NextToken: next }),
      })
      const { Accounts = [], NextToken } = await organizations.send(command, until(signal))
      assertPageSize(Accounts, size)
      members.push(...Accounts.flatMap(memberOf))
      if (NextToken === next) throw endless()
      next = NextToken ?? null
      if (next === null || members.length >= limit) break
    }
    return { members, next }
  } catch (error) {
    if (error instanceof Error && error.name === 'AWSOrganizationsNotInUseException')
      return undefined
    if (cursor !== null && error instanceof Error && error.name === 'InvalidInputException')
      throw new CloudFault('page_token', 'AWS does not accept the page token. Start again.')
    throw refusedList(awsFault(error, 'organizations:ListAccounts'))
  } finally {
    organizations.destroy()
  }
}

/** Twice as many as 200 members need. */
const maxCalls = 20

/** `State` is the newer of the two, and tells more. */
const memberOf = ({ Id, Name, State, Status }: Account): Member[] =>
  Id ? [{ accountId: Id, name: Name ?? '', status: State ?? Status ?? '' }] : []

/** The right alone is not enough: AWS answers two kinds of accounts. */
function refusedList(fault: ReturnType<typeof awsFault>): Error {
  if (!(fault instanceof CloudFault) || fault.kind !== 'denied') return fault
  const who =
    'AWS lists the accounts of an organization to its management account and to delegated administrators.'
  return new CloudFault('denied', `${fault.message} ${who}`, fault.missing)
}

const endless = () =>
  new CloudFault('page_token', 'AWS repeats a page token, so its list has no end.')

export const until = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {})

/** As an account may name them (api/clouds/schemas.ts). AWS has fewer than 40. */
const regionName = /^[a-z]{2}[a-z0-9-]{2,30}$/
const maxRegions = 100

const suffixOf = (partition: string): string =>
  partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com'

export async function asked<T>(action: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw awsFault(error, action)
  }
}

/** An endpoint of the account's own that lacks Resource Explorer (aws-http-handler.ts names it so). */
function withoutService(error: unknown): { Indexes?: never[]; NextToken?: string } {
  if (error instanceof Error && error.name === 'NotImplemented') return {}
  throw error
}

const maxPages = 1_000

async function wholeList<T>(
  page: (token: string | undefined) => Promise<{ items: T[]; next: string | undefined }>,
): Promise<T[]> {
  const found: T[] = []
  let token: string | undefined
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { items, next } = await page(token)
    found.push(...items)
    if (!next) return found
    if (next === token) break
    token = next
  }
  throw endless()
}
