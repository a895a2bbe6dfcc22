import { invalid } from '../errors.ts'

/** OpenTofu's lock info, with the fields that its clients read. */
export type LockInfo = {
  ID: string
  Operation: string
  Info: string
  Who: string
  Version: string
  Created: string
  Path: string
}

type Lock = {
  kind: 'user' | 'run' | 'cli'
  lockId: string | null
  info: Record<string, unknown> | null
  label: string
  reason: string | null
  since: Date
}

const maxLength = 16_384
const texts = ['Operation', 'Info', 'Who', 'Version', 'Path'] as const

/**
 * Reads the body of LOCK. Keeps OpenTofu's own fields alone, as text that other clients can parse: with a
 * date that Go cannot parse they would not show the holder.
 */
export function parseLockInfo(text: string, now: Date): LockInfo {
  const value = text.length > maxLength ? undefined : parse(text)
  const id = value?.['ID']
  if (!value || typeof id !== 'string' || !/^[\u0021-\u007e]{1,200}$/.test(id))
    throw invalid('LOCK and UNLOCK need the lock info of OpenTofu as JSON, with an ID.', [
      { path: 'ID', message: '1 to 200 printable characters' },
    ])
  const { Created: created } = value
  const isDate =
    typeof created === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(created) &&
    !Number.isNaN(Date.parse(created))
  const [Operation = '', Info = '', Who = '', Version = '', Path = ''] = texts.map((field) =>
    plainText(value[field]),
  )
  const Created = isDate ? created : now.toISOString()
  return { ID: id, Operation, Info, Who, Version, Created, Path }
}

/** The id of a lock; for a person's or a run's, which have none from OpenTofu, one is derived. */
export const lockIdOf = ({ kind, lockId, since }: Lock): string =>
  lockId ?? `${kind}-lock-${since.getTime()}`

/** The lock info that OpenTofu gets for a held lock: its own, or one made for a person or a run. */
export function lockInfoOf(lock: Lock): LockInfo {
  const info = lock.info ?? {}
  const [Operation, Info, Who, Version, Path] = texts.map((field) => plainText(info[field]))
  return {
    ID: lockIdOf(lock),
    Operation: Operation || (lock.kind === 'run' ? 'OperationTypeApply' : 'lock'),
    Info: Info || (lock.reason ?? ''),
    // A run's tofu would name the inside of its sandbox.
    Who: lock.kind === 'cli' && Who ? Who : lock.label,
    Version: Version ?? '',
    Created: typeof info['Created'] === 'string' ? info['Created'] : lock.since.toISOString(),
    Path: Path ?? '',
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** NUL and lone surrogates cannot be stored as JSON in PostgreSQL. */
const plainText = (value: unknown): string =>
  typeof value === 'string'
    ? value.replaceAll('\u0000', '').toWellFormed().slice(0, 1_000).toWellFormed()
    : ''
