import { may, type Caller } from '../access/caller.ts'
import { AppError } from '../errors.ts'

/** A denied change of a guard; a class of its own, because it is audited. */
export class GuardDenied extends AppError {
  readonly what: string

  constructor(what: string) {
    super(
      'forbidden',
      `Changing ${what} needs manage_cloud_accounts: what guards a run is not its author's to change.`,
    )
    this.name = 'GuardDenied'
    this.what = what
  }
}

/** An author must not remove what guards their own run, so changing a guard needs `manage_cloud_accounts`. */
export function assertMayChangeGuard(caller: Caller, what: string): void {
  if (!may(caller, 'manage_cloud_accounts')) throw new GuardDenied(what)
}
