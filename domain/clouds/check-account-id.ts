import { invalid } from '../errors.ts'
import type { CloudProvider } from './cloud-account.ts'

/**
 * The id as it is stored: one account has one spelling, so that it cannot be connected twice.
 * Azure ignores the case of its ids, Google has lower case only.
 */
export function checkAccountId(provider: CloudProvider, accountId: string): string {
  const { pattern, form } = forms[provider]
  const id = provider === 'azure' ? lowerAzure(accountId) : accountId
  if (pattern.test(id)) return id
  throw invalid(`accountId: ${form}.`, [{ path: 'accountId', message: form }])
}

const forms: Record<CloudProvider, { pattern: RegExp; form: string }> = {
  aws: { pattern: /^\d{12}$/, form: 'an AWS account has 12 digits' },
  azure: {
    // Microsoft.Management/managementGroups: 1 to 90 of these characters, and no period at the end.
    pattern:
      /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|managementGroups\/[a-z0-9_().-]{0,89}[a-z0-9_()-])$/,
    form: 'an Azure account is the UUID of a subscription, or managementGroups/<id>',
  },
  gcp: {
    pattern:
      /^(?:(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]|(?:folders|organizations)\/\d{1,20})$/,
    form: 'a Google account is a project id, folders/<number> or organizations/<number>',
  },
}

const groups = 'managementGroups/'

const lowerAzure = (id: string) =>
  id.toLowerCase().startsWith(groups.toLowerCase())
    ? `${groups}${id.slice(groups.length).toLowerCase()}`
    : id.toLowerCase()
