import type { Body } from '../api/call.ts'
import { textIn } from '../parts/forms.tsx'
import type { OrganizationSettings } from './queries.ts'
import { readAliases } from './tag-alias-lines.ts'

/** Only what differs from `was`, so that a save never reverts what another person changed meanwhile. */
export function settingsChange(form: FormData, was: OrganizationSettings): Body<'updateSettings'> {
  const tagKey = textIn(form, 'tagKey').trim()
  const wanted = {
    name: textIn(form, 'name').trim(),
    currency: textIn(form, 'currency').trim(),
    approvalExpiryHours: Number(textIn(form, 'approvalExpiryHours')),
    planApproval: textIn(form, 'planApproval') === 'unseen' ? 'unseen' : 'none',
    buildNetwork: textIn(form, 'buildNetwork') === 'none' ? 'none' : 'public',
    learnPrices: form.get('learnPrices') !== null,
    artifactDays: Number(textIn(form, 'artifactDays')),
    anomalyMinimum: Number(textIn(form, 'anomalyMinimum')),
    tagKey: tagKey === '' ? null : tagKey,
    tagAliases: readAliases(textIn(form, 'tagAliases')),
  } satisfies OrganizationSettings
  return Object.fromEntries(
    Object.entries(wanted).filter(
      // The keys of `wanted` are those of the settings.
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name as keyof typeof was]),
    ),
  )
}
