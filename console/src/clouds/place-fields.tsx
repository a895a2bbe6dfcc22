import { Field, textIn } from '../parts/forms.tsx'
import type { CloudAccount } from './queries.ts'

/** Which regions of an account are listed, and at which address. */
export const PlaceFields = ({ regions, endpoint }: Pick<CloudAccount, 'regions' | 'endpoint'>) => (
  <>
    <Field
      label="Regions (optional)"
      name="regions"
      defaultValue={regions?.join(', ') ?? ''}
      autoComplete="off"
      spellCheck={false}
      placeholder="all that are switched on"
      hint="Names of regions, separated by commas. Resources of other regions are not listed."
    />
    <Field
      label="Endpoint (optional)"
      name="endpoint"
      type="url"
      defaultValue={endpoint ?? ''}
      maxLength={500}
      hint="For a private endpoint of the cloud’s API. An operator opens it with CC_PRIVATE_HOSTS."
    />
  </>
)

/** Null: all regions, and the cloud's own address. */
export function placeIn(form: FormData): { regions: string[] | null; endpoint: string | null } {
  const regions = textIn(form, 'regions')
    .split(/[\s,]+/)
    .filter(Boolean)
  return {
    regions: regions.length > 0 ? [...new Set(regions)] : null,
    endpoint: textIn(form, 'endpoint').trim() || null,
  }
}
