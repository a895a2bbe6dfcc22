import type { Coverage } from './cloud-account.ts'

export const readsSomeTypes =
  'The credentials may read some types of resources alone. The others stay as they were last seen.'

/** Why resources are missing that nobody deleted. */
export const reasonOfCoverage: Record<Coverage, string | null> = {
  full: null,
  tagged_only:
    'Only resources that have or had a tag are listed, since the account has no index of Resource Explorer, or one whose default view has a filter.',
  partial: readsSomeTypes,
}
