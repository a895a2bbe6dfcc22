/** Ids alone: no name of an account, a source or a file goes to Temporal. */
export type IngestInput = { organizationId: number; ingestId: number }
export type SourceInput = IngestInput & { sourceId: number }
/** One bill: a month of a cloud account, whose slice is known, or an upload, which may have several months. */
export type BillInput = SourceInput & { sliceId?: number; uploadId?: number }
export type SliceInput = SourceInput & { sliceId: number }

/** What there is to read of a source. `months` are those of the slices, as 202610. */
export type Discovered = {
  accountId: number | null
  sliceIds: number[]
  months: number[]
  uploadIds: number[]
}
/** What became of one bill. `changed`: the export was written anew meanwhile, so it is looked at again. */
export type Taken = { outcome: 'loaded' | 'refused' | 'changed' | 'over'; sliceIds: number[] }

export const ingestBillingType = 'ingestBilling'
export const ingestBillingId = (input: IngestInput) =>
  `org-${input.organizationId}/billing/${input.ingestId}`
export const ingestBillType = 'ingestBill'
export const ingestBillId = (input: BillInput) =>
  input.uploadId === undefined
    ? `${ingestBillingId(input)}/slice/${input.sliceId}`
    : `${ingestBillingId(input)}/upload/${input.uploadId}`
