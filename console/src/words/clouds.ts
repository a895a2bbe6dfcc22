import type { ErrorWords } from './error-action.ts'

const busy = 'Others of your organization do the same now. Try again in a moment.'

/** Errors of cloud accounts, their bills, and cost. */
export const cloudErrors = {
  account_already_connected:
    'This account is connected already. It is in the list of cloud accounts.',
  account_busy: 'What a sync found is being stored. Try again in a minute.',
  account_forgetting:
    'What is known of this account is being deleted. It is looked at again by itself.',
  export_in_use: {
    text: 'Another account has the bills of this place. Its cost would count twice.',
    withFacts: true,
  },
  account_in_use: {
    text: 'Workspaces use this account. Give them another one, or none, in their settings first.',
    action: { label: 'Open workspaces', to: '/workspaces' },
  },
  cloud_credentials_rejected: 'The cloud rejects the credentials. Check them and try again.',
  cloud_permissions_missing: {
    text: 'The credentials lack rights that this needs.',
    withFacts: true,
  },
  cloud_unreachable: 'The cloud cannot be reached. Try again in a moment.',
  not_in_organization: { text: 'Only an organization of AWS lists its members.', withFacts: true },
  address_not_allowed:
    'This address is not allowed: it is not https, or its host is private. The person who operates the service can open a private host.',
  host_not_found: 'No host has this name. Check it.',
  connection_failed: 'The host does not answer. Check its address.',
  bad_redirect: 'The host redirects to an address that is not allowed.',
  too_many_redirects: 'The host redirects too often.',
  response_too_large: 'The host answers with more than is read.',
  too_many_lists: busy,
  too_many_syncs: 'As many syncs are running as may. Try again when one has ended.',
  too_many_validations: busy,
  bill_refused: { text: 'The bill cannot be read.', withFacts: 'names' },
  bill_disk_full: 'The disk of the worker is full. An operator must make room for bills.',
  bill_not_whole: 'The bill was not loaded whole. It is loaded again by itself.',
  export_changed: 'The bill changed meanwhile. Look at the new one.',
  reader_lost: 'The bill could not be read to its end. Try again.',
  slice_contended: 'This month is being loaded. Try again in a moment.',
  slice_not_reading: 'This month is no longer being loaded. Reload the page.',
  slice_not_suspect: 'This month was decided already. Reload the page.',
  source_of_account:
    'These bills belong to a cloud account. Disconnect the account to delete them.',
  upload_cut_off: 'The upload was cut off. Send it again.',
  upload_gone: 'The upload is no longer there. Send it again.',
  uploads_full: {
    text: 'The organization has as many uploads as it may. Delete bills that are no longer needed.',
    action: { label: 'Open bills', to: '/cost/bills' },
  },
  too_many_files: {
    text: 'These are too many files at once. Send them in parts.',
    withFacts: true,
  },
  tag_key_missing:
    'Cost without a tag can be shown once the settings of the organization name the tag.',
  too_many_budgets: { text: 'There are as many budgets as there may be.', withFacts: true },
  too_many_prices: { text: 'The price book is full.', withFacts: true },
  too_many_sources: { text: 'There are as many sources as there may be.', withFacts: true },
  too_many_units: { text: 'There are as many units as there may be.', withFacts: true },
  too_many_values: { text: 'These are too many days.', withFacts: true },
  window_too_large:
    'There is too much cost in this period. Choose a shorter one, or an account or a service.',
  rates_unavailable: 'The exchange rates cannot be read now. They are read again by themselves.',
  rates_unreadable: 'The exchange rates cannot be read now. They are read again by themselves.',
} as const satisfies Record<string, ErrorWords>
