const reasons: Record<string, string> = {
  cloud_credentials_rejected: 'The cloud rejects the credentials of the account. Replace them.',
  cloud_unreachable: 'The storage of the bills does not answer. The next ingest asks again.',
  cloud_denied:
    'The credentials may not read the bills. The setup of the account lists the rights.',
  cloud_throttled: 'The cloud limits how often it may be called. The next ingest tries again.',
  cloud_share_taken:
    'Looks at other bills of your organization took too long. The next ingest tries again.',
  address_not_allowed: 'The endpoint of the bills is at an address that is not allowed. Change it.',
  bill_disk_full: 'The disk of the worker is full. An operator must make room for bills.',
  bill_refused: 'The bill has a value that cannot be stored. None of it was loaded.',
  bill_too_large:
    'The bill is larger than a worker reads. An operator can raise CC_BILL_GIBIBYTES.',
  bill_not_whole: 'What was loaded is not what the bill adds up to. The next ingest loads it anew.',
  upload_damaged: 'What is stored of the upload is damaged. Send it again.',
  reader_lost:
    'The reader of bills was killed, as on a host that is out of memory. The next ingest tries again.',
  timed_out: 'Reading took too long. The next ingest tries again.',
  bill_lost: 'Reading broke off. The next ingest, or another upload, starts anew.',
  ingest_lost: 'The ingest was lost. The next one looks at everything again.',
}

/** What the same files would be refused for again. All other codes are faults of ours. */
const ofFiles = new Set(['bill_refused', 'upload_damaged'])

export const blamesFiles = (code: string): boolean => ofFiles.has(code)

/** What a code of a fault means for a bill, for people. */
export const reasonOfFailure = (code: string): string =>
  reasons[code] ?? 'A fault on our side. The next ingest tries again.'
