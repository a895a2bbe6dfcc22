import { conflict } from '../../../domain/errors.ts'

export const leaseLost = () =>
  conflict('lease_lost', 'This claim is over: its lease ended, or another claim took its place.')
